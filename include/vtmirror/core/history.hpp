// Past cycles, and the changes that they made to the public files. Only values. Also how a cycle ended.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/core/cause.hpp"
#include "vtmirror/core/listing.hpp"
#include "vtmirror/core/schedule.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::core {

enum class Outcome { complete, partial, failed };
std::string_view name(Outcome outcome) noexcept;
std::optional<Outcome> outcome_of(std::string_view name) noexcept;

struct CycleRecord {
  std::int64_t id = 0;
  base::Time started{};
  std::optional<base::Time> finished;  ///< empty if it was cut off (killed, power cut)
  Outcome outcome = Outcome::failed;
  int files = 0;                     ///< published in it
  std::int64_t bytes = 0;            ///< downloaded in it
  std::optional<Failure> failure{};  ///< the first one; empty when complete
  /// What failed in it. Empty if it did not get that far; an earlier cycle's failures stay then. Not part of `history`.
  std::optional<std::vector<Failure>> failures{};
  TriedWith with{};
  std::optional<base::Time> not_before{};  ///< if the service asked for no request before then (Retry-After)
};

enum class ChangeKind {
  published,
  superseded,
  removed,
  /// The only entry: this mirror does not know the requested generation, or no longer knows what followed it. A
  /// consumer loads the chain again, from the bulk file.
  reset,
};
std::string_view name(ChangeKind kind) noexcept;
std::optional<ChangeKind> change_kind(std::string_view name) noexcept;

/// An edition of a file.
struct FileEdition {
  base::Date date{};
  std::int64_t size = 0;
  std::string sha256;  ///< empty if no digest was made
  friend bool operator==(const FileEdition&, const FileEdition&) = default;
};

struct Change {
  std::int64_t generation = 0;
  ChangeKind kind{};
  std::string name;
  base::Time at{};
  Kind file_kind{};
  FileEdition file{};                   ///< the edition that was published, superseded or removed
  std::optional<FileEdition> before{};  ///< for `published`: the edition that it replaced
  std::string session{};                ///< for `reset`, which is of no file: of that generation, if there is one yet
};

/// How a cycle ended, for the terminal, the history and the channels. A value.
struct CycleReport {
  Outcome outcome = Outcome::failed;
  bool stopped = false;    ///< it was asked to stop before its end: not a failure; the next start continues it
  int files = 0;           ///< published
  std::int64_t bytes = 0;  ///< downloaded
  int refused = 0;         ///< entries of the listing that failed its checks
  int removed = 0;         ///< files of older chains
  std::int64_t removed_bytes = 0;
  base::Milliseconds took{};
  std::vector<Failure> failures{};  ///< in order of occurrence; empty when complete
};

/// Why the cycle is not complete: that it was stopped, or its first failure. Empty if it is complete.
std::optional<Failure> failure(const CycleReport& report);

/// The failure for an error; `subject` is the file's name, or empty if the error is not about a file.
Failure failure_of(const base::Error& error, std::string subject);

}  // namespace vtmirror::core
