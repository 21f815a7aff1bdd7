#include "agent/recording.hpp"

namespace vtmirror::agent {

boost::asio::awaitable<base::Result<void>> until_recorded(Ports ports, core::Transfer& transfer, Recording recording,
                                                          std::function<void(const core::Retried&)> report) {
  for (;;) {
    auto recorded = co_await recording();
    if (recorded) {
      transfer.recorded();
      co_return recorded;
    }
    const auto retried = transfer.record_failed(recorded.error(), {ports.clock.steady(), ports.dice.roll()});
    if (!retried) co_return recorded;
    report(*retried);
    auto waited = co_await ports.clock.wait(retried->pause);
    if (!waited) co_return waited;
  }
}

}  // namespace vtmirror::agent
