// next, ack, consumers, wait: they ask the daemon, and work on the catalogue if no daemon answers.
#include "cli/commands.hpp"
#include "cli/say.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/client/control_client.hpp"
#include "vtmirror/host/local_time.hpp"
#include "vtmirror/report/advice.hpp"
#include "vtmirror/report/consumers.hpp"
#include "vtmirror/report/days.hpp"
#include "vtmirror/terminal/terminal.hpp"
#include "vtmirror/wiring/catalogue_rescue.hpp"
#include "vtmirror/wiring/consumers.hpp"
#include "vtmirror/wiring/machine.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <system_error>
#include <thread>
#include <vector>

namespace vtmirror::cli {
namespace {

using std::chrono::seconds;

/// A bulk file gets a second name meanwhile, and a publication may be under way.
constexpr seconds answer_time{60};
/// The daemon answers a waiting request after a minute at the latest.
constexpr seconds longest_request{50};
constexpr seconds between_looks{2};
/// For a daemon that hangs: then the catalogue says how it stands.
constexpr seconds grace_of_wait{2};
constexpr int unavailable_status = 503;

base::Time now() { return std::chrono::floor<base::Milliseconds>(std::chrono::system_clock::now()); }

std::string socket_of(const Arguments& arguments, const settings::Environment& environment) {
  return client::socket_of(arguments.socket, arguments.config, environment);
}

ExitStatus print(const std::string& text) {
  std::cout << text << (text.ends_with('\n') ? "" : "\n") << std::flush;
  return done;
}

/// A refusal is a sentence of its own.
ExitStatus fail_here(const base::Error& error) {
  if (error.code == base::Errc::http_status) return fail_refused(error);
  say(report::error_lines(error));
  return exit_status(error.code);
}

using AtHome = std::function<base::Result<std::string>(const settings::Config& config, ports::Journal& journal)>;

/// The answer of the daemon, or of this process if no daemon answers; or the exit status, with the reason printed.
struct Answer {
  std::string json{};
  std::optional<ExitStatus> failed{};
};

Answer ask(const Arguments& arguments, const settings::Environment& environment, const client::ControlRequest& request,
           const AtHome& at_home) {
  const auto json = client::ask(socket_of(arguments, environment), request, answer_time);
  if (json) return {.json = *json};
  if (!client::is_absent(json.error())) return {.failed = fail_refused(json.error())};
  const auto read = load_or_report(arguments, environment);
  if (!read) return {.failed = exit_status(read.error().code)};
  if (const auto refused = become_owner(read->config)) return {.failed = *refused};
  const auto journal = wiring::stderr_journal(ports::Level::warning, arguments.colour, environment);
  auto answer = at_home(read->config, *journal);
  if (!answer) return {.failed = fail_here(answer.error())};
  return {.json = std::move(*answer)};
}

/// Of the catalogue, which is only read.
base::Result<std::string> listed_here(const settings::Config& config) {
  const auto catalogue = wiring::open_to_read(config.mirror.catalogue, config.mirror.directory);
  if (!catalogue) return catalogue.error();
  if (!*catalogue) return report::consumers_json({});
  const auto all = report::consumer_statuses(**catalogue);
  if (!all) return all.error();
  return report::consumers_json(*all);
}

/// Whether there is a consumer of that name; also if that cannot be found out.
bool is_known(const Arguments& arguments, const settings::Environment& environment) {
  auto json = client::ask(socket_of(arguments, environment), {"GET", "/v1/consumers"});
  if (!json && client::is_absent(json.error())) {
    const auto read = settings::load_config(arguments.config, environment);
    if (!read || !read->mistakes.empty()) return true;
    auto config = read->config;
    settings::resolve_paths(config, environment);
    json = listed_here(config);
  }
  const auto all =
      json ? report::parse_consumers(*json) : base::Result<std::vector<report::ConsumerStatus>>(json.error());
  if (!all) return true;
  const auto& name = arguments.consumer;
  return std::ranges::any_of(*all, [&name](const auto& each) { return each.name == name; });
}

}  // namespace

ExitStatus next(const Arguments& arguments, const settings::Environment& environment) {
  const auto& name = arguments.consumer;
  const auto answer = ask(arguments, environment, {"GET", "/v1/next?consumer=" + name},
                          [&](const auto& config, auto& journal) { return wiring::next_files(config, journal, name); });
  if (answer.failed) return *answer.failed;
  if (arguments.json) return print(answer.json);
  const auto text = report::next_text(answer.json);
  return text ? print(*text) : fail_refused(text.error());
}

ExitStatus acknowledge(const Arguments& arguments, const settings::Environment& environment) {
  const auto& name = arguments.consumer;
  const auto& ticket = arguments.ticket;
  const auto fits = [](char c) { return (c >= '0' && c <= '9') || c == '-'; };
  if (ticket.empty() || !std::ranges::all_of(ticket, fits)) {
    const auto fault = is_known(arguments, environment) ? core::Acknowledgement::unknown_ticket
                                                        : core::Acknowledgement::unknown_consumer;
    say("vtmirror: ", report::refusal_of(fault, name, ticket), '\n');
    return failed;
  }
  const auto answer =
      ask(arguments, environment, {"POST", "/v1/ack?consumer=" + name + "&ticket=" + ticket},
          [&](const auto& config, auto& journal) { return wiring::acknowledge(config, journal, name, ticket); });
  return answer.failed.value_or(done);
}

namespace {

ExitStatus forget(const Arguments& arguments, const settings::Environment& environment) {
  const auto& name = arguments.consumer;
  const auto answer =
      ask(arguments, environment, {"POST", "/v1/forget?consumer=" + name},
          [&](const auto& config, auto& journal) { return wiring::forget_consumer(config, journal, name); });
  return answer.failed.value_or(done);
}

}  // namespace

ExitStatus consumers(const Arguments& arguments, const settings::Environment& environment) {
  if (!arguments.consumer.empty()) return forget(arguments, environment);
  auto json = client::ask(socket_of(arguments, environment), {"GET", "/v1/consumers"});
  if (!json && !client::is_absent(json.error())) return fail_refused(json.error());
  if (!json) {
    const auto read = load_or_report(arguments, environment);
    if (!read) return exit_status(read.error().code);
    json = listed_here(read->config);
    if (!json) return fail_here(json.error());
  }
  if (arguments.json) return print(*json);
  const auto all = report::parse_consumers(*json);
  if (!all) return fail_refused(all.error());
  if (all->empty()) say("vtmirror: no consumer has asked yet: see `vtmirror help next`\n");
  const auto width = terminal::table_width(STDOUT_FILENO);
  return print(report::consumers_text(*all, width, now(), &host::utc_offset));
}

namespace {

using Clock = std::chrono::steady_clock;

/// A day that is waited for, and what was found last.
class Wait {
 public:
  Wait(const Arguments& arguments, const settings::Environment& environment)
      : arguments_(arguments), environment_(environment), began_(Clock::now()) {
    if (!arguments.through.empty()) day_ = *base::parse_date(arguments.through);
    if (!arguments.timeout.empty()) end_ = began_ + *base::parse_duration(arguments.timeout);
  }

  ExitStatus run() {
    for (;;) {
      const auto answer = look();
      if (!answer) return fail_here(answer.error());
      if (refused_) return *refused_;
      if (const auto failure = read(*answer)) return fail_refused(*failure);
      if (found_.is_over()) return print("complete through " + base::iso8601(*found_.complete_through));
      if (left() <= Clock::duration::zero()) return give_up();
      if (!by_daemon_) std::this_thread::sleep_for(std::min<Clock::duration>(between_looks, left()));
    }
  }

 private:
  Clock::duration left() const { return end_ ? *end_ - Clock::now() : Clock::duration(longest_request); }

  /// The daemon answers when the day is complete, or when the time of the request is over.
  base::Result<std::string> look() {
    const auto whole = std::chrono::ceil<seconds>(std::max(left(), Clock::duration::zero()));
    const auto limit = std::min(whole, longest_request);
    auto target = "/v1/wait?timeout=" + std::to_string(limit.count());
    if (day_) target += "&through=" + base::iso8601(*day_);
    auto answer = client::ask(socket_of(arguments_, environment_), {"GET", target}, limit + grace_of_wait);
    by_daemon_ = answer.has_value();
    if (answer) return answer;
    // A daemon with too many clients that wait is no reason to give up.
    const auto& error = answer.error();
    if (client::is_absent(error) || error.status == unavailable_status) return look_here();
    refused_ = fail_refused(error);
    return std::string();
  }

  base::Result<std::string> look_here() {
    if (!config_) {
      auto read = load_or_report(arguments_, environment_);
      if (!read) {
        refused_ = exit_status(read.error().code);
        return std::string();
      }
      config_ = std::move(read->config);
    }
    return wiring::chain_through(*config_, day_, now());
  }

  /// Today's delta stays the one that was today's when the command began.
  std::optional<base::Error> read(const std::string& json) {
    const auto answer = report::parse_wait(json);
    if (!answer) return answer.error();
    found_ = *answer;
    day_ = found_.day;
    return std::nullopt;
  }

  ExitStatus give_up() const {
    const auto waited = std::chrono::floor<seconds>(Clock::now() - began_);
    say("vtmirror: the chain is not complete through ", report::day_words(*day_), " after ",
        base::human_duration(waited), ": ",
        (found_.complete_through ? "it is complete through " + report::day_words(*found_.complete_through)
                                 : std::string("nothing is complete yet")),
        "; see `vtmirror coverage`\n");
    return failed;
  }

  const Arguments& arguments_;
  const settings::Environment& environment_;
  Clock::time_point began_;
  std::optional<Clock::time_point> end_;
  std::optional<base::Date> day_;
  std::optional<settings::Config> config_;
  std::optional<ExitStatus> refused_;
  bool by_daemon_ = false;
  report::ChainWait found_;
};

}  // namespace

ExitStatus wait(const Arguments& arguments, const settings::Environment& environment) {
  return Wait(arguments, environment).run();
}

}  // namespace vtmirror::cli
