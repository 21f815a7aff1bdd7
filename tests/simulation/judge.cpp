#include "simulation/judge.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace vtmirror::test {

namespace {

bool has(const std::vector<base::Date>& days, base::Date day) { return std::ranges::find(days, day) != days.end(); }

/// Each file is read within ten days, unless cycles with slow transfers leave no time for it.
constexpr std::chrono::days longest_rot{25};

bool is_there(const core::Held& file, const std::map<std::string, std::string>& files, const std::string& key) {
  const auto found = files.find(key);
  return found != files.end() && std::ssize(found->second) == file.size &&
         MemoryStorage::digest(found->second) == file.sha256;
}

}  // namespace

Judge::Judge(MemoryStorage& storage, const TrueService& service, Observer& observer, Probes& probes, int keep_cycles)
    : storage_(storage), service_(service), observer_(observer), probes_(probes), keep_cycles_(keep_cycles) {
  storage.written = [this] { manifest_written(); };
  storage.between_steps = [this] { between_steps(); };
}

void Judge::lose(const std::string& name) {
  check_removals();  // by what was there when they were made
  const auto found = storage_.published.find(name);
  lost_[name] = found->second;
  // Somebody who puts it back has a sound copy.
  if (rotten_.erase(name) > 0) lost_[name] = numbered_bytes(found->second.front(), 0, std::ssize(found->second));
  unnoticed_.insert(name);
  noticing_.erase(name);  // it may have come again since the mirror looked
  looks_ = -1;
  before_.erase(name);
  foreign_.erase(name);
  links_.spoil(name);
  spoiled_[name] = observer_.now();
  storage_.published.erase(found);
}

void Judge::put_back(const std::string& name) {
  check_removals();
  if (!storage_.published.contains(name)) {
    storage_.published[name] = lost_.at(name);
    foreign_.insert(name);
    before_.insert(name);  // the mirror has not published it, also if it rots before the next look
    links_.file_changed();
  }
  spoiled_[name] = observer_.now();
  lost_.erase(name);  // at last, since the name may be the one that is kept there
}

void Judge::rot(const std::string& name, base::Time at) {
  auto& bytes = storage_.published.at(name);
  // Its first byte names the version.
  bytes[bytes.size() - 1] ^= 1;
  rotten_.emplace(name, at);
  links_.spoil(name);
  spoiled_[name] = at;
  looks_ = -1;
}

bool Judge::is_named(const std::string& name) const {
  return std::ranges::find(storage_.sums, name, &core::Held::name) != storage_.sums.end();
}

/// A file that rots is found when its time comes, and nothing reads it as sound after that.
void Judge::check_rotten() {
  for (auto at = rotten_.begin(); at != rotten_.end();) {
    const auto found = storage_.published.find(at->first);
    const bool is_over = found == storage_.published.end() || MemoryStorage::whole(found->second);
    probes_.saw(Probe::rot_repaired, is_over && found != storage_.published.end());
    expect(is_over || !is_named(at->first) || observer_.now() - at->second < longest_rot,
           "a file that rots leaves the texts in time: ", at->first);
    if (is_over) spoiled_[at->first] = observer_.now();
    if (is_over && found == storage_.published.end()) left_rotten_.insert(at->first);
    at = is_over ? rotten_.erase(at) : std::next(at);
  }
}

/// The removal of a file is a change, also if the texts named it no more because it was found rotten.
void Judge::check_silent() {
  const auto left =
      std::ranges::count_if(may_leave_, [this](const std::string& name) { return !storage_.published.contains(name); });
  expect(silent_ <= left || disturbed_, "another generation says something else");
  silent_ = 0;
  may_leave_.clear();
}

void Judge::wipe() {
  lost_.clear();
  rotten_.clear();
  left_rotten_.clear();
  unnoticed_.clear();
  noticing_.clear();
  foreign_.clear();
  was_.clear();
  came_.clear();
  before_.clear();
  said_.clear();
  silent_ = 0;
  may_leave_.clear();
  generation_ = -1;
  looks_ = -1;
  links_.wipe();
  disturb();
}

bool Judge::is_another_edition(const std::string& name) const {
  const auto before = was_.find(name);
  const auto now = storage_.published.find(name);
  if (before == was_.end() || now == storage_.published.end()) return false;
  return !before->second.contains(MemoryStorage::digest(now->second));
}

void Judge::file_appeared() {
  links_.file_changed();
  links_.check_all();
}

void Judge::after_step() {
  if (looks_ == storage_.shelf_calls()) return;
  looks_ = storage_.shelf_calls();
  for (const auto& [name, bytes] : storage_.published)
    if (!before_.contains(name)) expect(MemoryStorage::whole(bytes), "nothing wrong is public: ", name);
  for (auto at = lost_.begin(); at != lost_.end();) {
    const bool is_back = storage_.published.contains(at->first);
    if (is_back) spoiled_[at->first] = observer_.now();
    at = is_back ? lost_.erase(at) : std::next(at);
  }
  check_silent();
  check_removals();
  check_rotten();
  for (const auto& [name, bytes] : storage_.published) before_.insert(name);
  check_texts();
  links_.after_step();
}

void Judge::after_kill() {
  looks_ = -1;
  disturb();
  std::set<std::string> named;
  for (const auto& file : storage_.sums) named.insert(file.name);
  for (const auto& [name, bytes] : storage_.published) {
    if (named.contains(name) || foreign_.contains(name) || rotten_.contains(name)) continue;
    probes_.saw(Probe::kill_between_publish_and_manifest);
    probes_.saw(Probe::kill_between_publish_and_manifest_of_a_republished_file, is_another_edition(name));
  }
  for (const auto& [name, bytes] : storage_.published)
    expect(MemoryStorage::whole(bytes) || rotten_.contains(name), "nothing wrong is public: ", name);
  after_step();
}

void Judge::after_cycle() {
  looks_ = -1;
  after_step();
  if (disturbed_) return;
  if (std::exchange(unjudged_, false)) check_against_listings();
  links_.after_cycle();
  std::set<std::string> named;
  for (const auto& file : storage_.sums) named.insert(file.name);
  for (const auto& [name, bytes] : storage_.published)
    expect(named.contains(name) || foreign_.contains(name) || rotten_.contains(name),
           "SHA256SUMS names what is held: ", name);
  std::set<int> bulks;
  for (const auto& [name, bytes] : storage_.published)
    if (const auto* file = service_.find(name); file->kind == core::Kind::bulk) bulks.insert(file->number);
  const bool incomplete = storage_.manifest && !storage_.manifest->chain.complete;
  probes_.saw(Probe::prune_held_back_by_an_incomplete_chain,
              incomplete && keep_cycles_ > 0 && std::ssize(bulks) > keep_cycles_);
  if (storage_.manifest && storage_.manifest->chain.complete && !service_.refused_in_kept_listing()) {
    now_and_then_.follow(*storage_.manifest, storage_, service_);
    check_table(every_generation_);
    check_table(strict_);
    check_table(now_and_then_);
  }
}

/// The manifest is at least as new, in the same session, and says what the notice says if it is of its generation.
void Judge::chain_announced(const core::ChainNews& news) {
  expect(storage_.manifest.has_value(), "a chain is announced when its manifest is there");
  if (!storage_.manifest) return;
  const auto& [edition, chain] = std::tie(storage_.manifest->edition, storage_.manifest->chain);
  const bool same_session = edition.session == news.session;
  expect(!same_session || edition.generation >= news.generation, "no notice of a chain comes before its manifest");
  const bool is_of_it = same_session && edition.generation == news.generation;
  expect(!is_of_it || (chain.complete == news.complete && chain.through == news.through),
         "the notice of a chain says what the manifest of its generation says");
  probes_.saw(Probe::chain_announced_with_several_files, news.added.size() + news.replaced.size() > 1);
  probes_.saw(Probe::chain_announced_without_a_publication, news.added.empty() && news.replaced.empty());
  probes_.saw(Probe::chain_announced_again_by_a_newer_manifest, same_session && edition.generation > news.generation);
  by_hook_.follow(*storage_.manifest, storage_, service_);
}

/// What the three texts name is there, by its name or, once it was superseded, by its digest.
void Judge::check_texts() {
  expect(storage_.manifest.has_value() || storage_.published.empty() || disturbed_, "what is public has a manifest");
  if (!storage_.manifest) return;
  const auto can_be_read = [this](const core::Held& file) {
    return is_there(file, storage_.published, file.name) || storage_.held_bytes(file.sha256, file.size) != nullptr ||
           unnoticed_.contains(file.name);
  };
  for (const auto& file : storage_.manifest->chain.files)
    expect(can_be_read(file), "what the manifest names is on disk: ", file.name);
  for (const auto& file : storage_.sums) expect(can_be_read(file), "what SHA256SUMS names is on disk: ", file.name);
}

void Judge::manifest_written() {
  ++manifests_;
  links_.texts_written();
  for (const auto& [name, bytes] : storage_.published) came_.insert({name, std::ssize(bytes)});
  for (const auto& file : storage_.sums) was_[file.name].insert(file.sha256);
  for (const auto& file : storage_.sums) foreign_.erase(file.name);
  std::erase_if(foreign_, [this](const std::string& name) { return !storage_.published.contains(name); });
  // A stamp may have been read from the catalogue just before a listing came, and be written just after.
  unjudged_ =
      std::exchange(listing_came_, false) && storage_.manifest->edition.generation == generation_ && content() == said_;
  check_generation();
  check_chain();
  if (!unjudged_) check_against_listings();
  every_generation_.follow(*storage_.manifest, storage_, service_);
  strict_.follow(*storage_.manifest, storage_, service_);
  if (manifests_ % 7 == 0) now_and_then_.follow(*storage_.manifest, storage_, service_);
}

/// By what the listings have shown until now.
void Judge::check_against_listings() {
  check_missing();
  check_absent();
  check_join();
}

/// All that a generation says, except its stamps.
std::string Judge::content() const {
  const auto& chain = storage_.manifest->chain;
  std::string text = chain.complete ? "complete\n" : "";
  for (const auto& file : chain.files) text += file.name + ' ' + std::to_string(file.size) + ' ' + file.sha256 + '\n';
  for (std::size_t i = 0; i < chain.missing.size(); ++i)
    text += "missing " + chain.missing[i].name + ' ' + std::string(core::name(chain.missing[i].reason)) + ' ' +
            storage_.manifest->details.at(i) + '\n';
  for (const auto date : chain.absent_upstream) text += "absent " + base::iso8601(date) + '\n';
  if (const auto& join = chain.continues) {
    text += "after " + join->after + ' ' + join->sha256 + ' ' + std::to_string(join->generation) + ' ' +
            std::string(join->reason) + (join->contiguous ? " contiguous" : "") + '\n';
    for (const auto date : join->assumes_absent) text += "assumes " + base::iso8601(date) + '\n';
  }
  for (const auto& file : storage_.sums) text += "sum " + file.name + ' ' + file.sha256 + '\n';
  return text;
}

void Judge::check_generation() {
  const auto now = storage_.manifest->edition.generation;
  auto says = content();
  if (now == generation_ && now > 0) expect(says == said_, "one generation says one thing\n" + said_ + "---\n" + says);
  // The removal of a file that was lost is a change too, and the texts had named it no more; also if somebody has put
  // it back just before.
  const bool is_silent = now != generation_ && says == said_;
  if (is_silent && !disturbed_ && generation_ >= 0 && lost_.empty() && foreign_.empty()) {
    ++silent_;
    for (const auto& [name, since] : rotten_)
      if (!is_named(name)) may_leave_.insert(name);
  }
  expect(now >= generation_, "generations ascend");
  generation_ = now;
  said_ = std::move(says);
  disturbed_ = false;
}

void Judge::check_chain() {
  const auto& files = storage_.manifest->chain.files;
  for (std::size_t n = 0; n < files.size(); ++n) {
    const auto& file = files[n];
    expect((file.kind == core::Kind::bulk) == (n == 0), "a chain is a bulk file and deltas");
    if (n > 1) expect(files[n - 1].date < file.date, "a chain's deltas ascend");
    if (n == 1) expect(files[0].date <= file.date, "a chain's deltas follow its bulk file");
    const auto sum = std::ranges::find(storage_.sums, file.name, &core::Held::name);
    expect(sum != storage_.sums.end() && sum->sha256 == file.sha256, "the two texts agree: ", file.name);
  }
  probes_.saw(Probe::chain_from_before_a_lost_bulk, is_from_before_a_lost_bulk());
}

bool Judge::is_from_before_a_lost_bulk() const {
  const auto& files = storage_.manifest->chain.files;
  if (files.empty()) return false;
  return newest_bulk_that_came() > service_.find(files.front().name)->number;
}

int Judge::newest_bulk_that_came(int before) const {
  int newest = -1;
  for (const auto& [name, size] : came_) {
    const auto* file = service_.find(name);
    if (file->kind == core::Kind::bulk && file->number < before) newest = std::max(newest, file->number);
  }
  return newest;
}

/// An older edition may stay in the chain while the listed one is missing. After the loss of a newer bulk file, so may
/// a file whose last entry could not be read, or that was not listed since the catalogue was rebuilt: nobody can say
/// that it is the newest edition.
void Judge::check_missing() {
  const auto& chain = storage_.manifest->chain;
  for (const auto& file : chain.missing) {
    const auto held = std::ranges::find(chain.files, file.name, &core::Held::name);
    if (held == chain.files.end()) continue;
    const auto* made = service_.find(file.name);
    const std::string newest(1, static_cast<char>(made->newest().version));
    // The mirror may know of a replacement by the store alone, and not yet that it was taken back.
    const bool older = !service_.was_seen(file.name) || held->sha256 != MemoryStorage::digest(newest) ||
                       service_.returned_unlisted(file.name);
    const bool forgotten =
        file.reason == core::MissingReason::not_downloaded && probes_.has_seen(Probe::catalogue_lost);
    const bool unknown = (file.reason == core::MissingReason::refused || forgotten) && is_from_before_a_lost_bulk();
    expect((older || unknown) && file.reason != core::MissingReason::lost,
           "what is missing is not in the chain: ", file.name);
  }
}

/// A day of which the mirror was shown an entry has a delta.
void Judge::check_absent() {
  const auto& chain = storage_.manifest->chain;
  for (const auto& [name, entry] : service_.seen()) {
    if (entry.kind != core::Kind::delta) continue;
    const auto date = day(entry.number);
    expect(!has(chain.absent_upstream, date), "a day whose delta was listed is not absent: ", date);
    const bool assumed = chain.continues && has(chain.continues->assumes_absent, date);
    expect(!assumed, "a join does not rest on a listed day's absence: ", date);
  }
}

void Judge::check_join() {
  const auto& chain = storage_.manifest->chain;
  if (!chain.continues) return;
  const auto& join = *chain.continues;
  probes_.saw(Probe::join_broken, !join.contiguous);
  probes_.saw(Probe::join_held, join.contiguous && join.assumes_absent.empty());
  probes_.saw(Probe::join_rests_on_absent_days, join.contiguous && !join.assumes_absent.empty());
  if (!join.contiguous) return;
  const auto* bulk = service_.find(chain.files.front().name);
  const int before = newest_bulk_that_came(bulk->number);
  std::map<int, bool> held;  // of the days with an entry, whether it was held as it was shown last
  const auto readable = readable_days();
  for (const auto& [name, entry] : service_.seen()) {
    if (entry.kind != core::Kind::delta || (entry.size == 0 && readable.contains({entry.kind, entry.number}))) continue;
    held.emplace(entry.number, !entry.refused && was_published(name, entry.size));
  }
  for (int number = std::max(before, 0); number < bulk->number; ++number) {
    const auto found = held.find(number);
    const bool whole = found == held.end() ? has(join.assumes_absent, day(number)) : found->second;
    expect(whole, "a join is contiguous only where each day was held or absent: ", day(number));
  }
}

void Judge::check_removals() {
  std::erase_if(before_, [this](const std::string& name) {
    if (storage_.published.contains(name)) return false;
    probes_.saw(Probe::pruned);
    links_.file_changed();
    // A removal that was cut off is finished, whatever is needed now, if somebody has damaged the file.
    expect(may_go(name) || (rotten_.contains(name) && !service_.kept_listing().contains(name)),
           "what is removed is not needed: ", name);
    return true;
  });
}

bool Judge::may_go(const std::string& name) const {
  if (keep_cycles_ == 0 || service_.kept_listing().contains(name)) return false;
  const int number = service_.find(name)->number;
  std::set<int> bulks;
  std::set<int> known;  // bulk files that the mirror has ever heard of
  for (const auto& [each, bytes] : storage_.published)
    if (service_.find(each)->kind == core::Kind::bulk) bulks.insert(service_.find(each)->number);
  for (const auto& [each, entry] : service_.seen())
    if (entry.kind == core::Kind::bulk) known.insert(entry.number);
  int newer = 0;
  bool one_is_whole = false;
  for (const int bulk : bulks) {
    // A file belongs to the bulk file of its day, or to the newest one before.
    if (bulk <= number) continue;
    ++newer;
    const auto next = known.upper_bound(bulk);
    one_is_whole = one_is_whole || is_whole_from(bulk, next == known.end() ? 1 << 20 : *next);
  }
  return newer >= keep_cycles_ && one_is_whole;
}

/// Days of which some entry could be read. Another entry of such a day, which never could, is no file of its own.
std::set<std::pair<core::Kind, int>> Judge::readable_days() const {
  std::set<std::pair<core::Kind, int>> readable;
  for (const auto& [name, entry] : service_.seen())
    if (entry.size > 0) readable.insert({entry.kind, entry.number});
  return readable;
}

/// Whether all that was ever listed of a bulk file's chain is here.
bool Judge::is_whole_from(int bulk_number, int next_bulk) const {
  const auto readable = readable_days();
  return std::ranges::none_of(service_.seen(), [&](const auto& each) {
    const auto& [name, entry] = each;
    const bool own = entry.kind == core::Kind::bulk ? entry.number == bulk_number
                                                    : entry.number >= bulk_number && entry.number < next_bulk;
    if (!own || (entry.size == 0 && readable.contains({entry.kind, entry.number}))) return false;
    const auto found = storage_.published.find(name);
    if (found == storage_.published.end()) return true;
    return !entry.refused && std::ssize(found->second) != entry.size;
  });
}

/// What a table has of a day is right, or the mirror could not know of its newest edition.
bool Judge::is_right(const Table& table, int number, int version) const {
  const auto* delta = service_.delta_of(number);
  if (delta == nullptr || delta->newest().secret) return true;
  if (!service_.was_seen(delta->name) || service_.may_be_mistaken(number)) return true;
  const auto row = table.find(number);
  return row == table.end() ? version == dropped : row->second == version;
}

template <class Assumes>
void Judge::check_rows(const Table& table, std::string_view promise, Assumes assumes) {
  if (!service_.is_kept() || !unnoticed_.empty()) return;
  for (const auto& [number, version] : service_.truth()) {
    const auto* delta = service_.delta_of(number);
    const bool is_assumed = delta != nullptr && assumes(day(delta->number));
    expect(is_assumed || is_right(table, number, version), promise, day(number));
  }
}

void Judge::check_table(const Loader& loader) {
  check_rows(loader.table(), "a consumer that goes by the manifest has the data of ",
             [&](base::Date date) { return loader.assumes(date); });
}

/// It loads a bulk file anew each week, so it rests on what the present chain says of its own days.
void Judge::check_by_changes(const Table& table) {
  if (disturbed_ || !storage_.manifest || !storage_.manifest->chain.complete) return;
  if (service_.refused_in_kept_listing()) return;
  const auto& absent = storage_.manifest->chain.absent_upstream;
  check_rows(table, "a consumer that goes by the changes has the data of ",
             [&](base::Date date) { return has(absent, date); });
}

void Judge::was_off() {
  for (auto& [name, since] : rotten_) since = observer_.now();
  links_.was_off();
}

/// What it assumes is named to it, and is loaded anew where it turns out to be wrong. All days are looked at now and
/// then, since those of months ago seldom change.
void Judge::check_consumer(const Table& table) {
  if (!service_.is_kept() || service_.refused_in_kept_listing() || service_.truth().empty()) return;
  constexpr int lately = 30;
  const bool all = tables_++ % 16 == 0;
  const auto newest = service_.truth().rbegin()->first;
  for (auto at = service_.truth().lower_bound(all ? -1 : newest - lately); at != service_.truth().end(); ++at)
    expect(is_right(table, at->first, at->second), "a consumer that has nothing left to load has the data of ",
           day(at->first));
}

void Judge::check_reader(const Loader& loader) {
  if (storage_.manifest && storage_.manifest->chain.complete && !service_.refused_in_kept_listing())
    check_table(loader);
}

bool Judge::is_spoiled(const std::string& name) const {
  const auto at = spoiled_.find(name);
  const bool lately = at != spoiled_.end() && observer_.now() - at->second < std::chrono::days(2);
  return lately || lost_.contains(name) || rotten_.contains(name);
}

void Judge::every_notice_came() { check_reader(by_hook_); }

void Judge::at_the_end() {
  after_cycle();
  for (const auto* loader : {&every_generation_, &strict_, &now_and_then_}) {
    probes_.saw(Probe::loader_joined, loader->joins > 0);
    probes_.saw(Probe::loader_reloaded, loader->reloads > 1);
  }
  probes_.saw(Probe::hook_loader_joined, by_hook_.joins > 0);
  probes_.saw(Probe::hook_loader_reloaded, by_hook_.reloads > 1);
}

}  // namespace vtmirror::test
