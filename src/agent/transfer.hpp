// One file from the store to durable bytes in its partial: lanes that share the pieces, links that end, stores that
// misbehave. Promises that the partial holds bytes of one object only. Never publishes and never judges the contents.
#pragma once

#include "agent/answer.hpp"
#include "agent/blocks.hpp"
#include "agent/ledger.hpp"
#include "agent/link_supply.hpp"
#include "agent/partial_writer.hpp"
#include "agent/rate_limit.hpp"
#include "agent/task_group.hpp"
#include "vtmirror/agent/agent.hpp"
#include "vtmirror/core/retry.hpp"

#include <list>
#include <memory>
#include <optional>
#include <string>

namespace vtmirror::agent {

/// What all transfers of a cycle share. Borrowed.
struct Shared {
  Parts parts;
  const CycleSettings& settings;
  LinkSupply& links;
  RateLimit& rate;
  Blocks& blocks;
  Ledger& ledger;
};

class Transfer {
 public:
  /// `partial` is what the catalogue remembers of the file, or a new record without durable bytes.
  Transfer(Shared shared, catalogue::Partial partial, ports::DownloadProgress& progress);

  /// Fetches what is not durable yet; `fresh` forgets what there is. Errors: whatever ended it for this cycle.
  boost::asio::awaitable<base::Result<void>> run(bool fresh);

  /// The record as it stands: identity and durable ranges.
  const catalogue::Partial& partial() const { return partial_; }

 private:
  boost::asio::awaitable<base::Result<void>> open(bool fresh);
  boost::asio::awaitable<base::Result<std::unique_ptr<ports::PartialFile>>> open_file();
  boost::asio::awaitable<base::Result<void>> adopt_listed_size();
  void recruit();

  boost::asio::awaitable<void> work();
  boost::asio::awaitable<base::Result<void>> fetch(ports::Lane& lane, core::Range range, std::int64_t& handed,
                                                   int& generation);
  boost::asio::awaitable<base::Result<Body>> ask(ports::Lane& lane, core::Range range, int& generation);
  boost::asio::awaitable<base::Result<void>> receive(ports::Lane& lane, core::Range range, std::int64_t& handed);
  boost::asio::awaitable<base::Result<void>> fill(ports::Lane& lane, std::span<std::byte> room, std::size_t& length);
  boost::asio::awaitable<base::Result<void>> expect_end(ports::Lane& lane);
  boost::asio::awaitable<base::Result<void>> skip(ports::Lane& lane, std::int64_t bytes);
  boost::asio::awaitable<base::Result<void>> learn_identity(const std::string& etag);

  boost::asio::awaitable<void> after_failure(base::Error error, int generation);
  void tell_retry(const base::Error& error, core::Decision decision);
  void tell_retry(const std::string& why, std::string_view reason, const std::string& then);
  bool over() const;
  void end(const base::Error& error);
  void close_lanes();
  Identity identity() const { return {partial_.size, partial_.etag}; }
  core::Pieces& pieces() { return writer_->pieces(); }
  void show();

  Shared shared_;
  catalogue::Partial partial_;
  ports::DownloadProgress& progress_;
  std::unique_ptr<PartialWriter> writer_;
  TaskGroup workers_;
  std::list<ports::Lane*> lanes_;

  core::Attempts attempts_;
  int refused_generation_ = 0;   ///< links up to this listing are of no use
  bool renewed_ = false;         ///< a link was renewed after a refusal, and has not worked yet
  base::Steady paused_until_{};  ///< one lane's pause is every lane's: an outage counts once
  bool recruited_ = false;
  bool start_over_ = false;
  std::optional<base::Error> failure_;
};

}  // namespace vtmirror::agent
