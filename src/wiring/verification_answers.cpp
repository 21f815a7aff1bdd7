// What a running daemon answers to those who ask it to read held files again, and what it shows them meanwhile.
#include "vtmirror/agent/verification.hpp"
#include "vtmirror/core/file_selection.hpp"
#include "vtmirror/report/accepted.hpp"
#include "vtmirror/report/verification.hpp"
#include "wiring/daemon_answers.hpp"

#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <utility>

namespace vtmirror::wiring {

using boost::asio::awaitable;

namespace {

constexpr base::Milliseconds frame{250};

}  // namespace

/// A name that selects nothing is refused here: the verification itself may begin only after a cycle.
awaitable<base::Result<std::string>> DaemonAnswers::start_verification(std::vector<std::string> names,
                                                                       std::int64_t bytes_a_second) {
  if (auto why = not_started()) co_return std::move(*why);
  const auto files = resources_.catalogue.files();
  if (!files) co_return files.error();
  if (const auto selected = core::selected_files(*files, names); !selected) co_return selected.error();
  const auto number = daemon_->ask_for_verification({.names = std::move(names), .bytes_a_second = bytes_a_second});
  if (!number) co_return number.error();
  co_return report::verification_accepted(*number);
}

void DaemonAnswers::verifying() {
  if (std::exchange(shows_verifying_, true)) return;
  boost::asio::co_spawn(resources_.loop, publish_verifying(), [](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
  });
}

awaitable<void> DaemonAnswers::publish_verifying() {
  while (auto* work = daemon_->verification()) {
    const auto& progress = work->progress();
    const bool has_begun = progress.started != base::Time();
    if (has_begun) {
      publish(ports::StreamEvent::verifying, report::verifying_json(daemon_->verification_number(), progress));
      publish_status();
    }
    const auto waited = co_await resources_.clock.wait(frame);
    if (!waited) break;
  }
  shows_verifying_ = false;
}

void DaemonAnswers::verified(std::int64_t number, const core::VerificationReport& report,
                             const base::Result<void>& ended) {
  forget_facts();
  publish(ports::StreamEvent::verification, report::verification_json(number, report, ended));
  publish_status();
}

}  // namespace vtmirror::wiring
