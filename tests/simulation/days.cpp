// What happens on a day.
#include "simulation/simulated_years.hpp"

namespace vtmirror::test {

using namespace std::chrono_literals;

SimulatedYears::SimulatedYears(std::uint64_t seed, std::shared_ptr<const core::Zone> zone)
    : random_(seed), catalogue_(catalogue::Catalogue::open(":memory:", catalogue::Access::read_write).value()) {
  settings_.service.base_url = "https://api.example";
  settings_.service.token_url = "https://issuer.example/token";
  settings_.service.client_id = "client";
  settings_.service.client_secret = base::Secret("secret");
  settings_.service.api_key = base::Secret("key");
  settings_.cycle.check = {.zip = true, .digest = true};
  settings_.cycle.policy.keep_cycles = 2;
  settings_.health.zone = std::move(zone);
  let_service_fail();
  start();
}

void SimulatedYears::live_day(int number) {
  plan_day(number);
  run_until(end_);
  check_day(number);
}

/// An instant of today, so many minutes after seven o'clock.
base::Time SimulatedYears::at(Minutes from, Minutes to) {
  return begin_ + Minutes(between(random_, from.count(), to.count()));
}

void SimulatedYears::plan_day(int number) {
  begin_ = london(day(number), 7h);
  end_ = london(day(number + 1), 7h);
  faults_ = roll_faults(random_);
  // A clock that is set and set again between two minutes of a machine that sleeps can be noticed by nobody.
  awake_ = faults_.clock_set || chance(random_, 1);
  if (process_) process_->kill_after.reset();
  service_.requests.clear();
  listings_ = tokens_ = 0;
  observer_.begin_day();
  late_by_ = faults_.late ? Minutes(between(random_, 1, 15 * 60)) : 0min;
  on(begin_ + 30min, [this, number] { days_.begin(number); });
  if (!faults_.absent) on(begin_ + 59min + late_by_, [this, number] { days_.list_delta(number); });
  if (faults_.republished) on(at(31min, 20h), [this] { observer_.note("--- " + days_.republish() + " is replaced"); });
  plan_machine();
}

void SimulatedYears::plan_machine() {
  if (faults_.disk_full) {
    on(at(0min, 6h), [this] { storage_.free = between(random_, 0, 3000); });
    on(at(6h, 22h), [this] { storage_.free = std::int64_t{1} << 40; });
  }
  if (faults_.clock_set) {
    const auto set = [this](base::Milliseconds skew) {
      clock_.skew = skew;
      ++clock_changes_;
      observer_.note("--- the clock was set");
      observer_.disturb();
    };
    const auto first = at(0min, 10h);
    on(first, [=, skew = Minutes(between(random_, -11 * 60, 11 * 60))] { set(skew); });
    on(std::max(first, at(0min, 22h)), [=] { set(0ms); });
  }
  if (faults_.killed) {
    on(at(0min, 3h), [this, calls = static_cast<int>(between(random_, 0, 70))] {
      if (process_) process_->kill_after = calls;
    });
    on(begin_ + 18h, [this] {
      if (process_) process_->kill_after.reset();
    });
  }
  if (faults_.restarted) on(at(0min, 18h), [this] { stop(); });
  oversleep_ = faults_.overslept ? Minutes(between(random_, 1, 5 * 60)) : 0min;
}

/// The service asks the day how bad it is, at each request.
void SimulatedYears::let_service_fail() {
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
  service_.listing_script = [this](int) -> ports::Response {
    // Before a suspend it was good: whoever slept believes so still.
    if (clock_.world() > token_ends_) return {.status = 403, .body = R"({"errorCode":"X-FB-02"})"};
    return chance(random_, faults_.api_percent) ? listing_failure() : ports::Response{};
  };
  service_.store_script = [this](const StoreRequest&, StoreAnswer& answer) {
    if (chance(random_, faults_.break_percent)) spoil(answer);
  };
  service_.before_body = [this] {
    if (chance(random_, faults_.expiry_percent)) clock_.go_to(clock_.world() + 301s);
    if (faults_.republished_on_the_way && chance(random_, 20)) {
      faults_.republished_on_the_way = false;
      faults_.republished = true;
      observer_.note("--- " + days_.republish() + " is replaced on the way");
    }
  };
}

ports::Response SimulatedYears::listing_failure() {
  switch (between(random_, 0, 6)) {
    case 0:
      return {.status = 401, .body = R"({"errorCode":"X-UA-01"})"};
    case 1:
      return {.status = 403, .body = R"({"errorCode":"X-FB-02","errorMessage":"token expired"})"};
    case 2:
      return {.status = 403, .body = R"({"errorCode":"X-FB-03","errorMessage":"key not recognised"})"};
    case 3:
      return {.status = 429, .body = "", .retry_after = std::chrono::seconds(between(random_, 0, 7200))};
    case 4:
      return {.status = 200, .body = "<html>"};
    case 5:
      return {.status = 200, .body = R"({"bulk":[],"delta":[]})"};
    default:
      return {.status = 500, .body = ""};
  }
}

void SimulatedYears::spoil(StoreAnswer& answer) {
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
