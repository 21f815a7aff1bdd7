#include "report/status_clock.hpp"

#include <chrono>

namespace vtmirror::report {
namespace {

using namespace std::chrono;

std::string span(seconds length) {
  if (length < 60s) return std::to_string(length.count()) + "s";
  if (const auto count = round<minutes>(length).count(); count < 60) return std::to_string(count) + "m";
  if (const auto count = round<hours>(length).count(); count < 48) return std::to_string(count) + "h";
  return std::to_string(round<days>(length).count()) + " days";
}

std::string two_digits(std::int64_t value) { return (value < 10 ? "0" : "") + std::to_string(value); }

}  // namespace

std::string ReaderClock::at(base::Time time) const {
  const auto days = base::days_between(day_of(now_), day_of(time));
  std::string text = base::iso8601(day_of(time));
  if (days >= -1 && days <= 1) text = days == 0 ? "today" : days > 0 ? "tomorrow" : "yesterday";
  const auto since_midnight = local(time) - sys_days(day_of(time));
  const auto minute = floor<minutes>(since_midnight).count();
  text += ' ' + two_digits(minute / 60) + ':' + two_digits(minute % 60);
  return look_.utc_offset ? text : text + " UTC";
}

std::string ReaderClock::away(base::Time time) const {
  const auto left = floor<seconds>(time) - floor<seconds>(now_);
  if (left == 0s) return "now";
  return left > 0s ? "in " + span(left) : span(-left) + " ago";
}

std::string ReaderClock::away(base::Date day) const {
  const auto left = base::days_between(day_of(now_), day);
  if (left == 0) return "today";
  if (left == -1) return "yesterday";
  if (left == 1) return "tomorrow";
  return left > 0 ? "in " + std::to_string(left) + " days" : std::to_string(-left) + " days ago";
}

base::Time ReaderClock::local(base::Time time) const { return look_.utc_offset ? time + look_.utc_offset(time) : time; }

base::Date ReaderClock::day_of(base::Time time) const { return base::Date(floor<days>(local(time))); }

}  // namespace vtmirror::report
