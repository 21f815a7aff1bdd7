#include "catalogue/model.hpp"
#include "catalogue/made.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <array>
#include <functional>
#include <random>

namespace vtmirror::test {
namespace {

/// Makes the same random calls on a catalogue and on its model.
class Pair {
 public:
  Pair(unsigned seed, std::string path) : dice_(seed), path_(std::move(path)) {}

  void call_something() {
    static const std::vector<std::function<void(Pair&)>> calls{
        &Pair::keep_listing, &Pair::keep_key_use,  &Pair::keep_partial, &Pair::keep_partial,     &Pair::keep_durable,
        &Pair::keep_durable, &Pair::keep_durable,  &Pair::publish,      &Pair::publish,          &Pair::remove,
        &Pair::forget,       &Pair::begin_a_cycle, &Pair::finish_one,   &Pair::keep_quarantined, &Pair::open_again,
        &Pair::set_channels, &Pair::deliver,       &Pair::deliver,      &Pair::fail_to_deliver,  &Pair::keep_condition,
        &Pair::keep_unfit,   &Pair::settle,        &Pair::keep_written, &Pair::keep_changed,     &Pair::take_back,
        &Pair::keep_gone};
    calls[static_cast<std::size_t>(roll(static_cast<int>(calls.size())))](*this);
  }

  void compare() {
    CHECK(shown(catalogue_) == shown(model_.memory()));
    CHECK(catalogue_.leaving().value() == model_.leaving());
    const auto since = roll(static_cast<int>(model_.memory().generation) + 1);
    std::size_t later = 0;
    for (const auto& change : model_.memory().changes) later += change.generation > since ? 1U : 0U;
    CHECK(catalogue_.changes_since(since).value().size() == later);
    for (const std::string channel : {"a hook", "mail", "webhook"}) {
      CAPTURE(channel);
      for (const auto order : {core::DeliveryOrder::kept, core::DeliveryOrder::newest, core::DeliveryOrder::by_due})
        CHECK(catalogue_.next_delivery(channel, order).value().has_value() == model_.has_next(channel));
    }
  }

 private:
  int roll(int sides) { return static_cast<int>(dice_() % static_cast<unsigned>(sides)); }
  int number() { return roll(4); }
  base::Time some_time() { return at(roll(100'000) - 50'000); }

  std::string some_text() {
    static const std::vector<std::string> texts{
        "", "plain", "it's \"quoted\"; --", "ünïcödé", std::string("a\0b", 3), "%s\n"};
    return texts[static_cast<std::size_t>(roll(static_cast<int>(texts.size())))];
  }

  core::RangeSet some_ranges(std::int64_t size) {
    core::RangeSet set;
    for (int i = roll(4); i > 0; --i) {
      const std::int64_t begin = roll(static_cast<int>(size) - 1);
      set.add({begin, std::min<std::int64_t>(size, begin + 1 + roll(200))});
    }
    return set;
  }

  void keep_listing() {
    std::vector<core::Listed> files;
    for (int i = roll(4); i > 0; --i) files.push_back(listed(roll(8)));
    auto made = listing(files);
    for (auto& entry : made.entries) entry.size += roll(2);
    const core::FailedCheck failed =
        roll(2) == 0 ? core::FailedCheck{core::EntryCheck::size, "fileSize"} : core::FailedCheck();
    if (roll(3) == 0)
      made.refused.push_back({core::Kind::delta, delta_name(roll(8)), some_text(), day(roll(8)), failed});
    if (roll(6) == 0) made.refused.push_back({core::Kind::bulk, "bulk[0]", some_text(), std::nullopt, failed});
    const auto when = some_time();
    CHECK(catalogue_.keep_listing(made, when));
    model_.keep_listing(made, when);
  }
  void keep_changed() {
    const auto name = delta_name(roll(8));
    CHECK(catalogue_.keep_changed(name));
    model_.keep_changed(name);
  }
  void keep_condition() {
    const auto name = delta_name(number());
    const auto condition = std::array{core::Condition::whole, core::Condition::damaged,
                                      core::Condition::lost}[static_cast<std::size_t>(roll(3))];
    CHECK(catalogue_.keep_condition(name, condition).value() == model_.keep_condition(name, condition));
  }
  void keep_unfit() {
    std::vector<core::Unfit> files;
    for (int i = 0; i < 4; ++i)
      if (roll(3) == 0) files.push_back(unfit(i));
    CHECK(catalogue_.keep_unfit(files));
    model_.keep_unfit(files);
  }
  void settle() {
    const auto content = some_text();
    const auto when = some_time();
    model_.settle(content);
    const auto before = catalogue_.edition().value();
    const auto settled = catalogue_.settle(content, when).value();
    CHECK(settled.generation == model_.memory().generation);
    CHECK(settled.session == before.session);
    CHECK(settled.at == (settled.generation == before.generation ? before.at : when));
  }
  void keep_written() {
    const auto generation = model_.memory().generation - (roll(3) == 0 ? 1 : 0);
    CHECK(catalogue_.keep_written(generation));
    model_.keep_written(generation);
  }
  void keep_key_use() {
    const auto when = some_time();
    CHECK(catalogue_.keep_key_use(when));
    model_.keep_key_use(when);
  }
  void keep_partial() {
    auto kept = partial(number());
    kept.size += roll(100'000);
    kept.durable = some_ranges(kept.size);
    kept.etag = some_text();
    CHECK(catalogue_.keep_partial(kept));
    model_.keep_partial(kept);
  }
  void keep_durable() {
    const auto name = delta_name(number());
    const auto durable = some_ranges(1000);
    CHECK(catalogue_.keep_durable(name, durable).has_value() == model_.has_partial(name));
    model_.keep_durable(name, durable);
  }
  void forget() {
    const auto name = delta_name(number());
    CHECK(catalogue_.forget_partial(name));
    model_.forget_partial(name);
  }
  void publish() {
    auto published = file(number());
    published.kind = roll(2) == 0 ? core::Kind::bulk : core::Kind::delta;
    published.sha256 = some_text();
    published.published_at = some_time();
    const auto& held = model_.memory().files;
    if (!held.empty() && roll(3) == 0) {
      const auto etag = published.etag;
      published = held[static_cast<std::size_t>(roll(static_cast<int>(held.size())))];
      published.etag = etag;
      published.condition = core::Condition::whole;
    }
    model_.publish(published);
    CHECK(catalogue_.publish(published).value() == model_.memory().generation);
  }
  void remove() {
    const auto name = delta_name(number());
    const auto when = some_time();
    model_.remove(name, when);
    CHECK(catalogue_.remove({name}, when).value() == model_.memory().generation);
  }
  void take_back() {
    const auto name = delta_name(number());
    const auto when = some_time();
    model_.take_back(name, when);
    CHECK(catalogue_.take_back(name, when).value() == model_.memory().generation);
  }
  void keep_gone() {
    const auto name = delta_name(number());
    model_.keep_gone(name);
    CHECK(catalogue_.keep_gone({name}));
  }
  void keep_quarantined() {
    auto refused = quarantined(number());
    refused.cause.detail = some_text();
    CHECK(catalogue_.keep_quarantined(refused));
    model_.keep_quarantined(refused);
  }
  void begin_a_cycle() {
    const auto when = some_time();
    model_.begin_cycle(catalogue_.begin_cycle(when).value(), when);
  }
  void finish_one() {
    const auto begun = model_.memory().cycles.size();
    if (begun == 0) return;
    const auto& cycle = model_.memory().cycles[static_cast<std::size_t>(roll(static_cast<int>(begun)))];
    auto record = finished(cycle.id, roll(100));
    record.failure->cause = {
        .code = base::Errc::io, .subject = some_text(), .detail = some_text(), .status = roll(600)};
    record.failure->cause.fields = {{"needed", std::int64_t{roll(100)}}, {"words", some_text()}};
    std::vector<core::Notice> notices;
    for (int i = roll(3); i > 0; --i) notices.push_back(notice(roll(8)));
    CHECK(catalogue_.finish_cycle(record, notices));
    model_.finish_cycle(record, notices);
  }
  void set_channels() {
    std::vector<catalogue::Subscription> channels;
    for (const std::string name : {"a hook", "mail", "webhook"}) {
      std::vector<core::Topic> topics;
      for (const auto topic : every_topic)
        if (roll(2) == 0) topics.push_back(topic);
      if (!topics.empty()) channels.push_back({name, topics});
    }
    CHECK(catalogue_.set_channels(channels));
    model_.set_channels(channels);
  }
  /// The index of a random pending delivery, which is the same in catalogue and model; empty if none is pending.
  std::optional<std::size_t> some_delivery() {
    const auto count = static_cast<int>(model_.memory().deliveries.size());
    return count == 0 ? std::nullopt : std::optional(static_cast<std::size_t>(roll(count)));
  }
  void deliver() {
    const auto which = some_delivery();
    if (!which) return;
    const auto delivery = catalogue_.deliveries().value().at(*which);
    const auto when = some_time();
    CHECK(catalogue_.keep_delivered(delivery.channel, delivery.notice.id, core::DeliveryOrder::kept, when));
    model_.keep_delivered(*which, when);
  }
  void fail_to_deliver() {
    const auto which = some_delivery();
    if (!which) return;
    const auto delivery = catalogue_.deliveries().value().at(*which);
    const auto due = some_time();
    core::Cause cause{.code = base::Errc::timed_out, .detail = some_text(), .status = roll(600)};
    CHECK(catalogue_.keep_undelivered(delivery.channel, delivery.notice.id, due, cause));
    model_.keep_undelivered(*which, due, cause);
  }
  void open_again() {
    if (path_ == ":memory:") return;
    catalogue_ = opened(":memory:");  // closes the file first
    catalogue_ = opened(path_);
  }

  std::mt19937 dice_;
  std::string path_;
  catalogue::Catalogue catalogue_ = opened(path_);
  Model model_;
};

TEST_CASE("any sequence of calls is remembered as a plain model remembers it") {
  for (unsigned seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    Pair pair(seed, ":memory:");
    for (int call = 0; call < 60; ++call) {
      pair.call_something();
      pair.compare();
    }
  }
}

TEST_CASE("a file that is opened again between any two calls remembers the same") {
  const TemporaryDirectory directory(TemporaryDirectory::base_in_memory());
  for (unsigned seed = 1000; seed < 1008; ++seed) {
    CAPTURE(seed);
    Pair pair(seed, (directory / (std::to_string(seed) + ".db")).string());
    for (int call = 0; call < 60; ++call) pair.call_something();
    pair.compare();
  }
}

}  // namespace
}  // namespace vtmirror::test
