#include "vtmirror/core/files.hpp"

#include <algorithm>

namespace vtmirror::core {

std::string_view name(Condition condition) noexcept {
  switch (condition) {
    case Condition::whole:
      return "whole";
    case Condition::damaged:
      return "damaged";
    case Condition::lost:
      break;
  }
  return "lost";
}

bool probe_is_due(const FileRecord& file, base::Time now) {
  using std::chrono::days;
  using std::chrono::floor;
  if (file.condition != Condition::whole) return false;
  return floor<days>(file.probed_at) != floor<days>(now);
}

namespace {

bool is_accepted(const ListedFile& file) { return file.listed && file.refused.empty(); }

}  // namespace

std::vector<Listed> listed_files(const Calendar& calendar) {
  std::vector<Listed> listed;
  for (const auto& file : calendar.files)
    if (is_accepted(file)) listed.push_back({file.kind, file.name, file.date, file.size});
  return listed;
}

bool is_listed(const Calendar& calendar, std::string_view name) {
  return std::ranges::any_of(calendar.files, [&](const auto& file) { return file.name == name && is_accepted(file); });
}

Stock stock_of(const std::vector<FileRecord>& files) {
  Stock stock;
  for (const auto& file : files) {
    if (file.condition == Condition::lost) stock.gone.push_back(file.name);
    (file.condition == Condition::whole ? stock.held : stock.lost)
        .push_back({file.kind, file.name, file.date, file.size, file.sha256, file.since});
  }
  return stock;
}

}  // namespace vtmirror::core
