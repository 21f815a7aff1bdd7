#include "vtmirror/core/request.hpp"
#include "vtmirror/report/advice.hpp"

#include <doctest/doctest.h>

#include <string>

namespace vtmirror::report {
namespace {

using base::Errc;

struct Row {
  std::string request;
  Errc code;
  int status;
  std::string found;  ///< the service's code, or the name of a diagnosis
  std::string advice;
};

std::string advised(const Row& row) {
  base::Error error{.code = row.code, .detail = "why", .status = row.status};
  error.diagnosis = base::diagnosis_of(row.found);
  if (error.diagnosis == base::Diagnosis::none) error.service_code = row.found;
  error.subject = row.request;
  return advice(core::cause_of(error));
}

const std::string token = "token request";
const std::string listing = "listing request";

TEST_CASE("advice on a catalogue that cannot be used names its file, and not who used it: it may be an older one") {
  CHECK(advice(Errc::catalogue) == "check the file that mirror.catalogue names");
}

TEST_CASE("each failure of a request names the settings that it was made of, and no others") {
  for (const auto& row : {
           Row{token, Errc::http_status, 404, "", "check service.token_url"},
           Row{listing, Errc::http_status, 404, "", "check service.base_url and service.listing_path"},
           Row{token, Errc::unreachable, 0, "",
               "check service.token_url, this machine's network and DNS, and service.proxy"},
           Row{listing, Errc::timed_out, 0, "",
               "check service.base_url, this machine's network and DNS, and service.proxy"},
           Row{token, Errc::http_status, 400, "invalid_scope", "check service.scope"},
           Row{token, Errc::http_status, 400, "unauthorized_client",
               "check credentials.client_id, and the tenant in service.token_url"},
           Row{token, Errc::protocol, 0, "web_page",
               "check service.token_url and service.proxy, and whether this network wants a login"},
           Row{listing, Errc::tls, 0, "other_host",
               "check the host in service.base_url; if it is right, a proxy answers in its place"},
           Row{listing, Errc::http_status, 407, "", "the proxy asks for a login: check service.proxy"},
           Row{token, Errc::unreachable, 0, "proxy_failed",
               "check service.proxy (or HTTPS_PROXY in the environment), and that the proxy runs and allows this host"},
           Row{listing, Errc::unreachable, 0, "proxy_login",
               "the proxy asks for a login: set service.proxy to http://USER:PASSWORD@HOST:PORT, with its user and "
               "password"},
           Row{listing, Errc::http_status, 403, "",
               "check the file of the API key (credentials.api_key_file), service.base_url and service.listing_path"},
           Row{listing, Errc::http_status, 502, "",
               "no action needed: it is tried again; if the error stays, report it to the service"},
           Row{token, Errc::rate_limited, 503, "",
               "no action needed: it is tried again; if it continues, ask the operator of the token issuer "
               "(service.token_url)"},
           Row{listing, Errc::rate_limited, 503, "",
               "no action needed: it is tried again; if it continues, ask the service"},
           Row{listing, Errc::rate_limited, 429, "RL-01",
               "the day's quota of requests is used up; the service may block the key for 24 hours"},
           Row{listing, Errc::unauthorised, 403, "clock_differs",
               "set this machine's clock, and keep it right by NTP (`timedatectl status`)"},
           Row{listing, Errc::unauthorised, 401, "",
               "check that service.scope, service.token_url and service.base_url belong together"},
           Row{listing, Errc::protocol, 0, "",
               "check service.base_url and service.listing_path; if they are right, report it to the service"},
       }) {
    CAPTURE(row.found);
    CAPTURE(row.status);
    CHECK(advised(row) == row.advice);
  }
}

TEST_CASE("what fails by hand is not said to be tried again") {
  const auto by_hand = [](const std::string& request, Errc code, int status, const std::string& found = {}) {
    base::Error error{.code = code, .detail = "why", .status = status, .subject = request};
    error.service_code = found;
    const auto cause = core::cause_of(error);
    CHECK(is_to_wait_for(cause));
    return advice(cause, Again::by_hand);
  };
  CHECK(by_hand(listing, Errc::rate_limited, 503) == "run this again later; if it continues, ask the service");
  CHECK(by_hand(listing, Errc::http_status, 500) ==
        "run this again later; if the error stays, report it to the service");
  CHECK(by_hand(listing, Errc::rate_limited, 429) ==
        "run this again later; check that nothing else uses the same client ID and API key so often");
  CHECK(
      by_hand(listing, Errc::rate_limited, 429, "RL-01") ==
      "the day's quota of requests is used up; the service may block the key for 24 hours; run this again after that");
  CHECK(by_hand("", Errc::empty_listing, 0) ==
        "run this again later; if the listing stays empty, report it to the service");
  CHECK_FALSE(is_to_wait_for({.code = Errc::rate_limited, .subject = "a.zip", .status = 503}));
}

TEST_CASE("a certificate of an unknown authority, for another host, or out of its time has an advice each") {
  const auto why = [](const std::string& found) { return advised({token, Errc::tls, 0, found, ""}); };
  CHECK(why("unknown_authority").find("service.ca_file") != std::string::npos);
  CHECK(why("unknown_authority").find("clock") == std::string::npos);
  CHECK(why("outside_its_time").find("clock") != std::string::npos);
  CHECK(why("outside_its_time").find("ca_file") == std::string::npos);
  CHECK(why("other_host").find("the host in service.token_url") != std::string::npos);
  CHECK(why("") == "check service.token_url and service.ca_file");
}

TEST_CASE("a failed request that stopped a file is advised on as that request") {
  base::Error error{.code = Errc::http_status, .detail = "why", .status = 404};
  error.subject = listing;
  CHECK(advice(core::cause_of(error, "v1/a.zip")) == "check service.base_url and service.listing_path");
}

TEST_CASE("a lack of open files is advised on as one, whatever could not be opened for it") {
  const base::Error file{.code = Errc::io, .detail = "v1/a.zip: cannot open", .diagnosis = base::Diagnosis::open_files};
  for (const auto& cause : {core::cause_of(file), core::cause_of(file, "v1/a.zip")}) {
    const auto text = advice(cause);
    CAPTURE(text);
    CHECK(text.find("LimitNOFILE=") != std::string::npos);
    CHECK(text.find("check the disk") == std::string::npos);
  }
  CHECK(advised({listing, Errc::unreachable, 0, "open_files", ""}).find("LimitNOFILE=") != std::string::npos);
  CHECK(advised({listing, Errc::unreachable, 0, "open_files_of_machine", ""}).find("fs.file-max") != std::string::npos);
}

TEST_CASE("what was found out is advised on before the code that came with it") {
  base::Error error{.code = Errc::unauthorised, .detail = "why", .status = 403, .service_code = "NF-02"};
  error.subject = listing;
  error.diagnosis = base::Diagnosis::clock_differs;
  CHECK(advice(core::cause_of(error)).starts_with("set this machine's clock"));
  CHECK(advice(Errc::unauthorised, "clock_differs").starts_with("set this machine's clock"));
  CHECK(advice(Errc::unauthorised, "NF-02") == "check service.base_url and service.listing_path");
}

TEST_CASE("the store's failures blame neither the service's addresses nor, without reason, the clock") {
  for (const auto code : {Errc::unreachable, Errc::timed_out, Errc::protocol, Errc::link_refused, Errc::rate_limited}) {
    const auto text = advice(core::Cause{.code = code, .subject = "v1/a.zip", .status = 403});
    CAPTURE(text);
    CHECK(text.find("[service]") == std::string::npos);
    CHECK(text.find("clock") == std::string::npos);
  }
  const auto late = advice(core::Cause{
      .code = Errc::link_refused, .subject = "v1/a.zip", .status = 403, .fields = {{"service_code", "clock_differs"}}});
  CHECK(late.starts_with("set this machine's clock"));
}

}  // namespace
}  // namespace vtmirror::report
