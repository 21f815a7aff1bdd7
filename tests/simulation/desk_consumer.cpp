#include "simulation/desk_consumer.hpp"

#include <algorithm>

namespace vtmirror::test {

namespace {

using core::Acknowledgement;
using core::LoadAction;
using core::LoadReason;

std::string content_of(const core::Offer& offer) {
  std::string text(core::name(offer.action));
  for (const auto& file : offer.files) text += ' ' + file.name + ' ' + file.sha256;
  return text;
}

bool is_whole(const core::Held& file, const DeskConsumer::Files& lent) {
  const auto found = lent.find(file.name);
  return found != lent.end() && std::ssize(found->second) == file.size &&
         MemoryStorage::digest(found->second) == file.sha256 && MemoryStorage::whole(found->second);
}

std::string key_of(const core::Held& file) { return file.name + ' ' + file.sha256; }

/// After the lease and a cycle, and some cycles take days.
constexpr std::chrono::days longest_cycle{5};

}  // namespace

void DeskConsumer::asks() {
  speaks();
  if (!std::exchange(is_heard_of_, true)) keeps_up_since_ = observer_.now();
  unanswered_since_ = observer_.now();
  if (!unheard_since_) unheard_since_ = observer_.now();
}

void DeskConsumer::sends_word(const std::string& ticket) {
  speaks();
  is_word_repeated_ = std::exchange(word_, ticket) == ticket;
}

void DeskConsumer::speaks() {
  const auto now = observer_.now();
  if (spoke_ != now) silence_ = spoke_ ? now - std::max(*spoke_, cycles_from_) : base::Milliseconds(0);
  spoke_ = now;
}

bool DeskConsumer::may_be_forgotten() const {
  return !asked_ || observer_.now() - *asked_ >= std::max(rules_.forget, rules_.lease) - slack_;
}

bool DeskConsumer::must_be_forgotten() const {
  return silence_ >= std::max(rules_.forget, rules_.lease) + slack_ + longest_cycle;
}

/// `is_forgotten`: by the mirror's word.
void DeskConsumer::check_forgotten(bool is_forgotten) {
  expect(!is_forgotten || !is_known_ || may_be_forgotten(), "a consumer is forgotten only after its time: ");
  expect(is_forgotten || !is_known_ || !must_be_forgotten(), "a consumer that never asks is forgotten: ");
  probes_.saw(Probe::consumer_forgotten, is_forgotten && is_known_);
  if (is_forgotten && is_known_) {
    // The mirror may know it again since a question whose answer did not come.
    const auto asked_first = unheard_since_;
    was_forgotten();
    keeps_up_since_ = asked_first.value_or(keeps_up_since_);
  }
  silence_ = base::Milliseconds(0);
}

/// An answer to a consumer that has loaded nothing begins with the bulk file, for that reason. One that has to wait may
/// be known or not.
void DeskConsumer::check_remembered(const core::Offer& offer) {
  if (may_be_forgotten()) lacks_since_.reset();
  if (offer.action != LoadAction::wait) return check_forgotten(offer.why.reason == LoadReason::first);
  is_known_ = is_known_ && !may_be_forgotten();
}

void DeskConsumer::answered(const agent::NextFiles& answer, const Files& lent, bool some_are_rotten) {
  const auto now = observer_.now();
  const auto& offer = answer.offer;
  count(offer);
  check_remembered(offer);
  is_heard_of_ = true;
  asked_ = std::exchange(unanswered_since_, std::nullopt);
  const auto since = std::exchange(unheard_since_, std::nullopt).value_or(now);
  const bool has_files = offer.action == LoadAction::append || offer.action == LoadAction::reload;
  if (!has_files) up_to_date_at_ = keeps_up_since_ = now;
  if (!has_files) lacks_since_.reset();
  expect(has_files == !offer.files.empty(), "an answer has files if there is something to load: ");
  expect(answer.paths.size() == offer.files.size(), "each file of an answer has a path: ");
  const bool is_same = kept_ && kept_->answer.ticket == answer.ticket;
  if (is_same && has_files) return check_repeated(answer, lent, some_are_rotten);
  if (may_be_acknowledged()) {
    probes_.saw(Probe::consumer_word_heard_without_an_answer, !may_be_another());
    is_known_ = is_known_ || !may_be_another();
    may_repeat_ = may_repeat_ || may_be_another();
    open_.clear();
    end_answer();
  }
  check_new(answer);
  end_answer();
  if (!has_files) return;
  kept_ = Kept{.answer = answer, .given = lent, .since = since, .until = now + rules_.lease + slack_};
  for (const auto& file : offer.files) {
    const bool whole = is_whole(file, lent);
    kept_->is_rotten = kept_->is_rotten || !whole;
    expect(whole || some_are_rotten, "the files of an answer can be read, and are those that it names: ");
  }
  kept_->may_be_taken_back = some_are_rotten;
  probes_.saw(Probe::consumer_offered_a_rotten_file, kept_->is_rotten);
}

void DeskConsumer::is_damaged(const std::string& name) {
  if (kept_ && std::ranges::find(kept_->answer.offer.files, name, &core::Held::name) != kept_->answer.offer.files.end())
    kept_->may_be_taken_back = true;
}

bool DeskConsumer::is_answer_damaged(const Files& lent) const {
  return kept_ && kept_->may_be_taken_back &&
         !std::ranges::all_of(kept_->answer.offer.files, [&lent](const auto& file) { return is_whole(file, lent); });
}

void DeskConsumer::count(const core::Offer& offer) {
  probes_.saw(Probe::consumer_appends, offer.action == LoadAction::append);
  probes_.saw(Probe::consumer_reloads, offer.action == LoadAction::reload);
  probes_.saw(Probe::consumer_waits, offer.action == LoadAction::wait);
  probes_.saw(Probe::consumer_is_up_to_date, offer.action == LoadAction::none);
  probes_.saw(Probe::consumer_offered_a_late_delta, offer.why.reason == LoadReason::late);
  probes_.saw(Probe::consumer_reloads_a_replaced_file, offer.why.reason == LoadReason::replaced);
  probes_.saw(Probe::consumer_reloads_after_a_gap,
              offer.action == LoadAction::reload && offer.why.reason == LoadReason::gap);
}

/// Each time it is given, its lease begins anew, also after its end.
void DeskConsumer::check_repeated(const agent::NextFiles& answer, const Files& lent, bool some_are_rotten) {
  expect(kept_->answer.offer == answer.offer, "an answer is the same until it is acknowledged: ");
  const bool are_whole =
      std::ranges::all_of(answer.offer.files, [&](const auto& file) { return is_whole(file, lent); });
  expect(are_whole || some_are_rotten || kept_->is_rotten || kept_->may_be_taken_back,
         "the files of an answer that is given again can be read: ");
  probes_.saw(Probe::consumer_names_made_again, kept_->lacks_names);
  if (std::exchange(kept_->lacks_names, false)) kept_->given = lent;
  probes_.saw(Probe::consumer_answered_the_same);
  const bool is_over = is_lease_over();
  probes_.saw(Probe::consumer_answer_renewed, is_over);
  kept_->since = observer_.now();
  kept_->until = observer_.now() + rules_.lease + slack_;
  kept_->may_end = kept_->may_end || (is_over && slack_ > std::chrono::hours(1));
}

void DeskConsumer::check_new(const agent::NextFiles& answer) {
  if (kept_) {
    expect(may_be_another(), "an answer is another one only after the lease, or after its acknowledgement: ");
    probes_.saw(Probe::consumer_answer_replaced_after_the_lease);
    may_repeat_ = may_repeat_ || !open_.empty();
    open_.clear();
  }
  if (answer.offer.files.empty()) return;
  expect(!answer.ticket.empty(), "an answer with files has a ticket: ");
  // The consumer may have been killed before it read the first answer.
  const auto content = content_of(answer.offer);
  const auto known = given_.emplace(answer.ticket, content).first;
  expect(known->second == content, "no ticket is given for two answers: ");
}

bool DeskConsumer::load(const agent::NextFiles& answer, const Files& lent, const TrueService& service) {
  const auto& files = answer.offer.files;
  if (!std::ranges::all_of(files, [&lent](const core::Held& file) { return is_whole(file, lent); })) {
    expect(!kept_ || kept_->is_rotten || may_be_another(), "what was offered can be loaded for the lease: ");
    return false;
  }
  if (answer.offer.action == LoadAction::reload) empty_table();
  check_order(answer);
  check_join(answer);
  const auto as_of = [](const core::Held& file) { return file.kind == core::Kind::bulk; };
  expect(std::ranges::count_if(files, as_of) == (answer.offer.action == LoadAction::reload ? 1 : 0),
         "a bulk file is loaded into an empty table, and deltas into one that is not: ");
  for (const auto& file : files) apply(file, lent.at(file.name).front(), service);
  expect(brought_by_ == newest_, "no older data stays on top of newer data: ");
  start_ = answer.offer.after.start;
  ticket_ = open_ = answer.ticket;
  may_repeat_ = false;
  lacks_since_.reset();
  return true;
}

/// What is loaded once more follows a delta that was listed late.
void DeskConsumer::check_order(const agent::NextFiles& answer) {
  const auto& files = answer.offer.files;
  const auto by_date = [](const core::Held& a, const core::Held& b) { return a.date < b.date; };
  expect(std::ranges::is_sorted(files, by_date), "files are loaded in the order of their days: ");
  const auto was_applied = [this](const core::Held& file) { return applied_.contains(key_of(file)); };
  const bool repeats = std::ranges::any_of(files, was_applied);
  probes_.saw(Probe::consumer_loads_twice_after_the_lease, repeats && may_repeat_);
  const bool is_late = answer.offer.why.reason == LoadReason::late && !was_applied(files.front());
  expect(!repeats || is_late || may_repeat_, "each file is loaded once: ");
}

/// The days between two chains were loaded, or the answer says that they are taken for absent.
void DeskConsumer::check_join(const agent::NextFiles& answer) {
  const auto& offer = answer.offer;
  assumed_.insert(offer.assumes_absent.begin(), offer.assumes_absent.end());
  if (offer.action != LoadAction::append || offer.after.start <= start_) return;
  probes_.saw(Probe::consumer_joins);
  probes_.saw(Probe::consumer_joins_on_absent_days, !offer.assumes_absent.empty());
  expect(!rules_.strict || offer.assumes_absent.empty(), "a strict consumer assumes no absence: ");
  std::set<base::Date> loaded;
  for (const auto& file : offer.files) loaded.insert(file.date);
  for (auto day = start_; day < offer.after.start; day = base::next_day(day))
    expect(days_.contains(day) || loaded.contains(day) || assumed_.contains(day),
           "a join leaves out no day that it does not name: ");
}

void DeskConsumer::apply(const core::Held& file, int version, const TrueService& service) {
  ++applied_[key_of(file)];
  if (file.kind == core::Kind::delta) ++days_[file.date];
  const auto* edition = service.edition(file.name, version);
  expect(edition != nullptr, "what is loaded was made by the service: ");
  if (edition == nullptr) return;
  for (const auto& [day_number, row] : edition->rows) {
    table_[day_number] = row;
    brought_by_[day_number] = file.date;
    newest_[day_number] = std::max(newest_[day_number], file.date);
  }
}

/// A ticket is refused only where it stands for no answer any more: the lease was over and another answer was given,
/// which did not come, or the consumer was forgotten.
void DeskConsumer::acknowledged(const std::string& ticket, core::Acknowledgement outcome) {
  const bool is_open = kept_ && kept_->answer.ticket == ticket;
  const bool may_be_replaced = may_be_another() && unanswered_since_;
  check_forgotten(outcome == Acknowledgement::unknown_consumer);
  switch (outcome) {
    case Acknowledgement::done:
      expect(is_open, "an acknowledgement counts for the answer that waits for it: ");
      asked_ = spoke_;
      break;
    case Acknowledgement::repeated:
      probes_.saw(Probe::consumer_acknowledged_twice);
      expect(is_word_repeated_, "an acknowledgement is a repeated one only if it was sent before: ");
      break;
    case Acknowledgement::unknown_consumer:
      expect(may_be_forgotten(), "a consumer that has asked is known: ");
      was_forgotten();
      break;
    case Acknowledgement::unknown_ticket:
      expect(!is_open || may_be_replaced || may_be_forgotten(), "the ticket of an answer can be acknowledged: ");
      break;
  }
  const bool counts = outcome == Acknowledgement::done || outcome == Acknowledgement::repeated;
  is_known_ = is_known_ || counts;
  may_repeat_ = may_repeat_ || (!counts && open_ == ticket);
  if (open_ == ticket) open_.clear();
  if (is_open) end_answer();
}

void DeskConsumer::end_answer() {
  if (kept_) ended_ = observer_.now();
  kept_.reset();
}

/// Files are given back with the acknowledgement, or with the cycle after it, and otherwise with the cycle after the
/// lease. An answer may have been given that did not come.
bool DeskConsumer::may_be_lent() const {
  const auto is_within = [now = observer_.now()](std::optional<base::Time> since, base::Milliseconds time) {
    return since && now - *since < time + longest_cycle;
  };
  const auto until = kept_ ? std::optional(kept_->until) : std::nullopt;
  return is_within(ended_, base::Milliseconds(0)) || is_within(until, base::Milliseconds(0)) ||
         is_within(unanswered_since_, rules_.lease + slack_);
}

void DeskConsumer::check_lent(const Files* lent) {
  const bool is_free = lent == nullptr || lent->empty();
  observer_.expect(is_free || may_be_lent(), "nothing is kept for a consumer after the lease: ", habits_.name);
  if (!kept_) return;
  probes_.saw(Probe::consumer_files_given_back_after_the_lease, is_free && is_lease_over());
  if (may_be_another() || may_be_acknowledged()) return;
  observer_.expect(!is_free && *lent == kept_->given, "what was offered stays as it was for the lease: ", habits_.name);
}

void DeskConsumer::was_forgotten() {
  end_answer();
  asked_.reset();
  up_to_date_at_.reset();
  lacks_since_.reset();
  unheard_since_.reset();
  keeps_up_since_ = observer_.now();
  is_known_ = false;
  is_heard_of_ = false;
}

/// What was loaded is not acknowledged for certain; what was not loaded is not.
void DeskConsumer::compare_with(const ports::Manifest& manifest) {
  const auto& files = manifest.chain.files;
  const bool lacks = std::ranges::any_of(files, [this](const core::Held& file) {
    return file.kind == core::Kind::delta && !applied_.contains(key_of(file));
  });
  if (!manifest.chain.complete || !lacks || !is_heard_of_) return lacks_since_.reset();
  if (!lacks_since_) lacks_since_ = observer_.now();
}

bool DeskConsumer::keeps_up(base::Time judged_at) const {
  const auto age = observer_.now() - keeps_up_since_;
  return keeps_up_since_ < judged_at && (!is_heard_of_ || age < rules_.lease - slack_);
}

bool DeskConsumer::is_behind() const {
  constexpr std::chrono::days between_looks{2};
  const bool is_long = lacks_since_ && observer_.now() - *lacks_since_ >= rules_.lease + slack_ + between_looks;
  return is_long && !may_be_forgotten();
}

void DeskConsumer::empty_table() {
  table_.clear();
  applied_.clear();
  days_.clear();
  brought_by_.clear();
  newest_.clear();
  assumed_.clear();
}

}  // namespace vtmirror::test
