#include "mirror/lock_text.hpp"

#include "vtmirror/base/text.hpp"

#include <sstream>
#include <vector>

namespace vtmirror::mirror {
namespace {

constexpr std::string_view name_of_unknown = "unknown";

/// The order of the enumerators.
constexpr std::string_view names[] = {name_of_unknown, "run",  "sync", "verify",   "adopt",
                                      "prune",         "next", "ack",  "consumers"};

Holder holder_named(std::string_view word) noexcept {
  for (std::size_t i = 1; i < std::size(names); ++i)
    if (names[i] == word) return static_cast<Holder>(i);
  return Holder::unknown;
}

/// "sync 4711 TIME"; of "vtmirror sync, process 4711, since TIME" the second, the fourth and the last word.
std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> words;
  std::istringstream all{std::string(line)};
  for (std::string word; all >> word;) words.push_back(word.substr(0, word.find(',')));
  if (words.size() == 6 && words.front() == "vtmirror") return {words[1], words[3], words[5]};
  return words;
}

}  // namespace

std::string_view name(Holder holder) noexcept { return names[static_cast<std::size_t>(holder)]; }

Holder holder_of(const base::Error& error) noexcept {
  return error.code == base::Errc::locked ? holder_named(error.subject) : Holder::unknown;
}

std::string written(const LockText& text) {
  return std::string(name(text.holder)) + ' ' + std::to_string(text.process) + ' ' + base::iso8601(text.since) + '\n';
}

std::optional<LockText> read_lock_text(std::string_view line) {
  const auto fields = fields_of(line);
  if (fields.size() != 3) return std::nullopt;
  const auto process = base::parse_int(fields[1]);
  const auto since = base::parse_time(fields[2]);
  if (!process || !since) return std::nullopt;
  return LockText{.holder = holder_named(fields[0]), .process = *process, .since = *since};
}

std::string in_words(const std::optional<LockText>& text) {
  if (!text) return "another process";
  const auto command =
      text->holder == Holder::unknown ? std::string() : "vtmirror " + std::string(name(text->holder)) + ", ";
  return command + "process " + std::to_string(text->process) + ", since " + base::iso8601(text->since);
}

}  // namespace vtmirror::mirror
