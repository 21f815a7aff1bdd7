#include "simulator/fault.hpp"

#include "simulator/fields.hpp"

#include <boost/json/value.hpp>

#include <array>

namespace vtmirror::simulator {
namespace json = boost::json;
namespace {

constexpr std::array<std::string_view, 17> effects{
    "status",      "redirect", "html",         "close",           "delay_ms",   "cut_after",
    "stall_after", "rate",     "huge_header",  "no_length",       "etag",       "truncate_total",
    "wrong_total", "flip_at",  "ignore_range", "ignore_if_match", "wrong_range"};
constexpr std::size_t huge_header_size = 262'144;
constexpr std::string_view login_page =
    "<!DOCTYPE html>\n<html><head><title>Sign in</title></head>\n"
    "<body><h1>Sign in to the network</h1><form method=\"post\"><input name=\"user\"></form></body></html>\n";

std::string label_of(const json::object& object) {
  std::string label;
  for (const std::string_view effect : effects) {
    if (!object.contains(effect)) continue;
    if (!label.empty()) label += '+';
    label += effect;
  }
  return label;
}

void read_headers(Fields& fields, Headers& headers) {
  const json::value* value = fields.find("headers");
  if (value == nullptr) return;
  if (!value->is_object()) return fields.refuse("headers", "an object of strings");
  for (const auto& each : value->get_object()) {
    if (!each.value().is_string()) return fields.refuse("headers", "an object of strings");
    headers.emplace_back(each.key(), each.value().get_string());
  }
}

void read_effects(Fields& fields, Fault& fault) {
  fields.read("status", fault.status);
  read_headers(fields, fault.headers);
  fields.read("body", fault.body);
  fields.read("content_type", fault.content_type);
  fields.read("redirect", fault.redirect);
  fields.read("html", fault.html);
  fields.read("close", fault.close);
  fields.read("delay_ms", fault.delay_ms);
  fields.read("cut_after", fault.cut_after);
  fields.read("stall_after", fault.stall_after);
  fields.read("rate", fault.rate);
  fields.read("huge_header", fault.huge_header);
  fields.read("no_length", fault.no_length);
  fields.read("etag", fault.etag);
  fields.read("truncate_total", fault.truncate_total);
  fields.read("wrong_total", fault.wrong_total);
  fields.read("flip_at", fault.flip_at);
  fields.read("ignore_range", fault.ignore_range);
  fields.read("ignore_if_match", fault.ignore_if_match);
  fields.read("wrong_range", fault.wrong_range);
}

}  // namespace

Fault echoing(Fault fault, const Echoes& echoes) {
  const auto fill = [&echoes](std::string& text) {
    for (const auto& [word, value] : echoes)
      for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + value.size()))
        text.replace(at, word.size(), value);
  };
  for (auto* text : {&fault.body, &fault.redirect, &fault.etag})
    if (*text) fill(**text);
  for (auto& header : fault.headers) fill(header.second);
  fill(fault.content_type);
  return fault;
}

base::Result<Fault> read_fault(const json::object& object) {
  Fault fault;
  Fields fields(object);
  fields.read("at", fault.at);
  fields.read("match", fault.match);
  fields.read("skip", fault.skip);
  fields.read("times", fault.times);
  read_effects(fields, fault);
  fault.label = label_of(object);
  if (fault.at && *fault.at != "api" && *fault.at != "issuer" && *fault.at != "store") {
    fields.refuse("at", "\"api\", \"issuer\" or \"store\"");
  }
  if (fault.label.empty()) fields.refuse("faults", "an effect in each fault");
  if (fault.rate && *fault.rate == 0) fields.refuse("rate", "more than 0");
  const auto finished = fields.finish();
  if (!finished) return finished.error();
  return fault;
}

base::Result<std::vector<Fault>> read_faults(const json::array& array) {
  std::vector<Fault> faults;
  for (const json::value& each : array) {
    if (!each.is_object()) return base::Error{base::Errc::config, "\"faults\" must be an array of objects"};
    auto fault = read_fault(each.get_object());
    if (!fault) return fault.error();
    faults.push_back(std::move(*fault));
  }
  return faults;
}

FaultList::FaultList(std::vector<Fault> faults) {
  for (Fault& fault : faults) armed_.push_back({.fault = std::move(fault)});
}

std::optional<Fault> FaultList::next(At at, std::string_view path) {
  for (Armed& armed : armed_) {
    const Fault& fault = armed.fault;
    if (fault.at && *fault.at != name(at)) continue;
    if (path.find(fault.match) == std::string_view::npos) continue;
    const std::uint64_t met = armed.met++;
    if (met < fault.skip) continue;
    if (fault.times == 0 || met - fault.skip < fault.times) return fault;
  }
  return std::nullopt;
}

std::optional<Answer> replacement(const Fault& fault) {
  Answer answer;
  if (fault.close) {
    answer.delivery.no_answer = true;
  } else if (fault.html) {
    answer = text_answer(200, "text/html; charset=utf-8", std::string(login_page));
  } else if (fault.redirect) {
    answer.status = 302;
    answer.headers.emplace_back("Location", *fault.redirect);
  } else if (fault.status) {
    answer = text_answer(*fault.status, fault.content_type, fault.body.value_or(""));
  } else {
    return std::nullopt;
  }
  answer.headers.insert(answer.headers.end(), fault.headers.begin(), fault.headers.end());
  return answer;
}

void misbehave(const Fault& fault, Answer& answer) {
  answer.fault = fault.label;
  answer.delivery.delay = std::chrono::milliseconds(fault.delay_ms.value_or(0));
  answer.delivery.cut_after = fault.cut_after;
  answer.delivery.stall_after = fault.stall_after;
  answer.delivery.rate = fault.rate;
  answer.delivery.chunked = fault.no_length;
  if (fault.huge_header) answer.headers.emplace_back("X-Padding", std::string(huge_header_size, 'x'));
}

}  // namespace vtmirror::simulator
