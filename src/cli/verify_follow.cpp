#include "cli/verify_follow.hpp"

#include "cli/live_view.hpp"
#include "cli/say.hpp"
#include "cli/sync_follow.hpp"
#include "vtmirror/base/encoding.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/client/control_client.hpp"
#include "vtmirror/client/control_events.hpp"
#include "vtmirror/host/local_time.hpp"
#include "vtmirror/report/event.hpp"
#include "vtmirror/report/verification.hpp"
#include "vtmirror/terminal/terminal.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::cli {
namespace {

constexpr std::chrono::milliseconds between_events = std::chrono::hours(1);

/// Shows the daemon's events until its verification ends.
class Follower {
 public:
  Follower(client::EventStream& stream, std::int64_t number, bool json, terminal::LiveBlock* block,
           ports::Journal& journal)
      : stream_(stream), number_(number), json_(json), block_(block), journal_(journal) {}

  /// Errors: unreachable, if the daemon has gone.
  base::Result<report::VerificationEnd> run() {
    base::Result<report::VerificationEnd> end = base::Error{};
    int signal = 0;
    {
      terminal::Interrupt interrupt(block_ != nullptr);
      end = follow(interrupt, signal);
      if (block_ != nullptr) block_->close();
    }
    if (end.has_error() && signal != 0) {
      say("vtmirror: the daemon continues the verification\n");
      terminal::end_by(signal);
    }
    if (end.has_error()) return base::Error{end.error().code, end.error().detail + " before the verification's end"};
    return end;
  }

 private:
  base::Result<report::VerificationEnd> follow(terminal::Interrupt& interrupt, int& signal) {
    for (;;) {
      const auto event = stream_.next(between_events, interrupt.descriptor());
      if (event.has_error()) {
        if (was_suspended(event.error(), interrupt, block_, signal)) continue;
        return event.error();
      }
      if (!*event) continue;
      show(**event);
      // An earlier verification may have ended just when this one was requested.
      if ((*event)->is(ports::StreamEvent::verification) && report::verification_number((*event)->json) >= number_)
        return report::parse_verification((*event)->json);
    }
  }

  void show(const client::DaemonEvent& event) {
    if (json_ && !event.is(ports::StreamEvent::status))
      std::cout << report::event_line(event.name, event.json) << std::flush;
    if (event.is(ports::StreamEvent::verifying)) draw(event.json);
    if (!event.is(ports::StreamEvent::journal) || json_) return;
    if (const auto logged = client::journal_event(event.json)) journal_.log(*logged);
  }

  void draw(const std::string& json) {
    if (block_ == nullptr) return;
    const auto progress = report::parse_verifying(json);
    if (progress.has_error()) return;
    block_->show(*progress, rates_.update(*progress, steady_now()), host::machine_now());
  }

  client::EventStream& stream_;
  std::int64_t number_;
  bool json_;
  terminal::LiveBlock* block_;
  ports::Journal& journal_;
  report::RateBook rates_;
};

ExitStatus say_refusal(const base::Error& error) {
  const auto refused = fail_refused(error);
  say_who_may(error, "start a verification", "verify");
  return error.met == base::Errc::config ? wrong : refused;
}

std::string target_of(const core::VerificationRequest& request) {
  // An older daemon knows no rate.
  auto query = request.bytes_a_second > 0 ? "&rate=" + std::to_string(request.bytes_a_second) : std::string();
  for (const auto& name : request.names) query += "&name=" + base::percent_encoded(name);
  if (!query.empty()) query.front() = '?';
  return "/v1/verify" + query;
}

/// Asks for a verification and follows it. Errors: of the request, and unreachable.
base::Result<report::VerificationEnd> verify_there(const Arguments& arguments, const std::string& socket,
                                                   const std::vector<std::string>& names,
                                                   const settings::Environment& environment) {
  // The events are opened before the request, so that none of the verification's is missed.
  auto stream = client::EventStream::open(socket);
  if (stream.has_error()) return stream.error();
  const auto asked = client::ask(socket, {"POST", target_of(verification_request(arguments, names))});
  if (asked.has_error()) return asked.error();
  say("vtmirror: a daemon holds the mirror: following its verification\n");
  LiveView view(arguments, environment);
  return Follower(*stream, report::verification_number(*asked), arguments.json, view.block(), view.journal()).run();
}

/// With the advice and the exit status of a verification by this process. An older daemon sends no code.
ExitStatus say_stopped(const core::Cause& why) {
  auto error = core::error_of(why);
  error.detail = "the verification could not be finished: " + error.message();
  const bool passes = why.code == base::Errc::cancelled || why.code == base::Errc::locked;
  if (why.code && !passes) return fail(error);
  return fail_refused(error);
}

ExitStatus say_end(const report::VerificationEnd& end) {
  say_verification(end.summary, end.chain);
  if (end.stopped_by) return say_stopped(*end.stopped_by);
  return end.clean ? done : failed;
}

/// What a cycle may bring back.
std::vector<std::string> repairable(const report::VerificationEnd& end) {
  std::vector<std::string> names;
  for (const auto& finding : end.findings)
    if (core::is_wrong(finding) && finding.listed) names.push_back(finding.name);
  return names;
}

}  // namespace

std::optional<ExitStatus> follow_verification(const Arguments& arguments, const settings::Config& config,
                                              const settings::Environment& environment) {
  const auto& socket = config.control.socket;
  if (!status_of_daemon(socket, config.mirror.directory)) return std::nullopt;
  const auto end = verify_there(arguments, socket, arguments.names, environment);
  if (end.has_error()) return say_refusal(end.error());
  const auto status = say_end(*end);
  const auto wrong_files = repairable(*end);
  if (!arguments.repair || wrong_files.empty()) return status;
  // The daemon begins a cycle by itself when it has found damage; a request joins that one.
  static_cast<void>(follow_daemon(arguments, config, environment));
  const auto after = verify_there(arguments, socket, wrong_files, environment);
  if (after.has_error()) return say_refusal(after.error());
  const auto repaired = say_end(*after);
  const bool nothing_else = end->left == 0 && !end->stopped_by &&
                            std::ranges::count_if(end->findings, core::is_wrong) == std::ssize(wrong_files);
  return nothing_else ? repaired : failed;
}

core::VerificationRequest verification_request(const Arguments& arguments, std::vector<std::string> names) {
  const auto rate = arguments.rate.empty() ? base::Result<std::int64_t>(0) : base::parse_rate(arguments.rate);
  return {.names = std::move(names), .bytes_a_second = rate ? *rate : 0};
}

void say_verification(const std::string& summary, const std::string& chain) {
  say("vtmirror: ", summary, '\n');
  if (!chain.empty()) say("vtmirror: ", chain, '\n');
}

}  // namespace vtmirror::cli
