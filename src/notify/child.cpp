#include "notify/child.hpp"

#include "notify/own_children.hpp"
#include "vtmirror/base/text.hpp"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

namespace vtmirror::notify {
namespace {

namespace asio = boost::asio;
using asio::awaitable;

/// Whether a read would not wait. A wait for that may also end because of an event of a descriptor that the loop knew
/// before.
bool is_readable(int descriptor) {
  pollfd one{.fd = descriptor, .events = POLLIN, .revents = 0};
  return base::uninterrupted([&] { return ::poll(&one, 1, 0); }) > 0;
}

/// After the child's end, at most this much output that is already in the pipe is read.
constexpr std::size_t longest_rest = std::size_t{1} << 20;

class Running {
 public:
  Running(const Resources& resources, Spawned spawned, Limits limits)
      : pid_(spawned.pid),
        limits_(limits),
        ended_(resources.loop, spawned.ended.release()),
        output_(resources.loop, spawned.output.release()),
        bell_(resources.loop, limits.timeout),
        stop_(resources.stop, [this] { be_stopped(); }) {
    if (resources.stop.requested()) be_stopped();
  }

  static awaitable<void> watch_time(std::shared_ptr<Running> self);
  static awaitable<void> read(std::shared_ptr<Running> self, OnOutput on_output);
  awaitable<base::Result<Ended>> end(OnOutput on_output);
  /// The stop ended it. One that ended by itself meanwhile did not.
  bool stopped() const { return stopping_ && asked_; }

 private:
  /// From now on, the timer measures the patience after the stop, unless the timeout ends sooner.
  void be_stopped() {
    const auto until = std::chrono::steady_clock::now() + limits_.patience;
    if (asked_ || bell_.expiry() <= until) return;
    stopping_ = true;
    bell_.expires_at(until);
  }
  void time_is_up() {
    ::kill(-pid_, asked_ ? SIGKILL : SIGTERM);
    bell_.expires_after(asked_ ? std::chrono::hours(24) : limits_.grace);
    asked_ = true;
  }
  base::Result<Ended> reap();
  std::size_t read_some(const OnOutput& on_output);
  void read_the_rest(const OnOutput& on_output);

  pid_t pid_;
  Limits limits_;
  asio::posix::stream_descriptor ended_;
  asio::posix::stream_descriptor output_;
  asio::steady_timer bell_;
  bool stopping_ = false;
  bool asked_ = false;  ///< asked to end (SIGTERM)
  bool gone_ = false;
  ports::Stop::Registration stop_;
};

awaitable<void> Running::watch_time(std::shared_ptr<Running> self) {
  while (!self->gone_) {
    const auto [error] = co_await self->bell_.async_wait(asio::as_tuple(asio::use_awaitable));
    // An error means that the timer was set again, not that it expired.
    if (!error && !self->gone_) self->time_is_up();
  }
}

awaitable<void> Running::read(std::shared_ptr<Running> self, OnOutput on_output) {
  // The wait consumes no bytes, so that read_the_rest() continues at the right place.
  while (!self->gone_) {
    const bool readable = co_await until_readable(self->output_);
    if (!readable || self->gone_ || self->read_some(on_output) == 0) co_return;
  }
}

/// Returns 0 if there is no more output, or none yet.
std::size_t Running::read_some(const OnOutput& on_output) {
  std::array<char, 4096> piece{};
  const auto size = base::uninterrupted([&] { return ::read(output_.native_handle(), piece.data(), piece.size()); });
  if (size <= 0) return 0;
  on_output({piece.data(), static_cast<std::size_t>(size)});
  return static_cast<std::size_t>(size);
}

/// Reading stops at the child's end, even if a process that it started keeps writing.
void Running::read_the_rest(const OnOutput& on_output) {
  for (std::size_t taken = 0; taken < longest_rest;) {
    const auto size = read_some(on_output);
    if (size == 0) return;
    taken += size;
  }
}

base::Result<Ended> Running::reap() {
  siginfo_t info{};
  const auto id = static_cast<id_t>(pid_);
  const int waited = base::uninterrupted([&] { return ::waitid(P_PID, id, &info, WEXITED); });
  OwnChildren::all().remove(pid_);
  if (waited != 0)
    return base::Error{base::Errc::io, "the exit status is lost: another part of the process waited for the child"};
  const bool exited = info.si_code == CLD_EXITED;
  return Ended{
      .status = exited ? info.si_status : 0, .signal = exited ? 0 : info.si_status, .timed_out = asked_ && !stopping_};
}

awaitable<base::Result<Ended>> Running::end(OnOutput on_output) {
  const bool ended_once = co_await until_readable(ended_);
  static_cast<void>(ended_once);  // the wait is never cancelled
  gone_ = true;
  // Until the child is reaped, no other group can have its ID.
  if (asked_) ::kill(-pid_, SIGKILL);
  auto ended = reap();
  bell_.cancel();
  output_.cancel();
  read_the_rest(on_output);
  co_return ended;
}

}  // namespace

awaitable<bool> until_readable(asio::posix::stream_descriptor& descriptor) {
  for (;;) {
    auto token = asio::as_tuple(asio::use_awaitable);
    const auto [error] = co_await descriptor.async_wait(asio::posix::stream_descriptor::wait_read, std::move(token));
    if (error) co_return false;
    if (is_readable(descriptor.native_handle())) co_return true;
  }
}

namespace {

awaitable<base::Result<Spawned>> start(Program program, std::optional<std::string> unless_running) {
  if (unless_running) {
    const auto running = processes_with(*unless_running);
    if (!running.empty())
      co_return base::Error{base::Errc::locked, "process " + std::to_string(running.front()) +
                                                    " of an earlier attempt for the same notice still runs"};
  }
  co_return spawn(program);
}

}  // namespace

std::string words(const Ended& ended, const Limits& limits) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(limits.timeout);
  if (ended.timed_out) return "timed out after " + base::human_duration(whole) + " and was terminated";
  if (ended.signal == 0) return "exit status " + std::to_string(ended.status);
  const char* name = ::strsignal(ended.signal);
  return "signal " + std::to_string(ended.signal) + (name == nullptr ? "" : " (" + std::string(name) + ")");
}

awaitable<base::Result<Ended>> run(Resources resources, Program program, Limits limits,
                                   std::optional<std::string> unless_running, OnOutput on_output) {
  auto starting = start(std::move(program), std::move(unless_running));
  auto spawned = co_await asio::co_spawn(resources.blocking, std::move(starting), asio::use_awaitable);
  if (!spawned) co_return spawned.error();
  const auto began = std::chrono::steady_clock::now();
  const auto running = std::make_shared<Running>(resources, std::move(*spawned), limits);
  asio::co_spawn(resources.loop, Running::watch_time(running), asio::detached);
  asio::co_spawn(resources.loop, Running::read(running, on_output), asio::detached);
  auto ended = co_await running->end(on_output);
  if (!ended) co_return ended;
  ended->took = std::chrono::floor<base::Milliseconds>(std::chrono::steady_clock::now() - began);
  if (running->stopped() && (ended->signal != 0 || ended->status != 0))
    co_return base::Error{base::Errc::cancelled, "interrupted by the stop: " + words(*ended, limits)};
  co_return ended;
}

namespace {

constexpr std::array<std::string_view, 8> our_own{
    "CREDENTIALS_DIRECTORY=", "NOTIFY_SOCKET=", "WATCHDOG_PID=", "WATCHDOG_USEC=", "LISTEN_FDS=", "LISTEN_PID=",
    "JOURNAL_STREAM=",        "VTMIRROR_"};

/// A huge value would prevent the program from starting.
constexpr std::size_t longest_value = 8192;

/// A value always ends at its first zero byte.
std::string assignment(std::string_view key, std::string_view value) {
  std::string text = "VTMIRROR_";
  for (const char sign : key) text += sign >= 'a' && sign <= 'z' ? static_cast<char>(sign - 'a' + 'A') : sign;
  return text + '=' + std::string(value.substr(0, std::min(value.find('\0'), longest_value)));
}

/// A line for each name. What is too long ends with a whole name; the JSON has all of them.
std::string lines_of(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) {
    if (text.size() + name.size() >= longest_value) break;
    text += (text.empty() ? "" : "\n") + name;
  }
  return text;
}

void add(std::vector<std::string>& variables, const core::ChainNews& news) {
  variables.push_back(assignment("session", news.session));
  variables.push_back(assignment("generation", std::to_string(news.generation)));
  variables.push_back(assignment("complete", news.complete ? "true" : "false"));
  variables.push_back(assignment("through", news.through ? base::iso8601(*news.through) : ""));
  variables.push_back(assignment("added", lines_of(news.added)));
  variables.push_back(assignment("replaced", lines_of(news.replaced)));
  variables.push_back(assignment("removed", lines_of(news.removed)));
}

std::string text_of(const core::NoticeField& field) {
  if (const auto* number = std::get_if<std::int64_t>(&field.value)) return std::to_string(*number);
  return std::get<std::string>(field.value);
}

}  // namespace

std::vector<std::string> inherited_variables() {
  std::vector<std::string> all;
  for (char** each = ::environ; each != nullptr && *each != nullptr; ++each) {
    const std::string_view variable(*each);
    const bool ours = std::any_of(our_own.begin(), our_own.end(),
                                  [variable](std::string_view name) { return variable.starts_with(name); });
    // A hook that runs vtmirror means the same mirror.
    if (!ours || variable.starts_with("VTMIRROR_CONFIG=")) all.emplace_back(variable);
  }
  return all;
}

std::vector<std::string> variables(const core::Notice& notice) {
  std::vector<std::string> all{assignment("id", notice.id),
                               assignment("event", core::name(notice.topic)),
                               assignment("code", notice.code),
                               assignment("level", core::name(notice.urgency)),
                               assignment("stage", core::name(notice.stage)),
                               assignment("at", base::iso8601(notice.at)),
                               assignment("message", notice.message)};
  for (const auto& field : notice.fields) all.push_back(assignment(field.key, text_of(field)));
  if (notice.chain) add(all, *notice.chain);
  return all;
}

}  // namespace vtmirror::notify
