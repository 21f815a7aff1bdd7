#include "agent/consumer_upkeep.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/report/consumers.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

/// The names of the consumers whose files are still kept.
base::Result<std::vector<std::string>> borrowers(const catalogue::Consumers& catalogue, const auto& keeps) {
  const auto all = catalogue.consumers();
  if (!all) return all.error();
  std::vector<std::string> names;
  for (const auto& consumer : *all)
    if (keeps(consumer)) names.push_back(consumer.name);
  return names;
}

std::string words_about(const core::ConsumerRecord& consumer, base::Time now) {
  const auto days = std::chrono::floor<std::chrono::days>(now - consumer.asked).count();
  return "the consumer " + consumer.name + " has not asked for " + base::counted(days, "day") +
         " and was dropped (consumers.forget); if it asks again, it begins with the bulk file";
}

core::Notice notice_of(const core::ConsumerRecord& consumer, base::Time now) {
  core::Notice notice{.topic = core::Topic::warning, .code = "consumer_forgotten"};
  notice.urgency = core::Urgency::warning;
  notice.message = words_about(consumer, now);
  notice.at = now;
  notice.fields = {{"consumer", consumer.name}, {"asked", base::iso8601(consumer.asked)}};
  return notice;
}

/// An answer that is being given counts as soon as it has an offer: that it was asked for is recorded at its end.
bool is_silent(const core::ConsumerRecord& consumer, base::Milliseconds forget, base::Time now) {
  return now - std::max(consumer.asked, consumer.offered_at.value_or(consumer.asked)) >= forget;
}

/// Empty if none is left.
base::Result<std::optional<core::ConsumerRecord>> drop_silent(catalogue::Consumers& catalogue,
                                                              base::Milliseconds forget, base::Time now) {
  auto all = catalogue.consumers();
  if (!all) return all.error();
  const auto silent =
      std::ranges::find_if(*all, [&](const core::ConsumerRecord& each) { return is_silent(each, forget, now); });
  if (silent == all->end()) return std::optional<core::ConsumerRecord>();
  const auto dropped = catalogue.forget(silent->name, {notice_of(*silent, now)});
  if (!dropped) return dropped.error();
  return std::optional(std::move(*silent));
}

}  // namespace

bool has_lease(const core::ConsumerRecord& consumer, base::Milliseconds lease, base::Time now) {
  return consumer.offer && consumer.offered_at && now - *consumer.offered_at < lease;
}

/// One call, so that nothing is lent between its steps.
awaitable<base::Result<void>> withdraw_loans(Ports ports, CatalogueCalls& calls, core::ConsumerRules rules) {
  auto take = [&shelf = ports.shelf, lease = rules.lease,
               now = ports.clock.now()](const catalogue::Consumers& c) -> base::Result<void> {
    const auto names =
        borrowers(c, [lease, now](const core::ConsumerRecord& each) { return has_lease(each, lease, now); });
    if (!names) return names.error();
    return shelf.withdraw(*names);
  };
  auto taken = co_await calls(std::move(take));
  co_return taken;
}

awaitable<base::Result<void>> withdraw_ended_loans(Ports ports, CatalogueCalls& calls) {
  auto take = [&shelf = ports.shelf](const catalogue::Consumers& c) -> base::Result<void> {
    const auto names = borrowers(c, [](const core::ConsumerRecord& each) { return each.offered_at.has_value(); });
    if (!names) return names.error();
    return shelf.withdraw(*names);
  };
  auto taken = co_await calls(std::move(take));
  co_return taken;
}

awaitable<base::Result<void>> tend_consumers(Ports ports, CatalogueCalls& calls, core::ConsumerRules rules) {
  const auto now = ports.clock.now();
  auto correct = [now](catalogue::Consumers& c) { return c.correct_times(now); };
  const auto corrected = co_await calls(std::move(correct));
  if (!corrected) co_return corrected.error();
  // Found and dropped in one call, so that none has asked between the two.
  for (;;) {
    auto drop = [forget = std::max(rules.forget, rules.lease), now](catalogue::Consumers& c) {
      return drop_silent(c, forget, now);
    };
    const auto dropped = co_await calls(std::move(drop));
    if (!dropped) co_return dropped.error();
    if (!*dropped) break;
    ports.journal.log({ports::EventKind::consumer_forgotten,
                       ports::Level::warning,
                       words_about(**dropped, now),
                       {{"consumer", (*dropped)->name}}});
  }
  auto taken = co_await withdraw_loans(ports, calls, rules);
  co_return taken;
}

namespace {

bool is_as_before(const core::ConsumerRecord& one, const core::ConsumerRecord& other) {
  return one.name == other.name && one.created == other.created && one.asked == other.asked &&
         one.acknowledged == other.acknowledged && one.ticket == other.ticket;
}

base::Result<ConsumersSeen> look_again(const catalogue::Catalogue& catalogue, base::Time now, ConsumersSeen seen) {
  constexpr base::Milliseconds longest = std::chrono::hours(1);
  constexpr base::Milliseconds between_readings = std::chrono::minutes(5);
  if (seen.read_at <= now && now - seen.read_at < between_readings) return seen;
  auto records = catalogue.consumers();
  if (!records) return records.error();
  auto edition = catalogue.edition_now();
  if (!edition) return edition.error();
  seen.read_at = now;
  const bool is_fresh = seen.reckoned_at <= now && now - seen.reckoned_at < longest;
  const bool is_same = edition->session == seen.edition.session && edition->generation == seen.edition.generation &&
                       std::ranges::equal(*records, seen.records, is_as_before);
  if (is_fresh && is_same) return seen;
  auto statuses = report::consumer_statuses(catalogue);
  if (!statuses) return statuses.error();
  return ConsumersSeen{std::move(*edition), std::move(*records), std::move(*statuses), now, now};
}

}  // namespace

base::Result<Laggards> read_laggards(const catalogue::Catalogue& catalogue, const core::ConsumerRules& rules,
                                     base::Time now, ConsumersSeen seen) {
  Laggards laggards;
  auto channels = catalogue.failing_channels(now - core::longest_silence);
  if (!channels) return channels.error();
  laggards.channels = std::move(*channels);
  auto consumers = look_again(catalogue, now, std::move(seen));
  if (!consumers) return consumers.error();
  laggards.seen = std::move(*consumers);
  for (const auto& consumer : laggards.seen.statuses)
    if (consumer.behind_since && now - *consumer.behind_since >= rules.lease)
      laggards.consumers.push_back({consumer.name, *consumer.behind_since, consumer.files});
  return laggards;
}

}  // namespace vtmirror::agent
