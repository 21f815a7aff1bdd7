// A lane to the store: ranged GETs on one kept connection. Follows redirects without sending any credential.
#pragma once

#include "net/connect.hpp"
#include "net/conversation.hpp"
#include "vtmirror/ports/http.hpp"

#include <memory>
#include <optional>
#include <string>

namespace vtmirror::net {

class StoreLane final : public ports::Lane {
 public:
  explicit StoreLane(std::shared_ptr<Outbound> outbound);
  ~StoreLane() override;

  boost::asio::awaitable<base::Result<ports::RangeAnswer>> get(std::string url, core::Range range,
                                                               std::string if_match) override;
  boost::asio::awaitable<base::Result<std::size_t>> read(std::span<std::byte> into) override;
  boost::asio::awaitable<base::Result<void>> arrived() override;
  std::size_t ahead() const override { return conversation_ ? conversation_->ahead() : 0; }
  void close() override;

 private:
  boost::asio::awaitable<base::Result<ports::RangeAnswer>> follow(base::Url url, core::Range range,
                                                                  std::string if_match);
  boost::asio::awaitable<base::Result<Head>> ask(base::Url url, core::Range range, std::string if_match);
  boost::asio::awaitable<base::Result<Head>> ask_once(base::Url url, std::string request);
  boost::asio::awaitable<bool> can_reuse(base::Url url);
  base::Result<ports::RangeAnswer> understood(const base::Url& url, const Head& head);
  base::Result<std::size_t> counted(std::size_t got);
  template <class Value>
  void has_waited(base::Result<Value>& came);
  base::Error stalled() const;
  void leave();

  std::shared_ptr<Outbound> outbound_;
  Deadline deadline_;  // declared before the members that wait under it
  std::unique_ptr<Conversation> conversation_;
  std::optional<base::Url> origin_;   // the conversation's
  std::optional<std::int64_t> owed_;  // bytes of the body still to arrive, if the head gave a length
  bool busy_ = false;                 // an operation is running, and cleans up itself
};

}  // namespace vtmirror::net
