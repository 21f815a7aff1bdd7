#include "agent/fetch.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/core/retry.hpp"
#include "vtmirror/report/history.hpp"
#include "vtmirror/report/plan.hpp"
#include "vtmirror/report/sentence.hpp"

namespace vtmirror::agent {

using boost::asio::awaitable;
using Phase = ports::DownloadProgress::Phase;

Fetch::Fetch(CycleResources resources, core::Action action, core::PartialRecord partial,
             ports::DownloadProgress& progress)
    : resources_(resources),
      action_(std::move(action)),
      progress_(progress),
      check_(resources.checks, resources.settings.check, action_.name),
      transfer_(resources, std::move(partial), check_, progress) {}

awaitable<base::Result<void>> Fetch::run() {
  begun_ = resources_.ports.clock.steady();
  log_started();
  base::Result<void> done;
  // The first download resumes; one that follows failed checks starts from the beginning.
  for (bool again = false;; again = true) {
    progress_.phase = Phase::fetching;
    done = co_await transfer_.run(again);
    if (done)
      done = co_await check_and_publish();
    else
      co_await check_.stop();
    if (done) break;
    const auto reason = done.error();
    const auto next = core::after_download(reason, again);
    if (next == core::AfterDownload::quarantine) co_await quarantine(reason);
    if (next != core::AfterDownload::again) break;
    log_damaged(reason);
  }
  if (done)
    log_published();
  else
    log_failed(done.error());
  co_return done;
}

awaitable<base::Result<void>> Fetch::check_and_publish() {
  progress_.phase = Phase::checking;
  auto checked = co_await check();
  if (!checked) co_return checked.error();
  auto published = co_await publish(std::move(*checked));
  co_return published;
}

awaitable<base::Result<ports::Checked>> Fetch::check() {
  auto checked = co_await check_.finish();
  // The names of a ZIP's members come from outside.
  if (!checked) co_return resources_.ports.http.known().masked(checked.error());
  log_checked(*checked);
  co_return checked;
}

awaitable<base::Result<void>> Fetch::publish(ports::Checked checked) {
  auto verified = transfer_.partial();
  verified.verified = true;
  verified.sha256 = checked.sha256;
  auto keep = [verified](catalogue::Catalogue& c) { return c.keep_partial(verified); };
  const auto kept = co_await resources_.calls(std::move(keep));
  if (!kept) co_return kept.error();
  auto published = co_await resources_.publisher.publish(std::move(verified));
  co_return published;
}

awaitable<void> Fetch::quarantine(base::Error reason) {
  auto& ports = resources_.ports;
  const auto partial = transfer_.partial();
  const auto cause = core::cause_of(reason);
  const auto words = report::reason(reason, partial.name);
  const auto text =
      base::iso8601(ports.clock.now()) + " " + partial.name + ": " + words +
      (core::is_deadly(cause) ? " (downloaded and checked once more on the next day, or at once with `vtmirror sync`)\n"
                              : " (downloaded twice; retried automatically, or at once with `vtmirror sync`)\n");
  auto move = [&partials = ports.partials, name = partial.name, text] { return partials.quarantine(name, text); };
  const auto moved = co_await off_loop(ports.pool.get_executor(), std::move(move));
  const core::QuarantinedFile record{partial.name, partial.size, cause, ports.clock.now()};
  auto keep = [record](catalogue::Catalogue& c) { return c.keep_quarantined(record); };
  const auto kept = co_await resources_.calls(std::move(keep));
  ports::Event event{.kind = ports::EventKind::quarantined, .level = ports::Level::error};
  event.message = core::short_name(partial.name) + " was quarantined: " + words;
  if (!moved) event.message += "; moving it failed: " + moved.error().message();
  if (!kept) event.message += "; recording it failed: " + kept.error().message();
  event.fields.push_back({"file", partial.name});
  event.fields.push_back({"reason", std::string(base::name(reason.code)) + ": " + words});
  ports.journal.log(event);
}

void Fetch::log_started() {
  ports::Event event{.kind = ports::EventKind::fetch_started, .level = ports::Level::info};
  event.message = "downloading " + core::short_name(action_.name) + " (" + base::human_size(action_.size);
  if (action_.durable > 0) event.message += ", resuming at " + base::human_size(action_.durable);
  event.message += "): " + std::string(report::sentence(action_.reason));
  event.fields.push_back({"file", action_.name});
  event.fields.push_back({"bytes", std::to_string(action_.size)});
  event.fields.push_back({"reason", std::string(core::name(action_.reason))});
  resources_.ports.journal.log(event);
}

void Fetch::log_damaged(const base::Error& reason) {
  ports::Event event{.kind = ports::EventKind::fetch_retried, .level = ports::Level::warning};
  event.message = core::short_name(action_.name) + " is damaged (" + report::reason(reason, action_.name) +
                  "); downloading it once more from the start";
  event.fields.push_back({"file", action_.name});
  event.fields.push_back({"reason", "integrity"});
  resources_.ports.journal.log(event);
}

void Fetch::log_checked(const ports::Checked& checked) {
  ports::Event event{.kind = ports::EventKind::checked, .level = ports::Level::debug};
  event.message = core::short_name(action_.name) + " passed its checks" +
                  (checked.sha256.empty() ? "" : ": SHA-256 " + checked.sha256);
  event.fields.push_back({"file", action_.name});
  event.fields.push_back({"bytes", std::to_string(transfer_.partial().size)});
  if (!checked.sha256.empty()) event.fields.push_back({"sha256", checked.sha256});
  resources_.ports.journal.log(event);
}

void Fetch::log_published() {
  progress_.phase = Phase::published;
  progress_.received = progress_.size;
  const auto took = resources_.ports.clock.steady() - begun_;
  ports::Event event{.kind = ports::EventKind::published, .level = ports::Level::info};
  event.message = "published " + core::short_name(action_.name) + " (" + base::human_size(transfer_.partial().size) +
                  " in " + report::took_words(std::chrono::duration_cast<base::Milliseconds>(took)) + ")";
  event.fields.push_back({"file", action_.name});
  event.fields.push_back({"bytes", std::to_string(transfer_.partial().size)});
  resources_.ports.journal.log(event);
}

void Fetch::log_failed(const base::Error& error) {
  progress_.phase = Phase::failed;
  // It was downloaded, and quarantined.
  if (error.code == base::Errc::integrity) return;
  ports::Event event{.kind = ports::EventKind::fetch_failed, .level = ports::Level::error};
  event.message =
      core::short_name(action_.name) + " could not be downloaded in this cycle: " + report::reason(error, action_.name);
  if (error.code == base::Errc::cancelled) {
    event.level = ports::Level::notice;
    event.message = core::short_name(action_.name) + " was stopped; the next start resumes it";
  }
  event.fields.push_back({"file", action_.name});
  event.fields.push_back({"reason", std::string(base::name(error.code))});
  resources_.ports.journal.log(event);
}

}  // namespace vtmirror::agent
