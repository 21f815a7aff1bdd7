// A receiver of the notices of a hook. It is down for two days now and then, and refuses every seventh attempt.
// Remembers the publications in the order in which it first received each.
#pragma once

#include "vtmirror/ports/channel.hpp"
#include "vtmirror/ports/clock.hpp"

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace vtmirror::test {

class Receiver : public ports::Channel {
 public:
  explicit Receiver(const ports::Clock& clock) : clock_(clock) {}

  const std::string& name() const override { return name_; }
  const std::vector<core::Topic>& topics() const override { return topics_; }
  core::DeliveryOrder order() const override { return core::DeliveryOrder::kept; }
  boost::asio::awaitable<base::Result<std::string>> deliver(core::Notice notice) override {
    ++attempts;
    if (is_down()) co_return base::Error{base::Errc::unreachable, "nobody is there"};
    if (attempts % 7 == 0) co_return base::Error{base::Errc::forbidden, "exit status 1"};
    if (!ids_.insert(notice.id).second) {
      ++repeated;
      co_return "known already";
    }
    if (notice.chain && chain_changed) chain_changed(*notice.chain);
    for (const auto& field : notice.fields)
      if (field.key == "generation") generations.push_back(std::get<std::int64_t>(field.value));
    co_return "taken";
  }

  std::vector<std::int64_t> generations;  ///< of the publications, in the order in which they first came
  /// Called once with each notice of the chain.
  std::function<void(const core::ChainNews&)> chain_changed{};
  int attempts = 0;
  int repeated = 0;

 private:
  bool is_down() const {
    constexpr int period = 11;
    return std::chrono::floor<std::chrono::days>(clock_.now()).time_since_epoch().count() % period < 2;
  }

  const ports::Clock& clock_;
  std::string name_ = "hook";
  std::vector<core::Topic> topics_{core::Topic::chain, core::Topic::published, core::Topic::cycle,
                                   core::Topic::warning};
  std::set<std::string> ids_;
};

}  // namespace vtmirror::test
