#include "simulator/service.hpp"

#include "simulator/calendar.hpp"
#include "simulator/fields.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace vtmirror::simulator {

namespace json = boost::json;
namespace {

constexpr std::uint64_t largest_digest = 256'000'000;  // a larger file's digest takes longer than a test waits

Answer json_answer(int status, const json::object& object) {
  return text_answer(status, "application/json", json::serialize(object) + "\n");
}

Answer done() { return json_answer(200, {{"ok", true}}); }

Answer refuse(const base::Error& error) { return json_answer(400, {{"error", error.detail}}); }

Answer set_date(State& state, const Request& request) {
  const auto object = parse_object(request.body);
  if (!object) return refuse(object.error());
  std::string text;
  Fields fields(*object);
  fields.read("date", text);
  if (const auto read = fields.finish(); !read) return refuse(read.error());
  const auto date = base::parse_date(text);
  if (!date) return refuse(date.error());
  state.today = *date;
  return done();
}

Answer set_script(State& state, const Request& request) {
  auto script = merge(state.script, request.body);
  if (!script) return refuse(script.error());
  const auto object = parse_object(request.body);
  if (object->contains("faults")) state.faults = FaultList(script->faults);
  state.script = std::move(*script);
  return done();
}

Answer expire_links(State& state) {
  ++state.link_key.epoch;
  return done();
}

Answer expire_tokens(State& state, base::Time now) {
  for (auto& [token, expires] : state.tokens) expires = std::min(expires, now);
  return done();
}

/// What a client must never reveal: every secret, key and token that was ever valid.
Answer list_secrets(const State& state) {
  json::array secrets;
  for (const auto& secret : state.identity.client_secrets) secrets.emplace_back(secret);
  secrets.emplace_back(state.identity.api_key);
  for (const auto& [token, expires] : state.tokens) secrets.emplace_back(token);
  return json_answer(200, {{"secrets", std::move(secrets)}});
}

Answer list_files(State& state) {
  json::object files;
  for (const File& file : listed_files(state.script, state.today)) {
    json::object about;
    about["size"] = file.recipe.bytes;
    about["sha256"] = nullptr;
    if (file.recipe.bytes <= largest_digest) about["sha256"] = state.shelf.sha256(file.recipe);
    files[file.name] = std::move(about);
  }
  return json_answer(200, files);
}

}  // namespace

Answer answer_control(State& state, const Request& request, base::Time now) {
  const std::string what = request.method + " " + request.path;
  if (what == "POST /date") return set_date(state, request);
  if (what == "POST /script") return set_script(state, request);
  if (what == "POST /expire_links") return expire_links(state);
  if (what == "POST /expire_tokens") return expire_tokens(state, now);
  if (what == "GET /files") return list_files(state);
  if (what == "GET /secrets") return list_secrets(state);
  return json_answer(404, {{"error", "no such command: " + what}});
}

}  // namespace vtmirror::simulator
