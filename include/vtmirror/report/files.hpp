// `vtmirror files`: what the mirror holds, one row for each file, as a table and as JSON. Also the days that the
// files cover.
#pragma once

#include "vtmirror/catalogue/catalogue.hpp"
#include "vtmirror/core/chain.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::report {

enum class FileState { held, partial, quarantined };

struct FileRow {
  std::string name;
  std::optional<core::Kind> kind;  ///< empty for a quarantined file that is no longer listed
  std::optional<base::Date> date;
  std::int64_t size = 0;
  FileState state{};
  std::optional<base::Time> published_at;    ///< held
  std::string sha256;                        ///< held; empty if there is none
  std::int64_t durable = 0;                  ///< partial: bytes durably on disk
  std::string reason;                        ///< quarantined
  std::optional<base::Time> quarantined_at;  ///< quarantined
};

/// Held files by kind and date, then partial ones, then quarantined ones.
base::Result<std::vector<FileRow>> file_rows(const catalogue::Catalogue& catalogue);

std::string files_text(const std::vector<FileRow>& rows, std::size_t width);
std::string files_json(const std::vector<FileRow>& rows);

/// `vtmirror coverage`: the chain to load, the days it covers, and what is missing and why.
struct Coverage {
  core::Chain chain;
  std::optional<base::Time> listed_at;             ///< empty: the service was never listed
  std::map<std::string, std::string> why_missing;  ///< by name: "41% downloaded", "quarantined: ..."
};

base::Result<Coverage> coverage_of(const catalogue::Catalogue& catalogue);

std::string coverage_text(const Coverage& coverage, std::size_t width);
/// The manifest's object without the members of a generation, and with `listed_at`.
std::string coverage_json(const Coverage& coverage);

}  // namespace vtmirror::report
