// Which channels receive which notices, and what happens to waiting notices when the settings change.
#include "catalogue/steps.hpp"
#include "vtmirror/catalogue/notices.hpp"

#include <algorithm>

namespace vtmirror::catalogue {
namespace {

using Names = std::vector<std::string>;

/// "hook" of "hook load-mirror 1f2e3d4c".
std::string_view kind_of(std::string_view channel) { return channel.substr(0, channel.find(' ')); }

/// The first channel of that kind, if it is the only one.
std::string only_one(const Names& channels, std::string_view kind) {
  const auto is_such = [kind](const std::string& channel) { return kind_of(channel) == kind; };
  if (std::count_if(channels.begin(), channels.end(), is_such) != 1) return {};
  return *std::find_if(channels.begin(), channels.end(), is_such);
}

Names without(Names channels, const Names& others) {
  std::erase_if(channels, [&](const std::string& channel) {
    return std::find(others.begin(), others.end(), channel) != others.end();
  });
  return channels;
}

Names known_channels(Transaction& write) {
  return write.rows([](Row& row) { return row.text(0); },
                    "SELECT name FROM channel UNION SELECT channel FROM delivery ORDER BY 1");
}

void subscribe(Transaction& write, const std::vector<Subscription>& channels) {
  write.run("DELETE FROM channel");
  for (const auto& channel : channels) {
    for (const auto topic : channel.topics) {
      write.run("INSERT INTO channel (name, topic) VALUES ($1, $2) ON CONFLICT DO NOTHING", channel.name,
                core::name(topic));
    }
  }
}

/// Moves the waiting notices that the successor subscribes to, as if they had never been tried.
void hand_over(Transaction& write, const std::string& channel, const std::string& successor) {
  write.run(
      "UPDATE delivery SET channel = $1, attempts = 0, cause = '', detail = '', status = 0, "
      "due = (SELECT at FROM notice WHERE notice.id = delivery.notice) "
      "WHERE channel = $2 AND EXISTS (SELECT 1 FROM notice JOIN channel ON channel.topic = notice.topic "
      "WHERE notice.id = delivery.notice AND channel.name = $1)",
      successor, channel);
}

/// Empty if nothing waited for it.
std::optional<EndedChannel> end(Transaction& write, const std::string& channel, const std::string& successor) {
  constexpr std::string_view count = "SELECT count(*) FROM delivery WHERE channel = $1";
  EndedChannel ended{.name = channel, .deliveries = write.number(count, channel).value_or(0)};
  if (ended.deliveries == 0) return std::nullopt;
  if (!successor.empty()) hand_over(write, channel, successor);
  const auto untold = write.number(count, channel).value_or(0);
  if (untold < ended.deliveries) ended.successor = successor;
  ended.handed_over = ended.deliveries - untold;
  write.run("DELETE FROM delivery WHERE channel = $1", channel);
  return ended;
}

}  // namespace

base::Result<std::vector<EndedChannel>> Notices::set_channels(const std::vector<Subscription>& channels) {
  Transaction write(connection(), Purpose::writing);
  Names set;
  for (const auto& channel : channels) set.push_back(channel.name);
  const auto known = known_channels(write);
  subscribe(write, channels);
  const auto gone = without(known, set);
  const auto fresh = without(set, known);
  std::vector<EndedChannel> all;
  for (const auto& channel : gone) {
    const bool alone = only_one(gone, kind_of(channel)) == channel;
    auto ended = end(write, channel, alone ? only_one(fresh, kind_of(channel)) : std::string());
    if (ended) all.push_back(std::move(*ended));
  }
  drop_told_notices(write);
  return write.end(std::move(all));
}

}  // namespace vtmirror::catalogue
