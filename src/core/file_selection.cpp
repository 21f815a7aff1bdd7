#include "vtmirror/core/file_selection.hpp"

#include "vtmirror/base/text.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

namespace vtmirror::core {
namespace {

constexpr std::string_view newest_bulk = "bulk";

using Held = std::span<const FileRecord>;
using Found = std::vector<const FileRecord*>;

template <class Matches>
Found files_where(Held held, Matches matches) {
  Found found;
  for (const auto& file : held)
    if (matches(file)) found.push_back(&file);
  return found;
}

/// Several bulk files of one day are all newest.
Found newest_bulks(Held held) {
  std::optional<base::Date> newest;
  for (const auto& file : held)
    if (file.kind == Kind::bulk && (!newest || file.date > *newest)) newest = file.date;
  return files_where(held, [&](const FileRecord& file) { return file.kind == Kind::bulk && file.date == newest; });
}

Found deltas_of(Held held, base::Date day) {
  return files_where(held, [&](const FileRecord& file) { return file.kind == Kind::delta && file.date == day; });
}

/// No file is called like a keyword or a day unless its whole name is that word.
Found meant_by(Held held, std::string_view word) {
  auto found = files_where(held, [&](const FileRecord& file) { return file.name == word; });
  if (!found.empty()) return found;
  if (word == newest_bulk) return newest_bulks(held);
  if (const auto day = base::parse_date(word)) return deltas_of(held, *day);
  found = files_where(held, [&](const FileRecord& file) { return base::leaf_of(file.name) == word; });
  if (!found.empty()) return found;
  return files_where(held, [&](const FileRecord& file) { return short_name(file.name) == word; });
}

/// Of a day without a delta: the bulk file of that day, or else the nearest day that has one.
std::string near_day(Held held, base::Date day) {
  const FileRecord* best = nullptr;
  const auto distance = [&](const FileRecord& file) { return std::abs(base::days_between(file.date, day)); };
  for (const auto& file : held) {
    if (file.kind == Kind::bulk && file.date == day) return std::string(base::leaf_of(file.name));
    if (file.kind == Kind::delta && (best == nullptr || distance(file) < distance(*best))) best = &file;
  }
  return best == nullptr ? std::string() : base::iso8601(best->date);
}

/// "26 Nov" and "26-11-2026" are parts of what files are called.
std::string near_part(Held held, std::string_view word) {
  constexpr std::size_t enough = 5;
  if (word.size() < enough) return {};
  for (const auto& file : held) {
    const bool is_part =
        base::leaf_of(file.name).find(word) != std::string_view::npos || short_name(file.name).ends_with(word);
    if (is_part && file.kind == Kind::delta) return base::iso8601(file.date);
  }
  return {};
}

std::string near_word(Held held, std::string_view word) {
  if (const auto day = base::parse_date(word)) return near_day(held, *day);
  if (auto part = near_part(held, word); !part.empty()) return part;
  std::vector<std::string> known;
  for (const auto& file : held) {
    known.push_back(file.kind == Kind::bulk ? std::string(newest_bulk) : base::iso8601(file.date));
    known.emplace_back(base::leaf_of(file.name));
    known.push_back(short_name(file.name));
    known.push_back(file.name);
  }
  const std::vector<std::string_view> views(known.begin(), known.end());
  return std::string(base::nearest(word, views));
}

}  // namespace

std::string sentence(const UnmatchedWord& unmatched) {
  const auto word = base::printable(unmatched.word, 120);
  if (unmatched.several.empty()) {
    const auto text = "the mirror holds no file that is called " + word;
    return unmatched.near.empty() ? text : text + "; did you mean " + unmatched.near + '?';
  }
  std::string text = word + " could be any of several files; give the whole name of one:";
  for (const auto& name : unmatched.several) text += "\n  " + name;
  return text;
}

FileSelection select_files(std::span<const FileRecord> held, std::span<const std::string> words) {
  if (words.empty()) return {.files = {held.begin(), held.end()}};
  FileSelection selection;
  for (const auto& word : words) {
    const auto found = meant_by(held, word);
    if (found.size() == 1) {
      const auto& file = *found.front();
      const auto same = [&](const FileRecord& other) { return other.name == file.name; };
      if (std::none_of(selection.files.begin(), selection.files.end(), same)) selection.files.push_back(file);
      continue;
    }
    UnmatchedWord unmatched{.word = word};
    for (const auto* file : found) unmatched.several.push_back(file->name);
    if (found.empty()) unmatched.near = near_word(held, word);
    selection.unmatched.push_back(std::move(unmatched));
  }
  return selection;
}

base::Result<std::vector<FileRecord>> selected_files(std::span<const FileRecord> held,
                                                     std::span<const std::string> words) {
  auto selection = select_files(held, words);
  if (selection.unmatched.empty()) return std::move(selection.files);
  std::string wrong;
  for (const auto& word : selection.unmatched) wrong += sentence(word) + '\n';
  return base::Error{.code = base::Errc::config, .detail = wrong + "see `vtmirror files`"};
}

}  // namespace vtmirror::core
