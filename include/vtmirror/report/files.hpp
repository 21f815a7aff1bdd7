// `vtmirror files`: what the mirror holds, one row for each file, as a table and as JSON.
// Never reads the mirror's disk: sizes and states are those of the catalogue.
#pragma once

#include "vtmirror/catalogue/catalogue.hpp"
#include "vtmirror/report/days.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::report {

/// A published file whose bytes on disk are not the published ones is `damaged`, one that is not on disk `lost`.
enum class FileState { held, damaged, lost, partial, quarantined };

struct FileRow {
  std::string name;
  std::optional<core::Kind> kind;  ///< empty for a quarantined file that is no longer listed
  std::optional<base::Date> date;
  std::int64_t size = 0;
  FileState state{};
  std::optional<base::Time> published_at;    ///< held, damaged or lost
  std::string sha256;                        ///< the same; empty if there is none
  std::int64_t durable = 0;                  ///< partial: bytes durably on disk
  std::string reason;                        ///< quarantined
  std::optional<base::Time> quarantined_at;  ///< quarantined
};

/// Published files by kind and date, then partial ones, then quarantined ones.
base::Result<std::vector<FileRow>> file_rows(const catalogue::Catalogue& catalogue);

std::string files_text(const std::vector<FileRow>& rows, std::size_t width, const UtcOffset& offset = {});
std::string files_json(const std::vector<FileRow>& rows);

}  // namespace vtmirror::report
