// A service whose store needs time for its bytes: hours of the simulated clock for a big file, so that the world goes
// on while a transfer runs. Never waits in real time.
#pragma once

#include "support/scripted_service.hpp"
#include "support/simulated_clock.hpp"

#include <algorithm>
#include <utility>

namespace vtmirror::test {

class SlowStore : public ports::Http {
 public:
  SlowStore(ScriptedService& service, SimulatedClock& clock) : service_(service), clock_(clock) {}

  boost::asio::awaitable<base::Result<ports::Response>> exchange(ports::Request request) override {
    return service_.exchange(std::move(request));
  }
  std::unique_ptr<ports::Lane> lane() override { return std::make_unique<SlowLane>(*this, service_.lane()); }

  base::Milliseconds for_hundred_bytes{0};  ///< on each lane
  /// Lanes that wait for bytes now.
  int waiting() const { return waiting_; }

 private:
  class SlowLane : public ports::Lane {
   public:
    SlowLane(SlowStore& store, std::unique_ptr<ports::Lane> inner) : store_(store), inner_(std::move(inner)) {}

    boost::asio::awaitable<base::Result<ports::RangeAnswer>> get(std::string url, core::Range range,
                                                                 std::string if_match) override {
      return inner_->get(std::move(url), range, std::move(if_match));
    }

    boost::asio::awaitable<base::Result<std::size_t>> read(std::span<std::byte> into) override {
      if (store_.for_hundred_bytes.count() > 0) {
        into = into.first(std::min<std::size_t>(into.size(), 100));
        const auto loop = co_await boost::asio::this_coro::executor;
        boost::asio::steady_timer bell(loop, boost::asio::steady_timer::time_point::max());
        bell_ = &bell;
        ++store_.waiting_;
        const auto waited = co_await store_.clock_.wait_for(bell, store_.for_hundred_bytes);
        --store_.waiting_;
        bell_ = nullptr;
        if (!waited) co_return waited.error();
      }
      const auto got = co_await inner_->read(into);
      co_return got;
    }

    void close() override {
      inner_->close();
      if (bell_ != nullptr) bell_->cancel();
    }

   private:
    SlowStore& store_;
    std::unique_ptr<ports::Lane> inner_;
    boost::asio::steady_timer* bell_ = nullptr;
  };

  ScriptedService& service_;
  SimulatedClock& clock_;
  int waiting_ = 0;
};

}  // namespace vtmirror::test
