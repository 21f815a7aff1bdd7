#include "agent/verifier.hpp"

#include "vtmirror/core/scrub.hpp"
#include "vtmirror/report/verification.hpp"

#include <algorithm>
#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

/// With how far it is. Null: it has not begun.
base::Error running(Verification* work) {
  std::string text = "a verification was asked for already, and begins as soon as no cycle runs";
  if (work != nullptr && work->progress().started != base::Time())
    text = "a verification is running already (" +
           report::progress_words(report::verification_status(work->progress())) + ")";
  return {base::Errc::locked, text + ": wait for its end, then try again; a restart of the daemon ends it"};
}

}  // namespace

base::Result<std::int64_t> Verifier::ask(core::VerificationRequest request) {
  if (asked_) return running(asked_->work.get());
  asked_ = Asked{.request = std::move(request)};
  wake_.notify();
  return ++number_;
}

awaitable<void> Verifier::make_way() {
  while (reading_) {
    reading_->interrupt();
    co_await way_.wait();
  }
}

awaitable<void> Verifier::make_way_for_cycle() {
  co_await make_way();
  found_ = false;
}

awaitable<bool> Verifier::tend(std::shared_ptr<Agent> agent, std::shared_ptr<const core::Zone> zone) {
  ended_ = false;
  if (!reading_ && asked_) {
    if (!asked_->work) asked_->work = std::make_shared<Verification>(ports_, asked_->request);
    begin(asked_->work, verify(agent));
  } else if (reading_ && asked_ && reading_ != asked_->work) {
    reading_->interrupt();
  } else if (!reading_ && every_ > std::chrono::seconds::zero() && may_be_due(ports_.clock.now())) {
    auto due = co_await find_due(std::move(zone));
    if (due) {
      core::VerificationRequest one{.names = {*due}, .bytes_a_second = core::scrub_bytes_a_second};
      begin(std::make_shared<Verification>(ports_, std::move(one)), scrub(agent, std::move(*due)));
    }
  }
  co_return std::exchange(found_, false);
}

void Verifier::begin(std::shared_ptr<Verification> work, awaitable<void> task) {
  const bool is_asked_for = asked_ && asked_->work == work;
  work->resume();
  reading_ = std::move(work);
  tasks_.spawn(std::move(task));
  if (is_asked_for) watcher_.verifying();
}

/// The next night of a clock that was set back since may be months away.
bool Verifier::may_be_due(base::Time now) const { return now >= next_scrub_ || now < looked_at_; }

awaitable<std::optional<std::string>> Verifier::find_due(std::shared_ptr<const core::Zone> zone) {
  const auto now = ports_.clock.now();
  looked_at_ = now;
  const auto today = zone->day_of(now);
  if (std::exchange(night_, today) != today) left_alone_.clear();
  auto read = [](const catalogue::Files& files) { return files.files(); };
  const auto files = co_await calls_(std::move(read));
  if (!files) co_return std::nullopt;  // the next write reports the reason
  auto turn = core::next_to_scrub(*files, every_, *zone, now, left_alone_);
  next_scrub_ = turn.again;
  co_return std::move(turn.file);
}

awaitable<void> Verifier::verify(std::shared_ptr<Agent> agent) {
  const auto work = reading_;
  const auto ended = co_await work->run(std::move(agent));
  end(*work, ended);
  // Interrupted for a cycle: it continues afterwards.
  if (ended && !work->is_done() && !ports_.stop.requested()) co_return;
  asked_.reset();
  const auto& report = work->report();
  ports::Event event{.kind = ports::EventKind::verified, .level = ports::Level::info};
  // A stop leaves files unread, and is no error.
  if (!ended || core::found_wrong(report)) event.level = ports::Level::error;
  event.message = ended ? report::summary(report) : "the verification failed: " + ended.error().message();
  event.fields.push_back({"files", std::to_string(report.files)});
  event.fields.push_back({"bytes", std::to_string(report.bytes)});
  ports_.journal.log(event);
  watcher_.verified(number_, report, ended);
}

awaitable<void> Verifier::scrub(std::shared_ptr<Agent> agent, std::string name) {
  const auto work = reading_;
  const auto ended = co_await work->run(std::move(agent));
  const auto& findings = work->report().findings;
  const bool judged =
      ended && std::ranges::find(findings, core::Verdict::unread, &core::Finding::verdict) == findings.end();
  if (!judged) left_alone_.insert(std::move(name));
  if (!ended) {
    ports::Event event{.kind = ports::EventKind::verified, .level = ports::Level::warning};
    event.message = "held files could not be read again: " + ended.error().message() + "; next try tomorrow";
    ports_.journal.log(event);
  }
  end(*work, ended);
}

void Verifier::end(Verification& work, const base::Result<void>& ended) {
  found_ = work.pop_found() || found_;
  if (!ended && !asked_) next_scrub_ = std::max(next_scrub_, ports_.clock.now() + std::chrono::hours(1));
  reading_.reset();
  ended_ = true;
  way_.notify();
  wake_.notify();
}

}  // namespace vtmirror::agent
