// Decides which files of a folder the mirror adopts: which listed file each of them is, which are held already, and
// which are doubtful and why. Pure: reads no file.
// Never chooses between two files of one name unless their sizes or their bytes show which one is right.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/core/reconcile.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::core {

/// A file below the folder; its path is relative to the folder.
struct FolderFile {
  std::string path;
  std::int64_t size = 0;
  std::string obstacle{};     ///< why it cannot be read ("it is a symlink, which is not followed"); empty if it can
  bool is_directory = false;  ///< that cannot be read; others are not among the files
};

/// How a file's bytes came into the mirror.
enum class AdoptedBy { link, clone, copy };
/// "hard-linked"
std::string_view words(AdoptedBy how) noexcept;

/// A file of the service that the folder has: once, or several times with the same size. If there are several, they are
/// adopted only if their bytes are the same.
struct Adoptable {
  Kind kind{};
  std::string name;  ///< as the service lists it
  base::Date date{};
  std::int64_t size = 0;
  std::string sha256{};  ///< that the bytes must have; empty if that is not known
  bool has_listed_size = false;
  std::vector<std::string> paths;
  friend bool operator==(const Adoptable&, const Adoptable&) = default;
};

/// A file that stays where it is, and why.
struct LeftAlone {
  std::string path;
  std::string name;  ///< as the service lists it
  std::string why{};
  friend bool operator==(const LeftAlone&, const LeftAlone&) = default;
};

struct AdoptionPlan {
  std::vector<Adoptable> adopt;     ///< by date, a bulk file before that day's delta
  std::vector<LeftAlone> held;      ///< already, with the same size
  std::vector<LeftAlone> doubtful;  ///< with the reason
  /// ZIP files whose name is not one that the service uses, and the number of all other files.
  std::vector<std::string> unknown;
  int others = 0;
  friend bool operator==(const AdoptionPlan&, const AdoptionPlan&) = default;
};

/// Whether that is the last part of a name that the service uses: no other file is adopted.
bool has_service_name(std::string_view leaf);

/// - A file is known by its own name ("delta-light-vehicle_16-11-2026.zip"), in whatever directory it lies; if the
///   directories are the service's, their date must agree.
/// - A file of a day after `today` is doubtful: the service has none yet.
/// - A file that is not held must have the size that is listed, or was listed last. Without a listing any size will do:
///   the next cycle compares.
/// - A held file is replaced only by one of the listed size, if it has another size itself.
/// - Of files of one name and different sizes, none is adopted, unless one has the listed size.
AdoptionPlan adoption_plan(const std::vector<FolderFile>& files, const Inventory& inventory, base::Date today);

}  // namespace vtmirror::core
