#include "control/request.hpp"

#include "fuzz/targets.hpp"

#include <boost/json/parse.hpp>

#include <string>

namespace vtmirror::fuzz {

namespace {

using Step = control::RequestReader::Step;

void check(const control::Request& request, const control::Limits& limits) {
  demand(!request.method.empty(), "a request has a method");
  demand(request.path.find('?') == std::string::npos, "a path ends before the query");
  demand(request.body.size() <= limits.body, "a body stays within its limit");
}

void check(const control::Answer& refusal) {
  demand(refusal.status >= 400 && refusal.status < 600, "a refusal has a status");
  boost::system::error_code bad;
  boost::json::parse(refusal.body, bad);
  demand(!bad, "a refusal is JSON");
  const auto text = control::text(refusal, false, control::Body::sent);
  demand(text.starts_with("HTTP/1.1 ") && text.ends_with(refusal.body), "a refusal can be sent");
}

/// The requests that were read, in a line each. What is refused may be refused earlier or later.
std::string read(std::string_view input, std::size_t piece) {
  const control::Limits limits;
  control::RequestReader reader(limits);
  std::string seen;
  const auto take = [&](Step step) {
    if (step == Step::request) {
      check(reader.request(), limits);
      seen += reader.request().method + " " + reader.request().path + "\n";
    }
    if (step == Step::refused) check(reader.refusal());
    if (step == Step::status_line) seen += "status\n";
    return step == Step::request;
  };
  for (std::size_t at = 0; at < input.size(); at += piece) {
    reader.add(input.substr(at, piece));
    auto step = reader.next();
    while (take(step)) step = reader.next();
    if (step != Step::more) return seen;
  }
  while (take(reader.next_at_end())) {
  }
  return seen;
}

}  // namespace

void request(std::string_view input) {
  const auto at_once = read(input, std::max<std::size_t>(input.size(), 1));
  const auto in_pieces = read(input, 5);
  demand(at_once == in_pieces, "a request in pieces is the same request");
}

}  // namespace vtmirror::fuzz
