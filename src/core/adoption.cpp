#include "vtmirror/core/adoption.hpp"

#include "core/by_name.hpp"
#include "core/file_name.hpp"
#include "vtmirror/base/text.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace vtmirror::core {
namespace {

constexpr std::string_view zip = ".zip";

std::string number(int value, std::size_t width) {
  auto text = std::to_string(value);
  return std::string(width - std::min(width, text.size()), '0') + text;
}

/// The name under which the service lists such a file (vtmirror-service(7) 2.2).
std::string usual_name(Kind kind, base::Date date) {
  const std::string word(name(kind));
  const int year = static_cast<int>(date.year());
  const auto month = static_cast<int>(static_cast<unsigned>(date.month()));
  const auto day = static_cast<int>(static_cast<unsigned>(date.day()));
  return "v1/public/" + word + "/year=" + std::to_string(year) + "/month=" + std::to_string(month) +
         "/day=" + std::to_string(day) + '/' + word + std::string(service_stem) + '_' + number(day, 2) + '-' +
         number(month, 2) + '-' + number(year, 4) + std::string(zip);
}

std::optional<NamedFile> read_leaf(std::string_view leaf) {
  const auto date = day_of_name(leaf);
  if (!date) return std::nullopt;
  for (const Kind kind : {Kind::bulk, Kind::delta})
    if (stem_of(leaf) == std::string(name(kind)) + std::string(service_stem)) return NamedFile{kind, *date};
  return std::nullopt;
}

/// Other systems make no difference between ".zip" and ".ZIP".
bool is_zip_name(std::string_view leaf) { return base::lower(leaf).ends_with(zip); }

/// What the mirror knows, by the last part of the names.
class Known {
 public:
  explicit Known(const Inventory& inventory)
      : listed_(inventory.calendar.files), records_(inventory.files), on_disk_(inventory.on_disk) {
    for (const auto& file : inventory.files) names_[std::string(base::leaf_of(file.name))] = file.name;
    for (const auto& file : inventory.calendar.files) names_[std::string(base::leaf_of(file.name))] = file.name;
  }

  std::string name_of(std::string_view leaf, const NamedFile& file) const {
    const auto known = names_.find(leaf);
    return known == names_.end() ? usual_name(file.kind, file.date) : known->second;
  }

  /// The size of the newest edition that was listed; empty if none was, or none could be read.
  std::optional<std::int64_t> listed_size(const std::string& name) const {
    const ListedFile* file = listed_.find(name);
    return file != nullptr && file->size > 0 ? std::optional(file->size) : std::nullopt;
  }

  const FileRecord* record(const std::string& name) const { return records_.find(name); }
  bool is_held(const FileRecord& record) const { return !loss(record, on_disk_.find(record.name)); }
  bool is_on_disk(const std::string& name) const { return on_disk_.contains(name); }
  bool is_changed(const std::string& name) const {
    const ListedFile* file = listed_.find(name);
    return file != nullptr && file->changed;
  }

 private:
  ByName<ListedFile> listed_;
  ByName<FileRecord> records_;
  ByName<LocalFile> on_disk_;
  std::map<std::string, std::string, std::less<>> names_;
};

enum class Claim { adopt, held, doubtful };
struct Judgement {
  Claim claim{};
  std::string why{};
};

Judgement judge_held(std::int64_t size, const FileRecord& record, std::optional<std::int64_t> listed) {
  if (size == record.size) return {Claim::held, {}};
  if (listed == size) return {Claim::adopt, {}};
  return {Claim::doubtful, "the mirror holds another edition of it (" + std::to_string(record.size) +
                               " bytes; this file has " + std::to_string(size) + ")"};
}

Judgement judge(const FolderFile& file, const std::string& name, const NamedFile& named, const Known& known,
                base::Date today) {
  if (!file.obstacle.empty()) return {Claim::doubtful, file.obstacle};
  if (!check_dates(file.path, named.date)) return {Claim::doubtful, "its directories name another day than it does"};
  if (named.date > today)
    return {Claim::doubtful, "its day is " + base::iso8601(named.date) + ", and by this machine's clock today is " +
                                 base::iso8601(today)};
  const auto listed = known.listed_size(name);
  const FileRecord* record = known.record(name);
  if (record != nullptr && known.is_held(*record)) return judge_held(file.size, *record, listed);
  if (record == nullptr && known.is_on_disk(name))
    return {
        Claim::doubtful,
        "a file of that name is in the mirror and not in the catalogue: `vtmirror sync` checks and adopts that one"};
  if (listed && *listed != file.size)
    return {Claim::doubtful, "the service lists it with " + std::to_string(*listed) + " bytes; this file has " +
                                 std::to_string(file.size)};
  return {Claim::adopt, {}};
}

/// The digest that bytes of a lost file must have to be the published ones.
std::string digest_of(const std::string& name, std::int64_t size, const Known& known) {
  const FileRecord* record = known.record(name);
  const bool same = record != nullptr && record->size == size && !known.is_changed(name);
  return same ? record->sha256 : std::string();
}

void leave_alone(AdoptionPlan& plan, const std::vector<std::pair<std::string, std::int64_t>>& files,
                 const std::string& name) {
  for (const auto& [path, size] : files) {
    std::string others;
    for (const auto& [other, other_size] : files)
      if (other != path) others += (others.empty() ? "" : ", ") + other;
    plan.doubtful.push_back(
        {path, name, "another file of that name has another size, and no listing says which is right: " + others});
  }
}

}  // namespace

std::string_view words(AdoptedBy how) noexcept {
  switch (how) {
    case AdoptedBy::link:
      return "hard-linked";
    case AdoptedBy::clone:
      return "copied without using more space";
    case AdoptedBy::copy:
      break;
  }
  return "copied";
}

bool has_service_name(std::string_view leaf) { return read_leaf(leaf).has_value(); }

AdoptionPlan adoption_plan(const std::vector<FolderFile>& files, const Inventory& inventory, base::Date today) {
  const Known known(inventory);
  AdoptionPlan plan;
  struct Wanted {
    NamedFile file;
    std::vector<std::pair<std::string, std::int64_t>> paths;
  };
  std::map<std::string, Wanted> wanted;
  for (const FolderFile& file : files) {
    if (file.is_directory) {
      plan.doubtful.push_back({file.path, {}, "what lies in it is not known: " + file.obstacle});
      continue;
    }
    const auto leaf = base::leaf_of(file.path);
    const auto named = read_leaf(leaf);
    if (!named && is_zip_name(leaf)) plan.unknown.push_back(file.path);
    if (!named && !is_zip_name(leaf)) ++plan.others;
    if (!named) continue;
    const std::string name = known.name_of(leaf, *named);
    const auto judgement = judge(file, name, *named, known, today);
    if (judgement.claim == Claim::held) plan.held.push_back({file.path, name});
    if (judgement.claim == Claim::doubtful) plan.doubtful.push_back({file.path, name, judgement.why});
    if (judgement.claim != Claim::adopt) continue;
    wanted[name].file = *named;
    wanted[name].paths.emplace_back(file.path, file.size);
  }
  for (const auto& [name, each] : wanted) {
    const auto size = each.paths.front().second;
    const bool same = std::ranges::all_of(each.paths, [size](const auto& path) { return path.second == size; });
    if (!same) {
      leave_alone(plan, each.paths, name);
      continue;
    }
    Adoptable file{.kind = each.file.kind, .name = name, .date = each.file.date, .size = size, .paths = {}};
    file.sha256 = digest_of(name, size, known);
    file.has_listed_size = known.listed_size(name) == size;
    for (const auto& path : each.paths) file.paths.push_back(path.first);
    plan.adopt.push_back(std::move(file));
  }
  std::ranges::sort(plan.adopt, {}, [](const Adoptable& file) { return std::tie(file.date, file.kind, file.name); });
  return plan;
}

}  // namespace vtmirror::core
