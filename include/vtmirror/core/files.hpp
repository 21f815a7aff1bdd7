// The files on record: public, unfinished, quarantined, and those of the last listing.
// Only values. They never hold a link.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/core/cause.hpp"
#include "vtmirror/core/chain.hpp"
#include "vtmirror/core/listing.hpp"
#include "vtmirror/core/pieces.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::core {

/// What is known of a published file's bytes on disk.
enum class Condition {
  whole,
  damaged,  ///< there, and not the bytes that were published
  lost,     ///< not there
};
std::string_view name(Condition condition) noexcept;

/// An edition of a file that is published: the catalogue's record of it.
struct FileRecord {
  Kind kind{};
  std::string name;
  base::Date date{};
  std::int64_t size = 0;
  std::string sha256;
  std::string etag;
  base::Time published_at{};
  std::int64_t since = 0;  ///< the generation in which it became public
  Condition condition = Condition::whole;
  base::Time probed_at{};  ///< when the store was last asked for its ETag; of a new edition, when it was published
  base::Time read_at{};    ///< when all of it was last read and was right; of a new edition, when it was published
  friend bool operator==(const FileRecord&, const FileRecord&) = default;
};

/// What was found when a public file was read again.
struct Damage {
  std::string name;
  Condition condition{};
  Cause cause;  ///< without a subject
  base::Time found_at{};
  friend bool operator==(const Damage&, const Damage&) = default;
};

/// True if the store was not asked today (UTC) whether it still has the bytes that are held. False for a file that is
/// not whole: it is downloaded again anyway.
bool probe_is_due(const FileRecord& file, base::Time now);

/// An unfinished file: which of its bytes are durable, and which object they belong to.
struct PartialRecord {
  std::string name;
  Kind kind{};
  base::Date date{};
  std::int64_t size = 0;
  std::string etag{};  ///< empty until the store has sent one
  RangeSet durable{};
  /// Set when every byte has been checked and only the rename and the publication remain; `sha256` is then the digest.
  bool verified = false;
  std::string sha256{};
};

/// A file in whose check the process has died this often is quarantined without another check.
inline constexpr int deadly_checks = 3;
/// After this long, about once a day, one more check is allowed: the cause may be over.
inline constexpr std::chrono::hours deadly_check_rest{20};

/// A refused file in the quarantine.
struct QuarantinedFile {
  std::string name;
  std::int64_t size = 0;
  Cause cause;  ///< why it was refused; without a subject
  base::Time at{};
  std::optional<base::Time> left_at{};  ///< when it left the listing; empty while it is listed
};

/// A listed file for which the disk has no room.
struct Unfit {
  std::string name;
  std::int64_t needed = 0;  ///< bytes of free space that it takes
  std::int64_t free = 0;    ///< bytes left for it beside the reserve; negative if the reserve itself is in use
  std::int64_t reserve = 0;
  friend bool operator==(const Unfit&, const Unfit&) = default;
};

/// What the service said so far, without its links.
struct StoredListing {
  base::Time at{};  ///< of the newest usable answer
  Calendar calendar;
};

/// The accepted files of the newest listing.
std::vector<Listed> listed_files(const Calendar& calendar);
/// Whether that file is one of them, so that it can be downloaded.
bool is_listed(const Calendar& calendar, std::string_view name);

/// What is whole on disk, and what is not, as chains are made of them.
struct Stock {
  std::vector<Held> held;
  std::vector<Held> lost;           ///< damaged ones among them
  std::vector<std::string> gone{};  ///< of `lost`, those that take up no space
};
Stock stock_of(const std::vector<FileRecord>& files);

/// What a manifest says of itself.
struct Edition {
  std::string session;          ///< only generations of the same session can be compared
  std::int64_t generation = 0;  ///< 0: nothing was ever published
  base::Time at{};              ///< of that generation
};

}  // namespace vtmirror::core
