// A step of the daemon's start that a full disk refuses: it is repeated instead of ending the daemon.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/ports/clock.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>

namespace vtmirror::wiring {

/// The pause between two tries.
inline constexpr base::Milliseconds full_disk_pause = std::chrono::minutes(1);

/// Repeats the step while it ends in `no_space`, with a pause; `refused` is called with each such end. The step must be
/// one that can be repeated. Returns its other ends; cancelled, if the clock is stopped meanwhile.
boost::asio::awaitable<base::Result<void>> repeat_while_full(
    std::function<boost::asio::awaitable<base::Result<void>>()> step, ports::Clock& clock,
    std::function<void(const base::Error&)> refused);

}  // namespace vtmirror::wiring
