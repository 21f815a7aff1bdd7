// Answers consumers which files they load next, and records what they have loaded.
// Promises the same answer until it is acknowledged, and that its files are readable with their bytes meanwhile, for
// `consumers.lease` at least since it was given last. Never decides what is loaded (core/consumer.hpp), and never
// touches a public file.
#pragma once

#include "vtmirror/agent/agent.hpp"
#include "vtmirror/core/consumer.hpp"

#include <memory>
#include <string>
#include <vector>

namespace vtmirror::agent {

/// What a consumer is answered.
struct NextFiles {
  core::Offer offer;
  core::Edition edition;
  std::string ticket{};  ///< of the offer; of one without files the last that was acknowledged; may be empty
  std::vector<std::string> paths{};  ///< where the offer's files are, in the same order
};

class ConsumerDesk {
 public:
  ConsumerDesk(Ports ports, core::ConsumerRules rules);
  ~ConsumerDesk();
  ConsumerDesk(const ConsumerDesk&) = delete;
  ConsumerDesk& operator=(const ConsumerDesk&) = delete;

  void use(core::ConsumerRules rules);

  /// What it has to load. A consumer that is not known is added. Errors: catalogue, io, no_space, cancelled.
  boost::asio::awaitable<base::Result<NextFiles>> next(std::string consumer);
  /// The same for somebody who may change nothing: nothing is recorded or kept, and there is no ticket, which could not
  /// be acknowledged. Errors: as `next`.
  boost::asio::awaitable<base::Result<NextFiles>> preview(std::string consumer);
  /// Errors: catalogue.
  boost::asio::awaitable<base::Result<core::Acknowledgement>> acknowledge(std::string consumer, std::string ticket);
  /// False if it is not known. Errors: catalogue.
  boost::asio::awaitable<base::Result<bool>> forget(std::string consumer);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vtmirror::agent
