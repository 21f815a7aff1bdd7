// What goes wrong with single files: entries, downloads, and files on disk.
#include "simulation/life.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::test {

using namespace std::chrono_literals;

void Life::refuse_entry(base::Milliseconds duration, const std::string& wanted) {
  const auto name = truth_.refuse(wanted);
  if (name.empty()) return;
  observer_.note("--- the entry of " + name + " becomes unreadable");
  refused_[name] = clock_.world();
  probes_.saw(Probe::lost_then_refused, judge_.is_lost(name));
  service_changed("an entry is refused");
  on(clock_.world() + duration, [this, name] { accept_entry(name); });
}

void Life::accept_entry(const std::string& name) {
  if (refused_.erase(name) == 0) return;
  probes_.saw(Probe::refused_then_accepted, truth_.is_listed(name));
  observer_.note("--- the entry of " + name + " is readable again");
  truth_.accept(name);
  service_changed("an entry is accepted");
}

void Life::list_day_to_come(base::Milliseconds duration) {
  // This machine's clock may be wrong by months.
  Random own = random_;
  const int ahead = static_cast<int>(between(own, swarm_.has(Fault::clock_set) ? 160 : 3, 500));
  const auto kind = chance(own, 60) ? core::Kind::delta : core::Kind::bulk;
  const auto name = file_name(kind, days_ - 1 + ahead);
  service_.to_come[name] = {kind, base::iso8601(day(days_ - 1 + ahead)), 100};
  observer_.note("--- " + name + " is listed long before its day");
  probes_.saw(Probe::day_to_come_listed);
  service_changed("a file of a day to come is listed");
  on(clock_.world() + duration, [this, name] {
    service_.to_come.erase(name);
    troubled_ = true;  // until the next listing it is a problem
    service_changed("and is no longer listed");
  });
}

void Life::fail_file(const std::string& name, base::Milliseconds duration) {
  failing_[name] = chance(random_, 70) ? Breaking::cut : Breaking::rotten;
  observer_.note("--- " + name + " cannot be downloaded");
  on(clock_.world() + duration, [this, name] {
    failing_.erase(name);
    observer_.note("--- " + name + " can be downloaded again");
  });
}

void Life::replace_file(bool in_secret, const std::string& wanted) {
  // Until a rebuilt catalogue knows the ETag of a file, the mirror cannot see that the file was replaced in secret.
  in_secret = in_secret && etags_are_known();
  const auto name = truth_.republish(in_secret, wanted);
  if (name.empty()) return;
  observer_.note("--- " + name + " is replaced" + (in_secret ? " in secret" : ""));
  if (in_secret) looked_at_ = clock_.world() + 48h;
  probes_.saw(Probe::refused_then_replaced, refused_.contains(name));
  probes_.saw(Probe::lost_then_replaced, judge_.is_lost(name));
  probes_.saw(Probe::correction_drops_rows, truth_.drops_rows(name));
  probes_.saw(Probe::correction_taken_back, truth_.is_taken_back(name));
  probes_.saw(Probe::replaced_in_secret, in_secret && storage_.published.contains(name));
  service_changed("a file is replaced");
  if (name == wanted && !settling_ && swarm_.has(Fault::fails_for_days) && !failing_.contains(name))
    fail_file(name, time_between<Minutes>(random_, 12h, std::chrono::days(9)));
}

bool Life::etags_are_known(std::optional<base::Time> quiet_from) const {
  using std::chrono::days;
  using std::chrono::floor;
  const auto was_asked = [&](const core::FileRecord& file) {
    return quiet_from && file.probed_at < *quiet_from && floor<days>(file.probed_at) == floor<days>(*quiet_from);
  };
  if (!process_) return false;
  const auto files = process_->catalogue().files();
  return files && std::ranges::none_of(*files, [&](const core::FileRecord& file) {
           return file.etag.empty() && truth_.is_listed(file.name) && !was_asked(file);
         });
}

/// Loses one file or several at once. One of them may be put back.
void Life::lose_files() {
  const auto files = chance(random_, 60) ? 1 : between(random_, 2, 4);
  for (int n = 0; n < files && !storage_.published.empty(); ++n) {
    auto at = storage_.published.begin();
    // Of the newest more often than of the rest.
    const auto last = std::ssize(storage_.published) - 1;
    std::advance(at, between(random_, 0, last));
    const auto name = chance(random_, 50) && storage_.manifest && !storage_.manifest->chain.files.empty()
                          ? storage_.manifest->chain.files[random_() % storage_.manifest->chain.files.size()].name
                          : at->first;
    if (!storage_.published.contains(name)) continue;
    lose_file(name);
    probes_.saw(Probe::files_lost_at_once, n > 0);
    // Before it can be downloaded again.
    if (swarm_.has(Fault::refused) && truth_.is_listed(name) && chance(random_, 20))
      refuse_entry(settling_ ? 24h * 1000 : 36h, name);
    if (swarm_.has(Fault::republished) && truth_.is_listed(name) && chance(random_, 20)) replace_file(false, name);
  }
}

void Life::lose_file(const std::string& name) {
  judge_.lose(name);
  observer_.note("--- " + name + " is lost from disk");
  probes_.saw(Probe::file_lost);
  probes_.saw(Probe::file_lost_during_a_transfer, is_transferring());
  probes_.saw(Probe::file_lost_while_no_process_runs, process_ == nullptr);
  probes_.saw(Probe::refused_then_lost, refused_.contains(name));
  probes_.saw(Probe::lost_after_it_left_the_listing, !truth_.is_listed(name));
}

/// The chain that is to take the place of removed files loses one, while no process runs and their removal is not
/// finished.
void Life::lose_instead_of_removed() {
  if (leaving_.empty() || !swarm_.has(Fault::lost) || !storage_.manifest || !chance(removals_, 50)) return;
  const auto& files = storage_.manifest->chain.files;
  if (files.empty()) return;
  const auto& name = files[removals_() % files.size()].name;
  if (storage_.published.contains(name)) lose_file(name);
}

void Life::put_back(const std::string& name) {
  observer_.note("--- " + name + " is put back");
  probes_.saw(Probe::file_put_back);
  probes_.saw(Probe::file_put_back_while_no_process_runs, process_ == nullptr);
  judge_.put_back(name);
}

void Life::rot_file() {
  if (storage_.published.empty()) return;
  auto at = storage_.published.begin();
  std::advance(at, between(random_, 0, std::ssize(storage_.published) - 1));
  const auto& [name, bytes] = *at;
  if (bytes.size() < 2 || judge_.rotten().contains(name)) return;
  observer_.note("--- " + name + " rots");
  probes_.saw(Probe::file_rotten);
  judge_.rot(name, clock_.world());
  for (auto& consumer : consumers_) consumer.is_damaged(name);
}

/// One that may be continued: some of its bytes are durable.
void Life::touch_unfinished() {
  std::vector<std::string> names;
  for (const auto& [name, file] : storage_.unfinished)
    if (std::ranges::any_of(file.synced, [](char byte) { return byte != 0; })) names.push_back(name);
  if (names.empty()) return;
  const auto& name = names[random_() % names.size()];
  auto& bytes = storage_.unfinished[name].synced;
  switch (between(random_, 0, 2)) {
    case 0:
      observer_.note("--- the unfinished " + name + " disappears");
      probes_.saw(Probe::unfinished_file_removed);
      storage_.unfinished.erase(name);
      return;
    case 1:
      observer_.note("--- the unfinished " + name + " is cut");
      probes_.saw(Probe::unfinished_file_cut);
      bytes.resize(static_cast<std::size_t>(between(random_, 0, std::ssize(bytes) - 1)));
      break;
    default:
      observer_.note("--- the unfinished " + name + " is damaged");
      probes_.saw(Probe::unfinished_file_damaged);
      bytes[static_cast<std::size_t>(between(random_, 0, std::ssize(bytes) - 1))] ^= 1;
  }
  storage_.unfinished[name].written = bytes;
}

/// Loses the catalogue, but only while the chain is complete and nothing else is wrong with the mirror; that the chain
/// before broke off, only the manifest may know then. Otherwise tries again an hour later. A process that starts at
/// once rebuilds it from the files.
void Life::lose_catalogue(int tries) {
  const bool is_calm = refused_.empty() && failing_.empty() && judge_.lost().empty() && clock_.world() >= looked_at_;
  const bool is_whole = storage_.manifest && storage_.manifest->chain.complete && storage_.unfinished.empty() &&
                        storage_.quarantined.empty();
  const bool is_busy = is_transferring() || !process_ || process_->daemon().state().state == core::State::syncing;
  if (is_busy || file_.can_be_locked() || storage_.full || !is_calm || !is_whole) {
    if (tries > 1) on(clock_.world() + 1h, [this, tries] { lose_catalogue(tries - 1); });
    return;
  }
  observer_.note("--- the catalogue is lost");
  probes_.saw(Probe::catalogue_lost);
  const auto session = storage_.manifest->edition.session;
  leave();
  catalogue_ = file_.lose();
  forget_consumers();
  observer_.find_kept({});
  announced_by_then_ = receiver_->generations.size();
  is_rebuilt_ = true;
  on(clock_.world(), [this, session] {
    start();
    on(clock_.world() + 1h, [this, session] {
      probes_.saw(Probe::session_kept_by_a_rebuild, storage_.manifest && storage_.manifest->edition.session == session);
    });
  });
}

/// A new mirror begins, of which the consumers and the receiver of the one before know nothing.
void Life::wipe_state() {
  if (!process_ || file_.can_be_locked() || storage_.full) return;
  observer_.note("--- the state directory is wiped");
  probes_.saw(Probe::state_wiped);
  probes_.saw(Probe::state_wiped_during_a_transfer, is_transferring());
  leave();
  storage_.wipe();
  judge_.wipe();
  truth_.forget();
  link_reader_.wipe();
  catalogue_ = file_.lose();
  forget_consumers();
  observer_.find_kept({});
  receiver_->generations.clear();
  announced_by_then_ = 0;
  is_rebuilt_ = false;
  left_.clear();
  on(clock_.world(), [this] { start(); });
}

void Life::look_at_rollover(int number) {
  const auto since = number - std::exchange(last_rollover_, number);
  probes_.saw(Probe::rollover_on_another_weekday, number % 7 != 0);
  probes_.saw(Probe::rollover_after_more_than_a_week, since > 7);
  probes_.saw(Probe::rollover_within_a_week, since < 7);
  delisted_.clear();
  probes_.saw(Probe::rollover_while_an_entry_is_refused, !refused_.empty());
  probes_.saw(Probe::rollover_while_a_file_is_lost, !judge_.lost().empty());
  probes_.saw(Probe::rollover_while_no_process_runs, process_ == nullptr);
  probes_.saw(Probe::rollover_while_the_service_is_off, is_off());
  probes_.saw(Probe::rollover_during_a_transfer, is_transferring());
  for (const auto& [name, how] : failing_) probes_.saw(Probe::rollover_while_a_file_fails, truth_.is_listed(name));
  for (const auto& [name, bytes] : storage_.published)
    probes_.saw(Probe::rollover_before_a_corrected_bulk_file_came, truth_.has_known_mistake(name, bytes.front()));
  const auto* delta = truth_.find(file_name(core::Kind::delta, days_ - 2));
  probes_.saw(Probe::rollover_while_a_delta_is_late, delta != nullptr && !delta->listed);
}

void Life::service_changed(const std::string& what) {
  observer_.note("--- the listing changes: " + what);
  probes_.saw(Probe::listing_changed_during_a_transfer, is_transferring());
}

/// An answer to a request for the listing.
void Life::show_listing() {
  truth_.deliver();
  std::erase_if(left_, [this](const auto& each) { return truth_.is_listed(each.first); });
  probes_.saw(Probe::two_bulk_files_listed, truth_.shows_two_bulks() && !truth_.is_empty());
  probes_.saw(Probe::old_bulk_beside_new_deltas, truth_.shows_old_bulk() && !truth_.is_empty());
  probes_.saw(Probe::delta_dated_before_its_bulk, truth_.has_early_delta());
  probes_.saw(Probe::empty_listing, truth_.is_empty());
  probes_.saw(Probe::listing_without_a_bulk_file, !truth_.is_empty() && !truth_.has_bulk());
  probes_.saw(Probe::entry_refused, truth_.has_refused());
  probes_.saw(Probe::entry_refused_with_another_day, truth_.has_form(EntryForm::misdated));
  probes_.saw(Probe::entry_refused_without_a_day, truth_.has_form(EntryForm::undated));
}

}  // namespace vtmirror::test
