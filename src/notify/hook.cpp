// The operator's program.

#include "notify/child.hpp"

#include "vtmirror/base/text.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace vtmirror::notify {
namespace {

using boost::asio::awaitable;

/// Splits a program's output into lines for the journal, and limits their length and number.
/// Promises that a last line without a line end is logged too, and that the number of omitted lines is.
class Lines {
 public:
  static constexpr std::size_t longest = 1000;  ///< bytes of a line; the rest is omitted
  static constexpr int most = 200;

  explicit Lines(std::function<void(std::string)> log) : log_(std::move(log)) {}

  void add(std::string_view piece);
  /// Call after the last piece.
  void end();

 private:
  void finish_line();

  std::function<void(std::string)> log_;
  std::string line_;
  int logged_ = 0;
  std::size_t left_out_ = 0;
};

void Lines::add(std::string_view piece) {
  while (!piece.empty()) {
    const auto end = piece.find('\n');
    const auto part = piece.substr(0, end);
    line_ += part.substr(0, longest - line_.size());
    if (end == std::string_view::npos) return;
    finish_line();
    piece.remove_prefix(end + 1);
  }
}

void Lines::end() {
  if (!line_.empty()) finish_line();
  if (left_out_ > 0) log_("(" + std::to_string(left_out_) + (left_out_ == 1 ? " more line)" : " more lines)"));
}

void Lines::finish_line() {
  if (logged_ == most) {
    ++left_out_;
  } else if (!base::trim(line_).empty()) {
    ++logged_;
    log_(base::printable(line_, longest));
  }
  line_.clear();
}

class Hook : public ports::Channel {
 public:
  Hook(Resources resources, HookSettings settings) : resources_(resources), settings_(std::move(settings)) {}

  const std::string& name() const override { return settings_.name; }
  const std::vector<core::Topic>& topics() const override { return settings_.on; }
  core::DeliveryOrder order() const override { return core::DeliveryOrder::kept; }
  awaitable<base::Result<std::string>> deliver(core::Notice notice) override;

 private:
  Program program(const core::Notice& notice) const;
  std::string mark() const { return "VTMIRROR_HOOK=" + settings_.name; }
  void log(std::string line) const;

  Resources resources_;
  HookSettings settings_;
};

Program Hook::program(const core::Notice& notice) const {
  Program program{.command = settings_.command, .environment = inherited_variables()};
  for (auto& variable : variables(notice)) program.environment.push_back(std::move(variable));
  program.environment.push_back("VTMIRROR_DIRECTORY=" + settings_.directory);
  // Identifies the notice and the hook, to find a process of an earlier attempt.
  program.environment.push_back(mark() + ' ' + notice.id);
  program.input = core::notice_json(notice) + '\n';
  return program;
}

void Hook::log(std::string line) const {
  resources_.journal.log({ports::EventKind::hook_output,
                          ports::Level::info,
                          settings_.name + ": " + line,
                          {{"channel", settings_.name}, {"line", line}}});
}

awaitable<base::Result<std::string>> Hook::deliver(core::Notice notice) {
  const Limits limits{.timeout = settings_.timeout, .patience = settings_.patience};
  Lines lines([this](std::string line) { log(std::move(line)); });
  auto take = [&lines](std::string_view piece) { lines.add(piece); };
  auto child = run(resources_, program(notice), limits, mark() + ' ' + notice.id, std::move(take));
  const auto ended = co_await std::move(child);
  lines.end();
  if (!ended) co_return ended.error();
  const auto how = words(*ended, limits);
  if (ended->timed_out) co_return base::Error{base::Errc::timed_out, how};
  if (ended->signal != 0 || ended->status != 0) co_return base::Error{base::Errc::forbidden, how, ended->status};
  co_return how + " after " + base::human_duration(std::chrono::floor<std::chrono::seconds>(ended->took));
}

}  // namespace

std::shared_ptr<ports::Channel> make_hook(Resources resources, HookSettings settings) {
  return std::make_shared<Hook>(resources, std::move(settings));
}

}  // namespace vtmirror::notify
