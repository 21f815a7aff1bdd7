// The calendar of days and the status page, as the daemon answers them.
#include "vtmirror/host/host.hpp"
#include "vtmirror/host/local_time.hpp"
#include "vtmirror/report/sentence.hpp"
#include "vtmirror/web/page.hpp"
#include "vtmirror/wiring/agent_settings.hpp"
#include "vtmirror/wiring/calendar.hpp"
#include "wiring/daemon_answers.hpp"

#include <utility>

namespace vtmirror::wiring {

using boost::asio::awaitable;

base::Result<core::DayFacts> day_facts(const settings::Config& config, base::Time now) {
  const auto zone = host::load_zone(config.schedule.time_zone);
  if (!zone) return zone.error();
  return core::DayFacts{.today = (*zone)->day_of(now), .awaited = core::day_served(schedule_of(config), **zone, now)};
}

base::Result<std::optional<base::Date>> settled_day(const settings::Config& config,
                                                    const std::optional<base::Time>& listed_at) {
  const auto zone = host::load_zone(config.schedule.time_zone);
  if (!zone) return zone.error();
  if (!listed_at) return std::optional<base::Date>();
  const auto schedule = schedule_of(config);
  const auto day = core::day_served(schedule, **zone, *listed_at);
  const bool tries_are_over = (*zone)->instant(day, schedule.at) + schedule.give_up <= *listed_at;
  return std::optional(tries_are_over ? day : base::previous_day(day));
}

base::Result<report::DayCalendar> DaemonAnswers::days(int most) {
  auto facts = day_facts(resources_.config, resources_.clock.now());
  if (!facts) return facts.error();
  const auto since = report::first_day(facts->today, most);
  if (!records_ || records_->since > since) {
    auto read = report::calendar_records(resources_.catalogue, since);
    if (!read) return read.error();
    records_ = std::move(*read);
  }
  const auto settled = settled_day(resources_.config, records_->coverage.listed_at);
  if (!settled) return settled.error();
  facts->settled = *settled;
  const auto running = cycle();
  if (running)
    for (const auto& download : running->downloads) facts->downloading.push_back(download.name);
  return report::calendar_of(*records_, std::move(*facts), most);
}

awaitable<base::Result<std::string>> DaemonAnswers::calendar(int days) {
  const auto calendar = this->days(days);
  if (!calendar) co_return calendar.error();
  co_return report::calendar_json(*calendar);
}

/// If the catalogue cannot be read, the page says so, and what the daemon itself knows.
awaitable<base::Result<std::string>> DaemonAnswers::page(std::optional<base::Date> day) {
  web::PageFacts facts;
  facts.status = now();
  facts.day = day;
  facts.now = resources_.clock.now();
  facts.utc_offset = &host::utc_offset;
  auto calendar = days(report::days_of_a_year);
  if (calendar)
    facts.calendar = std::move(*calendar);
  else
    facts.unreadable = calendar.error().message();
  auto cycles = resources_.catalogue.history(web::plotted_cycles);
  if (cycles)
    facts.cycles = std::move(*cycles);
  else
    facts.unreadable = cycles.error().message();
  if (unreadable_) facts.unreadable = report::reason(unreadable_->cause);
  co_return web::page_html(facts);
}

std::optional<control::Answers::Asset> DaemonAnswers::asset(std::string_view path) {
  const auto* const file = web::find_file(path);
  if (file == nullptr) return std::nullopt;
  return Asset{file->type, file->bytes};
}

}  // namespace vtmirror::wiring
