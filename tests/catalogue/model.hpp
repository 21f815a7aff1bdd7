// The catalogue's promises again, as plainly as they can be written: vectors in memory. What the catalogue is compared
// with.
#pragma once

#include "catalogue/shown.hpp"

#include <algorithm>
#include <string>
#include <tuple>

namespace vtmirror::test {

class Model {
 public:
  const Memory& memory() const { return memory_; }
  bool has_partial(const std::string& name) const {
    return std::any_of(memory_.partials.begin(), memory_.partials.end(),
                       [&name](const auto& partial) { return partial.name == name; });
  }

  void keep_listing(const std::vector<core::Listed>& files, base::Time at) {
    memory_.listing = {.at = at, .files = files};
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

  void publish(const core::FileRecord& file) {
    ++memory_.generation;
    if (drop(memory_.files, file.name)) note(core::ChangeKind::superseded, file.name, file.published_at);
    note(core::ChangeKind::published, file.name, file.published_at);
    memory_.files.push_back(file);
    sort(memory_.files);
    drop(memory_.quarantined, file.name);
    forget_partial(file.name);
    queue(core::published_notice(file, memory_.generation));
  }
  void remove(const std::string& name, base::Time at) {
    if (!drop(memory_.files, name)) return;
    ++memory_.generation;
    note(core::ChangeKind::removed, name, at);
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

  /// Sorted by name, as the catalogue tells them.
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
  void note(core::ChangeKind kind, const std::string& name, base::Time at) {
    memory_.changes.push_back({.generation = memory_.generation, .kind = kind, .name = name, .at = at});
  }

  Memory memory_;
  std::vector<catalogue::Subscription> channels_;
};

}  // namespace vtmirror::test
