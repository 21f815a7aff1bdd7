// What goes wrong with the service's answers.
#include "simulation/life.hpp"

namespace vtmirror::test {

using namespace std::chrono_literals;

/// Makes the service fail at random, as often as the faults of the day say.
void Life::let_service_fail() {
  service_.connect_script = [this](const ports::Request& request) -> std::optional<base::Error> {
    if (down_) return base::Error{base::Errc::cancelled, "the process has ended"};
    ++(request.method == "POST" ? tokens_ : listings_);
    if (!chance(random_, faults_.api_percent) || chance(random_, 60)) return std::nullopt;
    return base::Error{chance(random_, 50) ? base::Errc::unreachable : base::Errc::timed_out, "connection lost"};
  };
  service_.token_script = [this](int) -> ports::Response {
    token_ends_ = clock_.world() + 1h;
    if (!chance(random_, faults_.api_percent / 2)) return {};
    if (chance(random_, 30)) return {.status = 400, .body = R"({"error":"invalid_client"})"};
    return {.status = 503, .body = "busy"};
  };
  service_.its_clock = [this] { return clock_.world(); };
  service_.listing_script = [this](int) -> ports::Response {
    probes_.saw(Probe::links_signed_while_the_clock_is_wrong, clock_.now() != clock_.world());
    // The token has expired. After a suspend, the process does not know that yet.
    if (clock_.world() > token_ends_) return {.status = 403, .body = R"({"errorCode":"X-FB-02"})"};
    if (chance(random_, faults_.api_percent)) return listing_failure();
    show_listing();
    return {};
  };
  service_.store_script = [this](const StoreRequest& request, StoreAnswer& answer) {
    const auto failing = failing_.find(request.name);
    if (failing != failing_.end()) {
      if (failing->second == Breaking::rotten && !answer.body.empty()) answer.body.back() ^= 1;
      if (failing->second == Breaking::cut) {
        probes_.saw(Probe::file_refused_while_others_come, is_transferring());
        answer = ScriptedService::refusal(503);
      }
    } else if (chance(random_, faults_.break_percent)) {
      spoil(answer);
    } else if (faults_.has(Fault::ranges_ignored) && answer.head.status == 206 && chance(random_, 60)) {
      probes_.saw(Probe::range_ignored, request.range.begin > 0);
      answer = service_.whole(request.name);
    }
  };
  service_.before_body = [this] {
    if (chance(random_, faults_.expiry_percent)) clock_.go_to(clock_.world() + 301s);
    // At the day's end, when the next process begins at once, each cycle would end so.
    const bool is_late = clock_.world() >= kills_end();
    if (faults_.has(Fault::killed) && !is_late && process_ && !process_->kill_after && chance(random_, 25))
      process_->kill_after = static_cast<int>(between(random_, 0, 12));
    if (faults_.has(Fault::republished_on_the_way) && chance(random_, 20)) {
      faults_.drawn.erase(Fault::republished_on_the_way);
      faults_.drawn.insert(Fault::republished);
      const auto name = truth_.republish(false);
      observer_.note("--- " + name + " is replaced on the way");
      service_changed("a file is replaced");
    }
  };
}

ports::Response Life::listing_failure() {
  switch (between(random_, 0, 6)) {
    case 0:
      return {.status = 401, .body = R"({"errorCode":"X-UA-01"})"};
    case 1:
      return {.status = 403, .body = R"({"errorCode":"X-FB-02","errorMessage":"token expired"})"};
    case 2:
      return {.status = 403, .body = R"({"errorCode":"X-FB-03","errorMessage":"key not recognised"})"};
    case 3:
      return busy_for(std::chrono::seconds(between(random_, 0, 7200)));
    case 4:
      return {.status = 200, .body = "<html>"};
    case 5:
      return {.status = 200, .body = R"({"bulk":[],"delta":[]})"};
    default:
      return {.status = 500, .body = ""};
  }
}

ports::Response Life::busy_for(std::chrono::seconds wait) {
  // The answer's time and the process's may differ by a few seconds.
  observer_.asked_to_wait_until = clock_.now() + wait + 10s;
  if (wait > 4min && swarm_.has(Fault::restarted) && chance(random_, 10)) {
    on(clock_.world() + 1min, [this] { stop(); });
  }
  return {.status = 429, .body = "", .retry_after = wait};
}

void Life::spoil(StoreAnswer& answer) {
  const auto length = std::ssize(answer.body);
  switch (between(random_, 0, 4)) {
    case 0:
      answer = ScriptedService::refusal(503);
      return;
    case 1:
      answer = ScriptedService::refusal(403, "<Code>AccessDenied</Code>");
      return;
    case 2:
      if (length > 0) answer.body[static_cast<std::size_t>(between(random_, 0, length - 1))] ^= 1;
      return;
    default:
      answer.body.resize(static_cast<std::size_t>(between(random_, 0, length)));
      answer.end = base::Error{chance(random_, 50) ? base::Errc::unreachable : base::Errc::timed_out, "cut"};
  }
}

}  // namespace vtmirror::test
