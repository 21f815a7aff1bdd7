#include "wiring/full_disk.hpp"

#include <utility>

namespace vtmirror::wiring {

using boost::asio::awaitable;

awaitable<base::Result<void>> repeat_while_full(std::function<awaitable<base::Result<void>>()> step,
                                                ports::Clock& clock, std::function<void(const base::Error&)> refused) {
  for (;;) {
    auto ended = co_await step();
    if (ended || ended.error().code != base::Errc::no_space) co_return ended;
    refused(ended.error());
    auto waited = co_await clock.wait(full_disk_pause);
    if (!waited) co_return waited;
  }
}

}  // namespace vtmirror::wiring
