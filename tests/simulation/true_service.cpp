#include "simulation/true_service.hpp"

#include <algorithm>
#include <iterator>

namespace vtmirror::test {

void TrueService::begin(int number) {
  truth_[number - 1] = 1;
  waiting_[number - 1] = 1;
  if (!rolls_over(number)) return;
  next_bulk_ = number + 7;
  for (auto& [name, file] : exports_) file.listed = false;
  previous_ = bulk_;
  auto& next = add(core::Kind::bulk, number, between(random_, 500, 1500), truth_);
  if (chance(random_, 40)) make_mistake(next);
  next.listed = true;
  bulk_ = &next;
  show();
}

/// Of a day that no listed delta has.
void TrueService::make_mistake(Export& bulk) {
  auto& rows = bulk.editions.front().rows;
  constexpr int lately = 14, long_ago = 28;
  const auto days = std::ssize(rows);
  if (days <= long_ago) return;
  const auto row = std::next(rows.begin(), between(random_, days - long_ago, days - lately - 1));
  if (mistakes_.emplace(row->first, &bulk).second) row->second = mistaken;
}

void TrueService::correct_mistake(Table& rows) const {
  for (auto& [day_number, version] : rows)
    if (version == mistaken) version = truth_.at(day_number);
}

bool TrueService::may_be_mistaken(int day_number) const {
  const auto found = mistakes_.find(day_number);
  if (found == mistakes_.end()) return false;
  return !corrected_.contains(found->second->name);
}

/// One that is shown when the mirror knows of a newer bulk file comes too late for a consumer that has joined it.
void TrueService::note_corrections() {
  int newest = 0;
  for (const auto& [name, entry] : seen_)
    if (entry.kind == core::Kind::bulk) newest = std::max(newest, entry.number);
  for (const auto& [name, editions] : shown_->editions) {
    const auto& file = exports_.at(name);
    const auto& edition = file.editions.at(editions - 1);
    if (file.number >= newest && !edition.secret && !has_mistake(edition)) corrected_.insert(name);
  }
}

bool TrueService::has_mistake(const Edition& edition) {
  return std::ranges::find(edition.rows, mistaken, &Table::value_type::second) != edition.rows.end();
}

std::string TrueService::bulk_with_a_mistake() const {
  const bool is_shown = bulk_ != nullptr && is_listed(bulk_->name);
  return is_shown && has_mistake(bulk_->newest()) ? bulk_->name : std::string();
}

bool TrueService::has_known_mistake(const std::string& name, int version) const {
  const auto* const held = edition(name, version);
  return held != nullptr && has_mistake(*held) && corrected_.contains(name);
}

void TrueService::move_next_bulk(int today, int days) { next_bulk_ = std::max(today + 1, next_bulk_ + days); }

std::string TrueService::remove_delta() {
  std::vector<Export*> listed;
  for (auto& [name, file] : exports_)
    if (file.kind == core::Kind::delta && is_listed(name)) listed.push_back(&file);
  if (listed.empty()) return {};
  auto& chosen = *listed[random_() % listed.size()];
  chosen.listed = false;
  show();
  return chosen.name;
}

bool TrueService::list_again(const std::string& name) {
  auto& file = exports_.at(name);
  if (file.number < bulk_->number) return false;
  file.listed = true;
  show();
  return true;
}

void TrueService::make_delta(int number) {
  const auto& made = add(core::Kind::delta, number, between(random_, 4, 300), std::exchange(waiting_, {}));
  for (const auto& [day_number, version] : made.newest().rows) deltas_by_row_[day_number] = &made;
}

void TrueService::list_delta(int number) {
  exports_.at(file_name(core::Kind::delta, number)).listed = true;
  show();
}

TrueService::Export& TrueService::add(core::Kind kind, int number, std::int64_t size, Table rows) {
  auto& made = exports_[file_name(kind, number)];
  made = {.kind = kind, .number = number, .name = file_name(kind, number), .editions = {}};
  made.versions = static_cast<int>(between(random_, 0, 99));
  std::erase_if(rows, [](const auto& row) { return row.second == dropped; });
  made.editions.push_back({made.versions % 100 + 1, size, std::move(rows)});
  return made;
}

std::string TrueService::some_listed() {
  if (service_.files.empty()) return {};
  auto at = service_.files.begin();
  std::advance(at, between(random_, 0, std::ssize(service_.files) - 1));
  return at->first;
}

std::string TrueService::republish(bool in_secret, const std::string& wanted) {
  auto name = wanted.empty() ? some_listed() : wanted;
  if (name.empty()) return name;
  auto& file = exports_.at(name);
  const auto before = file.newest();
  auto next = before;
  next.version = ++file.versions % 100 + 1;
  next.secret = in_secret;
  if (!in_secret) next.size += between(random_, 1, 50);
  correct_mistake(next.rows);
  if (file.kind == core::Kind::delta && file.number >= bulk_->number) {
    const auto way = in_secret ? 0 : between(random_, 0, 9);
    if (way % 2 == 1 && file.editions.size() > 1 && !before.secret)
      next = file.editions[file.editions.size() - 2];
    else
      correct(next, way > 5);
    for (const auto& [day_number, version] : before.rows) truth_[day_number] = dropped;
    for (const auto& [day_number, version] : next.rows) truth_[day_number] = version;
  }
  next.shown = false;
  file.editions.push_back(std::move(next));
  show();
  return name;
}

/// Its data is new; or, if rows are dropped, its newest day has none any more. What the bulk file has too, days before
/// its own, is not dropped: a delta that comes late has such rows beside newer ones.
void TrueService::correct(Edition& edition, bool drops) {
  for (auto& [day_number, version] : edition.rows) version = ++newest_row_;
  if (drops && !edition.rows.empty() && edition.rows.rbegin()->first >= bulk_->number)
    edition.rows.erase(std::prev(edition.rows.end()));
}

std::string TrueService::refuse(const std::string& wanted) {
  auto name = wanted.empty() ? some_listed() : wanted;
  if (name.empty()) return name;
  auto& form = exports_.at(name).form;
  if (form != EntryForm::fine) return {};
  const auto kind = between(random_, 0, 11);
  form = kind < 6    ? EntryForm::no_size
         : kind < 8  ? EntryForm::bad_name
         : kind < 10 ? EntryForm::misdated
                     : EntryForm::undated;
  show();
  return name;
}

void TrueService::accept(const std::string& name) {
  exports_.at(name).form = EntryForm::fine;
  show();
}

void TrueService::set(bool& flag, bool on) {
  flag = on;
  show();
}

void TrueService::show() {
  ++changes_;
  service_.files.clear();
  if (empty_) return;
  for (const auto& [name, file] : exports_) {
    bool shown = file.listed;
    if (&file == bulk_) shown = !shows_old_bulk();
    if (&file == previous_) shown = shows_old_bulk() || shows_two_bulks();
    if (file.kind == core::Kind::bulk && no_bulk_) shown = false;
    if (!shown) continue;
    const auto& newest = file.newest();
    service_.files[name] = {file.kind, base::iso8601(day(file.number)), newest.size, newest.version, file.form};
  }
}

bool TrueService::has_form(EntryForm form) const {
  return std::ranges::any_of(service_.files, [form](const auto& each) { return each.second.form == form; });
}

bool TrueService::has_refused() const {
  return std::ranges::any_of(service_.files, [](const auto& each) { return each.second.form != EntryForm::fine; });
}

bool TrueService::has_bulk() const {
  return std::ranges::any_of(service_.files, [](const auto& each) { return each.second.kind == core::Kind::bulk; });
}

bool TrueService::has_early_delta() const {
  return std::ranges::any_of(service_.files, [this](const auto& each) {
    return each.second.kind == core::Kind::delta && exports_.at(each.first).number < bulk_->number;
  });
}

void TrueService::deliver() {
  shown_ = Shown{};
  shown_->changes = changes_;
  for (const auto& [name, file] : service_.files) {
    const auto& made = exports_.at(name);
    const bool readable = file.form == EntryForm::fine;
    shown_->usable = shown_->usable || file.kind == core::Kind::bulk;
    shown_->refused = shown_->refused || !readable;
    if (file.form == EntryForm::undated) continue;
    const auto as = file.form == EntryForm::bad_name ? "../" + name : name;
    shown_->names.insert(as);
    shown_->entries.push_back({as, {file.kind, made.number, readable ? file.size : 0, !readable}});
    if (readable) shown_->editions.emplace_back(name, made.editions.size());
  }
}

void TrueService::commit() {
  if (!shown_ || !shown_->usable) return;
  note_corrections();
  for (const auto& [name, entry] : shown_->entries) {
    auto& seen = seen_[name];
    const auto size = entry.refused ? seen.size : entry.size;
    seen = entry;
    seen.size = size;
  }
  for (const auto& [name, editions] : shown_->editions) {
    observed_[name] = editions;
    exports_.at(name).editions.at(editions - 1).shown = true;
  }
  kept_ = shown_->names;
  kept_refused_ = shown_->refused;
  kept_changes_ = shown_->changes;
}

void TrueService::forget() {
  shown_.reset();
  seen_.clear();
  kept_.clear();
  observed_.clear();
  corrected_.clear();
  kept_refused_ = false;
  kept_changes_ = -1;
}

bool TrueService::was_seen(const std::string& name) const {
  const auto found = observed_.find(name);
  return found != observed_.end() && found->second == exports_.at(name).editions.size();
}

const TrueService::Export* TrueService::find(const std::string& name) const {
  const auto found = exports_.find(name);
  return found == exports_.end() ? nullptr : &found->second;
}

bool TrueService::is_taken_back(const std::string& name) const {
  const auto& editions = exports_.at(name).editions;
  return editions.size() > 2 && editions.back().version == editions[editions.size() - 3].version;
}

bool TrueService::returned_unlisted(const std::string& name) const {
  const auto& editions = exports_.at(name).editions;
  return is_taken_back(name) && !editions[editions.size() - 2].shown;
}

bool TrueService::drops_rows(const std::string& name) const {
  const auto& editions = exports_.at(name).editions;
  return editions.size() > 1 && editions.back().rows.size() < editions[editions.size() - 2].rows.size();
}

const TrueService::Edition* TrueService::edition(const std::string& name, int version) const {
  const auto* file = find(name);
  if (file == nullptr) return nullptr;
  const auto found = std::ranges::find(file->editions.rbegin(), file->editions.rend(), version, &Edition::version);
  return found == file->editions.rend() ? nullptr : &*found;
}

const TrueService::Export* TrueService::delta_of(int day_number) const {
  const auto found = deltas_by_row_.find(day_number);
  return found == deltas_by_row_.end() ? nullptr : found->second;
}

}  // namespace vtmirror::test
