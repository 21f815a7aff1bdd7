// A notice that no catalogue can keep, because the disk is full before the daemon has started: it is sent past the
// outbox. Promises one attempt for each channel that wants it, whose end the journal reports. Never sends it again.
#pragma once

#include "vtmirror/agent/outbox.hpp"
#include "vtmirror/core/notice.hpp"
#include "vtmirror/core/problem.hpp"
#include "vtmirror/ports/journal.hpp"
#include "vtmirror/report/sentence.hpp"
#include "vtmirror/settings/config.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <string>

namespace vtmirror::wiring {

/// That a start waits for room, or waits no more: for the journal and every channel.
std::string waiting_sentence(const core::Problem& problem, core::Stage stage,
                             report::Names names = report::Names::brief);
/// That it waits, what to do, and when it tries again: for the journal.
std::string waiting_line(const core::Problem& problem, base::Milliseconds pause,
                         report::Names names = report::Names::brief);
/// As a notice, with an id of its own.
core::Notice waiting_notice(const core::Problem& problem, core::Stage stage, base::Time at);

/// Whether the attempts were ended because they took too long together, and by no stop of the program.
using TookTooLong = std::function<bool()>;

/// To one channel after another. `journal`, and what the channels were made with, must outlive it.
boost::asio::awaitable<void> send_unqueued(
    agent::Channels channels, core::Notice notice, ports::Journal& journal,
    TookTooLong took_too_long = [] { return false; });

inline constexpr std::chrono::milliseconds longest_attempts = std::chrono::seconds(30);

/// The same while nothing else of this process runs: returns after the last attempt, or ends them after `longest`.
/// SIGINT and SIGTERM end it too if they are blocked: they stay pending for the caller.
void send_unqueued(const settings::Config& config, core::Notice notice, ports::Journal& journal,
                   std::chrono::milliseconds longest = longest_attempts);

}  // namespace vtmirror::wiring
