// Which held files a user means by the words of a command line.
// Promises that a word never stands for a file that it does not name exactly: what is only near is suggested, and
// nothing is chosen among several. Never looks at a disk.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/core/files.hpp"

#include <span>
#include <string>
#include <vector>

namespace vtmirror::core {

/// A word that does not name one file.
struct UnmatchedWord {
  std::string word;
  std::vector<std::string> several{};  ///< the names of the files that it could mean; empty if there are none
  std::string near{};                  ///< a word that names a file and is like this one; empty if none is
  friend bool operator==(const UnmatchedWord&, const UnmatchedWord&) = default;
};

/// For people: what is wrong with the word, and what to give instead. Without a full stop.
std::string sentence(const UnmatchedWord& word);

struct FileSelection {
  std::vector<FileRecord> files;  ///< in the order of the words, each file once
  std::vector<UnmatchedWord> unmatched{};
};

/// A word is one of these, and the first that fits counts:
/// - a file's whole name, which is its path below the mirror's directory
/// - `bulk`: the newest bulk file
/// - a day, such as 2026-11-16: the delta of that day
/// - the last part of a file's name
/// - what messages call the file, such as "delta 16 Nov"
/// Without words, all files are selected, in their order. The files' condition does not matter: a file that is lost or
/// damaged can be selected.
FileSelection select_files(std::span<const FileRecord> held, std::span<const std::string> words);

/// The files that the words select. Errc::config, with a sentence a word and where the names are found, if one of them
/// does not name one file.
base::Result<std::vector<FileRecord>> selected_files(std::span<const FileRecord> held,
                                                     std::span<const std::string> words);

}  // namespace vtmirror::core
