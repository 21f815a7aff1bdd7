#include "agent/file_check.hpp"

#include <algorithm>
#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

/// Bytes that one job reads: less than a second of work, so that several files share the threads for checks.
constexpr std::int64_t one_job = std::int64_t{16} << 20;

}  // namespace

awaitable<std::optional<core::Cause>> begin_check(CheckResources resources, std::string name, std::int64_t size) {
  auto begin = [name, size, at = resources.ports.clock.now()](catalogue::Files& files) {
    return files.begin_check(name, size, at);
  };
  const auto died = co_await resources.calls(std::move(begin));
  if (!died || *died < core::deadly_checks) co_return std::nullopt;
  co_return core::deadly_check(*died);
}

awaitable<void> end_check(CheckResources resources, std::string name) {
  auto end = [name](catalogue::Files& files) { return files.end_check(name); };
  const auto ended = co_await resources.calls(std::move(end));
  // One beginning too many counts for a day at most.
  static_cast<void>(ended.has_value());
}

FileCheck::FileCheck(CheckResources resources, ports::CheckRules rules, std::string name)
    : resources_(resources), rules_(rules), name_(std::move(name)), tasks_(resources.ports.loop) {}

void FileCheck::restart(std::int64_t size, std::int64_t front) {
  left_ = round_++ == 0 ? front : 0;
  size_ = size;
  front_ = front;
  read_ = 0;
  check_.reset();
  failed_ = false;
  stopped_ = false;
  follow_if_due();
}

void FileCheck::durable(std::int64_t front) {
  front_ = front;
  follow_if_due();
}

/// The rest of a file that is whole is read by `finish`.
bool FileCheck::may_follow() const {
  return !resources_.alone && !stopped_ && !failed_ && read_ < front_ && front_ < size_;
}

bool FileCheck::is_far_behind() const { return front_ - read_ > resources_.behind; }

void FileCheck::follow_if_due() {
  if (may_follow() && !std::exchange(following_, true)) tasks_.spawn(follow());
}

awaitable<void> FileCheck::follow() {
  bool counted = left_ > 0;
  if (counted) {
    const auto deadly = co_await begin_check(resources_, name_, size_);
    failed_ = failed_ || deadly.has_value();
    counted = !deadly;  // the count of a check that must not begin stays
  }
  while (may_follow()) {
    co_await advance(std::min(front_, read_ + one_job));
    if (!counted || read_ < left_) continue;
    counted = false;
    left_ = 0;
    co_await end_check(resources_, name_);
  }
  if (counted) co_await end_check(resources_, name_);
  following_ = false;
  follow_if_due();
}

/// For a job: the check that was begun, or else a new one.
std::function<base::Result<FileCheck::Running>()> FileCheck::opener() const {
  return [check = check_, &partials = resources_.ports.partials, name = name_, size = size_,
          rules = rules_]() -> base::Result<Running> {
    if (check) return check;
    auto begun = partials.begin_check(name, size, rules);
    if (!begun) return begun.error();
    return Running(std::move(*begun));
  };
}

awaitable<void> FileCheck::advance(std::int64_t front) {
  struct Advanced {
    Running check;
    base::Result<void> end;
  };
  auto job = [open = opener(), front, watch = until(resources_.stopping)]() -> Advanced {
    auto check = open();
    if (!check) return {nullptr, check.error()};
    auto end = (*check)->advance(front, watch);
    return {std::move(*check), std::move(end)};
  };
  const int round = round_;
  auto& threads = is_far_behind() ? resources_.ports.checks : resources_.ports.reading;
  auto advanced = co_await off_loop(threads.get_executor(), std::move(job));
  if (round != round_) co_return;
  check_ = std::move(advanced.check);
  if (advanced.end)
    read_ = front;
  else
    failed_ = true;
}

awaitable<void> FileCheck::stop() {
  stopped_ = true;
  co_await tasks_.join();
}

/// On a thread of the pool, because closing a large file that has lost its name frees its blocks.
awaitable<void> FileCheck::close() {
  co_await stop();
  if (!check_) co_return;
  read_ = 0;
  auto close_it = [check = std::move(check_)]() mutable {
    check.reset();
    return true;
  };
  const bool closed = co_await off_loop(resources_.ports.checks.get_executor(), std::move(close_it));
  static_cast<void>(closed);
}

awaitable<base::Result<ports::Checked>> FileCheck::finish() {
  co_await stop();
  co_await resources_.places.acquire();
  const Taken place(resources_.places);
  const auto deadly = co_await begin_check(resources_, name_, size_);
  if (deadly) co_return core::error_of(*deadly);
  auto job = [open = opener(), watch = until(resources_.stopping)]() -> base::Result<ports::Checked> {
    const auto check = open();
    if (!check) return check.error();
    return (*check)->finish(watch);
  };
  check_.reset();
  auto checked = co_await off_loop(resources_.ports.checks.get_executor(), std::move(job));
  co_await end_check(resources_, name_);
  co_return checked;
}

}  // namespace vtmirror::agent
