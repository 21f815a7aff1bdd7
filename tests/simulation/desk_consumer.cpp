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

void DeskConsumer::answered(const agent::NextFiles& answer, const Files& lent, bool some_are_rotten) {
  const auto now = observer_.now();
  if (asked_ && now - *asked_ >= rules_.forget - slack_) was_forgotten();
  asked_ = now;
  unanswered_since_.reset();
  const auto& offer = answer.offer;
  count(offer);
  const bool has_files = offer.action == LoadAction::append || offer.action == LoadAction::reload;
  if (!has_files) up_to_date_at_ = now;
  expect(has_files == !offer.files.empty(), "an answer has files if there is something to load: ");
  expect(answer.paths.size() == offer.files.size(), "each file of an answer has a path: ");
  const bool is_same = kept_ && kept_->answer.ticket == answer.ticket;
  if (is_same && has_files) return check_repeated(answer);
  if (may_be_acknowledged()) {
    probes_.saw(Probe::consumer_word_heard_without_an_answer, !is_lease_over());
    may_repeat_ = may_repeat_ || is_lease_over();
    open_.clear();
    end_answer();
  }
  check_new(answer);
  end_answer();
  if (!has_files) return;
  kept_ = Kept{.answer = answer, .given = lent, .since = now, .until = now + rules_.lease + slack_};
  for (const auto& file : offer.files) {
    const bool whole = is_whole(file, lent);
    kept_->is_rotten = kept_->is_rotten || !whole;
    expect(whole || some_are_rotten, "the files of an answer can be read, and are those that it names: ");
  }
  probes_.saw(Probe::consumer_offered_a_rotten_file, kept_->is_rotten);
}

void DeskConsumer::count(const core::Offer& offer) {
  probes_.saw(Probe::consumer_appends, offer.action == LoadAction::append);
  probes_.saw(Probe::consumer_reloads, offer.action == LoadAction::reload);
  probes_.saw(Probe::consumer_waits, offer.action == LoadAction::wait);
  probes_.saw(Probe::consumer_is_up_to_date, offer.action == LoadAction::none);
  probes_.saw(Probe::consumer_offered_a_late_delta, offer.why.reason == LoadReason::late);
  probes_.saw(Probe::consumer_reloads_a_replaced_file, offer.why.reason == LoadReason::replaced);
  probes_.saw(Probe::consumer_reloads_after_a_gap, offer.why.reason == LoadReason::gap);
}

/// After the lease the same answer may stand for another one.
void DeskConsumer::check_repeated(const agent::NextFiles& answer) {
  expect(kept_->answer.offer == answer.offer, "an answer is the same until it is acknowledged: ");
  probes_.saw(Probe::consumer_answered_the_same);
  if (!is_lease_over()) return;
  probes_.saw(Probe::consumer_answer_renewed);
  kept_->since = observer_.now();
  kept_->until = observer_.now() + rules_.lease + slack_;
  kept_->may_end = slack_ > std::chrono::hours(1);
}

void DeskConsumer::check_new(const agent::NextFiles& answer) {
  if (kept_) {
    expect(is_lease_over(), "an answer is another one only after the lease, or after its acknowledgement: ");
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
    expect(!kept_ || kept_->is_rotten || is_lease_over(), "what was offered can be loaded for the lease: ");
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

void DeskConsumer::acknowledged(const std::string& ticket, core::Acknowledgement outcome) {
  const bool is_known = kept_ && kept_->answer.ticket == ticket;
  probes_.saw(Probe::consumer_acknowledged_twice, outcome == Acknowledgement::repeated);
  expect(!is_known || outcome == Acknowledgement::done || outcome == Acknowledgement::repeated,
         "the ticket of an answer can be acknowledged: ");
  if (open_ == ticket) open_.clear();
  if (is_known) end_answer();
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
  if (is_lease_over() || may_be_acknowledged()) return;
  observer_.expect(!is_free && *lent == kept_->given, "what was offered stays as it was for the lease: ", habits_.name);
}

void DeskConsumer::was_forgotten() {
  probes_.saw(Probe::consumer_forgotten, asked_ && observer_.now() - *asked_ >= rules_.forget);
  end_answer();
  asked_.reset();
  up_to_date_at_.reset();
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
