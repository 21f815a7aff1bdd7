// A model that the catalogue is compared with: the same promises, written as plainly as possible with vectors in
// memory.
#pragma once

#include "catalogue/made.hpp"
#include "catalogue/shown.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace vtmirror::test {

class Model {
 public:
  const Memory& memory() const { return memory_; }
  bool has_partial(const std::string& name) const {
    return std::any_of(memory_.partials.begin(), memory_.partials.end(),
                       [&name](const auto& partial) { return partial.name == name; });
  }

  void keep_listing(const core::Listing& listing, base::Time at) {
    const auto stock = core::stock_of(memory_.files);
    calendar_ = core::observe(std::move(calendar_), listing, stock.held, stock.lost);
    memory_.listed_at = at;
    for (auto& file : memory_.quarantined) {
      const auto entry = std::ranges::find(calendar_.files, file.name, &core::ListedFile::name);
      if (entry != calendar_.files.end() && entry->listed)
        file.left_at.reset();
      else if (!file.left_at)
        file.left_at = at;
    }
    see();
  }
  void keep_changed(const std::string& name) {
    mark(name, true);
    see();
  }
  void keep_key_use(base::Time at) { memory_.key_use = at; }

  void keep_partial(const core::PartialRecord& partial) {
    forget_partial(partial.name);
    memory_.partials.push_back(partial);
    sort(memory_.partials);
  }
  void keep_durable(const std::string& name, const core::RangeSet& durable) {
    for (auto& partial : memory_.partials) {
      if (partial.name == name) partial.durable = durable;
    }
  }
  void forget_partial(const std::string& name) { drop(memory_.partials, name); }

  void publish(core::FileRecord file) {
    drop(memory_.quarantined, file.name);
    drop(memory_.unfit, file.name);
    leaving_.erase(file.name);
    forget_partial(file.name);
    mark(file.name, false);
    auto& etag = etags_[{file.name, file.date, file.size, file.sha256}];
    if (file.etag.empty() && !file.sha256.empty()) file.etag = etag;
    if (!file.etag.empty()) etag = file.etag;
    const auto known = find(file.name);
    if (known != memory_.files.end() && is_the_same(*known, file)) {
      known->condition = core::Condition::whole;
      known->etag = file.etag;
      known->probed_at = known->read_at = file.published_at;
    } else {
      replace(std::move(file));
    }
    see();
  }
  void remove(const std::string& name, base::Time at) {
    see();
    calendar_ = memory_.calendar;
    const auto known = find(name);
    if (known == memory_.files.end()) return;
    ++memory_.generation;
    memory_.changes.push_back(change(memory_.generation, core::ChangeKind::removed, *known, at));
    leaving_[name] = *known;
    memory_.files.erase(known);
    see();
  }
  void take_back(const std::string& name, base::Time at) {
    const auto known = leaving_.extract(name);
    if (!known) return;
    ++memory_.generation;
    memory_.changes.push_back(change(memory_.generation, core::ChangeKind::published, known.mapped(), at));
    auto file = known.mapped();
    file.published_at = at;
    queue(core::published_notice(file, memory_.generation));
    memory_.files.push_back(known.mapped());
    sort(memory_.files);
    see();
  }
  void keep_gone(const std::string& name) { leaving_.erase(name); }
  std::vector<core::FileRecord> leaving() const {
    std::vector<core::FileRecord> files;
    for (const auto& [name, file] : leaving_) files.push_back(file);
    return files;
  }
  /// Returns true if the file is held and its condition changed.
  bool keep_condition(const std::string& name, core::Condition condition) {
    const auto known = find(name);
    if (known == memory_.files.end() || known->condition == condition) return false;
    calendar_ = memory_.calendar;
    known->condition = condition;
    see();
    return true;
  }
  void keep_unfit(std::vector<core::Unfit> files) {
    std::ranges::sort(files, {}, &core::Unfit::name);
    memory_.unfit = std::move(files);
  }
  void settle(const std::string& content) {
    if (content != content_ && settled_ == memory_.generation && memory_.generation > 0) ++memory_.generation;
    content_ = content;
    settled_ = memory_.generation;
  }
  void keep_written(std::int64_t generation) { written_ = generation; }
  /// Whether a notice may be sent to that channel now.
  bool has_next(const std::string& channel) const {
    return std::ranges::any_of(memory_.deliveries, [&](const auto& delivery) {
      return delivery.channel == channel && generation_of(delivery.notice) <= written_;
    });
  }
  void keep_quarantined(const core::QuarantinedFile& file) {
    drop(memory_.quarantined, file.name);
    memory_.quarantined.push_back(file);
    std::sort(memory_.quarantined.begin(), memory_.quarantined.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    forget_partial(file.name);
  }

  void begin_cycle(std::int64_t id, base::Time started) {
    memory_.cycles.insert(memory_.cycles.begin(), {.id = id, .started = started});
  }
  void finish_cycle(const core::CycleRecord& cycle, const std::vector<core::Notice>& notices) {
    for (auto& known : memory_.cycles) {
      if (known.id != cycle.id) continue;
      const auto started = known.started;
      known = cycle;
      known.started = started;
    }
    for (const auto& notice : notices) queue(notice);
  }

  /// `channels` are sorted by name, as the catalogue returns them.
  void set_channels(const std::vector<catalogue::Subscription>& channels) {
    channels_ = channels;
    std::erase_if(memory_.deliveries, [this](const auto& delivery) {
      return std::none_of(channels_.begin(), channels_.end(),
                          [&](const auto& channel) { return channel.name == delivery.channel; });
    });
  }
  void keep_delivered(std::size_t which, base::Time at) {
    const auto channel = memory_.deliveries[which].channel;
    memory_.deliveries.erase(memory_.deliveries.begin() + static_cast<std::ptrdiff_t>(which));
    for (auto& delivery : memory_.deliveries)
      if (delivery.channel == channel) delivery.due = std::min(delivery.due, at);
  }
  void keep_undelivered(std::size_t which, base::Time due, const core::Cause& cause) {
    auto& delivery = memory_.deliveries[which];
    ++delivery.attempts;
    delivery.due = due;
    delivery.cause = cause;
  }

 private:
  template <class Things>
  static bool drop(Things& things, const std::string& name) {
    return std::erase_if(things, [&name](const auto& thing) { return thing.name == name; }) > 0;
  }
  template <class Things>
  static void sort(Things& things) {
    std::sort(things.begin(), things.end(), [](const auto& a, const auto& b) {
      return std::tie(a.kind, a.date, a.name) < std::tie(b.kind, b.date, b.name);
    });
  }
  void queue(const core::Notice& notice) {
    for (const auto& channel : channels_) {
      if (std::count(channel.topics.begin(), channel.topics.end(), notice.topic) == 0) continue;
      memory_.deliveries.push_back({.channel = channel.name, .notice = notice, .due = notice.at});
    }
  }
  static std::int64_t generation_of(const core::Notice& notice) {
    for (const auto& field : notice.fields)
      if (field.key == "generation") return std::get<std::int64_t>(field.value);
    return 0;
  }
  static bool is_the_same(const core::FileRecord& before, const core::FileRecord& file) {
    return before.kind == file.kind && edition_of(before) == edition_of(file) && !file.sha256.empty();
  }
  std::vector<core::FileRecord>::iterator find(const std::string& name) {
    return std::ranges::find(memory_.files, name, &core::FileRecord::name);
  }
  void mark(const std::string& name, bool changed) {
    const auto listed = std::ranges::find(calendar_.files, name, &core::ListedFile::name);
    if (listed != calendar_.files.end()) listed->changed = changed;
  }
  /// Publishes the first edition of a file, or one that supersedes the edition that is held.
  void replace(core::FileRecord file) {
    file.since = ++memory_.generation;
    auto published = change(file.since, core::ChangeKind::published, file, file.published_at);
    if (const auto older = find(file.name); older != memory_.files.end()) {
      memory_.changes.push_back(change(file.since, core::ChangeKind::superseded, *older, file.published_at));
      published.before = edition_of(*older);
      memory_.files.erase(older);
    }
    memory_.changes.push_back(published);
    queue(core::published_notice(file, memory_.generation));
    file.probed_at = file.read_at = file.published_at;
    memory_.files.push_back(std::move(file));
    sort(memory_.files);
  }
  /// Updates the calendar with what is held now.
  void see() {
    const auto stock = core::stock_of(memory_.files);
    memory_.calendar = core::with_stock(calendar_, stock.held, stock.lost);
  }

  Memory memory_;
  std::map<std::string, core::FileRecord> leaving_;
  core::Calendar calendar_;  ///< as it was kept last
  std::string content_;
  std::int64_t settled_ = 0;
  std::int64_t written_ = 0;
  std::vector<catalogue::Subscription> channels_;
  std::map<std::tuple<std::string, std::chrono::year_month_day, std::int64_t, std::string>, std::string>
      etags_;  ///< of all bytes that were ever held
};

}  // namespace vtmirror::test
