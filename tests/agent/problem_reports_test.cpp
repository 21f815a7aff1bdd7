#include "agent/problem_reports.hpp"
#include "agent/request_error.hpp"
#include "vtmirror/base/url.hpp"
#include "vtmirror/report/sentence.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace vtmirror::agent {
namespace {

using base::Errc;
using core::ProblemCode;

base::Time at(const std::string& text) { return base::parse_time(text).value(); }

TEST_CASE("a problem that a file ended names that file: published where it is held, else listed if it was late") {
  const auto day = base::parse_date("2026-11-18").value();
  const core::Listed delta{.kind = core::Kind::delta, .name = "v1/d.zip", .date = day, .size = 1};
  const auto ended = [&](ProblemCode code, std::string subject, bool is_held) {
    std::vector<core::Problem> over{{code, {}, {.subject = std::move(subject)}}};
    note_published(over, {delta}, is_held ? std::vector{delta} : std::vector<core::Listed>());
    return over.front().cause.fields;
  };
  const std::vector<core::Field> published{{"published", "v1/d.zip"}};
  CHECK(ended(ProblemCode::late_delta, "2026-11-18", true) == published);
  CHECK(ended(ProblemCode::late_delta, "2026-11-18", false) == std::vector<core::Field>{{"listed", "v1/d.zip"}});
  CHECK(ended(ProblemCode::late_delta, "2026-11-17", true).empty());
  CHECK(ended(ProblemCode::quarantined_file, "v1/d.zip", true) == published);
  CHECK(ended(ProblemCode::quarantined_file, "v1/d.zip", false).empty());
  CHECK(ended(ProblemCode::cycle_failed, "v1/d.zip", true).empty());
}

TEST_CASE("a problem of a file that left the listing is not called resolved, nor one whose newest edition never came") {
  const std::string name = "v1/public/delta/year=2026/month=11/day=18/delta-light-vehicle_18-11-2026.zip";
  const core::Listed older{.kind = core::Kind::delta, .name = name, .size = 1};
  auto newer = older;
  newer.size = 2;
  const auto ended = [&](ProblemCode code, const std::vector<core::Listed>& listed) {
    std::vector<core::Problem> over{{code, {}, {.subject = name}}};
    note_published(over, listed, {older});
    return report::resolved(over.front());
  };
  const std::string unlisted = "delta 18 Nov is no longer listed, so it is not waited for any more";
  for (const auto code : {ProblemCode::quarantined_file, ProblemCode::refused_entry})
    CHECK(ended(code, {}) == unlisted);
  // A download may end after its file has left the listing.
  for (const auto code : {ProblemCode::missing_files, ProblemCode::low_space}) {
    CHECK(ended(code, {}).starts_with("resolved: delta 18 Nov was published"));
    std::vector<core::Problem> over{{code, {}, {.subject = name}}};
    note_published(over, {}, {});
    CHECK(report::resolved(over.front()) == unlisted);
  }
  CHECK(ended(ProblemCode::quarantined_file, {older}) == "resolved: delta 18 Nov was published (it was quarantined)");
  CHECK(ended(ProblemCode::quarantined_file, {newer}).starts_with("resolved: delta 18 Nov is damaged"));
  CHECK(ended(ProblemCode::damaged_file, {}) == "resolved: delta 18 Nov was published (it was damaged or lost)");
  // Both problems of one file may end together.
  CHECK(ended(ProblemCode::missing_files, {}) == "resolved: delta 18 Nov was published");
}

TEST_CASE("a failed cycle is not called resolved while the cycle fails in another way") {
  const core::Problem failed{
      ProblemCode::cycle_failed, {}, {.code = Errc::rate_limited, .detail = "listing request failed: HTTP 503"}};
  const core::Problem cut{ProblemCode::cycle_failed, {}, {.fields = {{"cuts", std::int64_t{4}}}}};
  const auto ended = [](const core::Problem& problem, const core::HealthFacts::End& end) {
    core::HealthFacts facts;
    facts.end = end;
    std::vector<core::Problem> over{problem};
    note_replaced(over, facts);
    return over.front();
  };
  const core::HealthFacts::End refused{.failure = core::Failure{.cause = {.code = Errc::forbidden}}};
  const auto replaced = ended(failed, refused);
  CHECK(report::resolved(replaced) ==
        "the cycle now fails for another reason; before: listing request failed: HTTP 503");
  const auto notice = report::problem_notice(replaced, core::Stage::over, at("2026-11-18T08:00:00Z"));
  CHECK(core::notice_json(notice).find("resolved") == std::string::npos);
  CHECK(report::resolved(ended(failed, {.complete = true})).starts_with("resolved: "));
  CHECK(report::resolved(ended(failed, {.tried = true})).starts_with("resolved: "));
  CHECK(report::resolved(ended(cut, refused)).starts_with("resolved: "));
}

ServiceSettings settings() {
  ServiceSettings settings;
  settings.token_url = "https://login.example/TENANT/oauth2/v2.0/tokn";
  settings.base_url = "https://api.example:8443/";
  settings.listing_path = "/v1/list";
  return settings;
}

TEST_CASE("a failed request is named with its address, and a stop is left as it is") {
  const auto now = at("2026-11-18T08:00:00Z");
  const auto token =
      named(settings(), core::ServiceRequest::token, {.code = Errc::http_status, .detail = "HTTP 404"}, now);
  CHECK(token.detail == "token request to login.example/TENANT/oauth2/v2.0/tokn failed: HTTP 404");
  CHECK(token.why == "HTTP 404");
  CHECK(token.code == Errc::http_status);
  CHECK(core::request_of(token.subject) == core::ServiceRequest::token);
  const auto listing =
      named(settings(), core::ServiceRequest::listing, {Errc::unreachable, "api.example:8443: no route"}, now);
  CHECK(listing.detail == "listing request to api.example:8443/v1/list failed: no route");
  const base::Error stop{Errc::cancelled, "api.example:8443: stopped"};
  CHECK(named(settings(), core::ServiceRequest::listing, stop, now) == stop);
  base::Error old{Errc::tls, "login.example:443: certificate has expired"};
  old.diagnosis = base::Diagnosis::outside_its_time;
  CHECK(named(settings(), core::ServiceRequest::token, old, now)
            .detail.ends_with("failed: certificate has expired; this machine's clock says 2026-11-18T08:00:00Z"));
}

TEST_CASE("a web page in place of JSON is called one, whatever its status, and other answers stay as they are") {
  const base::Error error{Errc::protocol, "is not readable JSON"};
  const auto said = [&](int status, std::string type) {
    return in_place_of_json(error, {.status = status, .body = "", .content_type = std::move(type)});
  };
  CHECK(said(200, "text/html; charset=utf-8").detail ==
        "a web page (text/html), not JSON: a proxy or a login page answers");
  CHECK(said(502, "TEXT/HTML").detail.starts_with("HTTP 502 with a web page (text/html), not JSON"));
  CHECK(said(502, "text/html").code == error.code);
  CHECK(said(200, "application/json") == error);
  CHECK(said(200, "") == error);
}

TEST_CASE("the clocks are compared where something new was refused, and only a difference is said") {
  const base::Error error{Errc::link_refused, "the store answered HTTP 403"};
  const auto now = at("2026-11-18T10:00:00Z");
  CHECK(with_clocks(error, {}, now) == error);
  CHECK(with_clocks(error, at("2026-11-18T09:55:00Z"), now) == error);
  CHECK(with_clocks(error, at("2026-11-18T10:05:00Z"), now) == error);
  for (const auto* server : {"2026-11-18T08:00:00Z", "2026-11-18T12:00:00Z"}) {
    const auto logged = with_clocks(error, at(server), now);
    CHECK(logged.detail == "the store answered HTTP 403; the server's Date is " + std::string(server) +
                               ", this machine's clock says 2026-11-18T10:00:00Z: the clock may be wrong");
    CHECK(logged.diagnosis == base::Diagnosis::clock_differs);
  }
}

}  // namespace
}  // namespace vtmirror::agent
