#include "vtmirror/host/host.hpp"

#include "vtmirror/base/text.hpp"

#include <cctz/civil_time.h>
#include <cctz/time_zone.h>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <random>

namespace vtmirror::host {
namespace {

base::Error stopped() { return {.code = base::Errc::cancelled, .detail = "stopped while waiting"}; }

class MachineClock : public ports::Clock {
 public:
  MachineClock(boost::asio::io_context& loop, ports::Stop& stop) : loop_(loop), stop_(stop) {}

  base::Time now() const override { return std::chrono::floor<base::Milliseconds>(std::chrono::system_clock::now()); }

  base::Steady steady() const override {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return {std::chrono::floor<base::Milliseconds>(since)};
  }

  boost::asio::awaitable<base::Result<void>> wait(base::Milliseconds pause) override {
    if (stop_.requested()) co_return stopped();
    boost::asio::steady_timer timer(loop_, pause);
    const ports::Stop::Registration registration(stop_, [&timer] { timer.cancel(); });
    boost::system::error_code error;
    auto token = boost::asio::redirect_error(boost::asio::use_awaitable, error);
    co_await timer.async_wait(token);
    // The stop may come when the timer has already fired and its completion is still queued.
    if (error || stop_.requested()) co_return stopped();
    co_return base::Result<void>();
  }

 private:
  boost::asio::io_context& loop_;
  ports::Stop& stop_;
};

}  // namespace

std::unique_ptr<ports::Clock> make_clock(boost::asio::io_context& loop, ports::Stop& stop) {
  return std::make_unique<MachineClock>(loop, stop);
}

namespace {

class SystemZone : public core::Zone {
 public:
  explicit SystemZone(cctz::time_zone zone) : zone_(zone) {}

  base::Date day_of(base::Time time) const override {
    const cctz::civil_day day(cctz::convert(std::chrono::floor<cctz::seconds>(time), zone_));
    return {std::chrono::year{static_cast<int>(day.year())}, std::chrono::month{static_cast<unsigned>(day.month())},
            std::chrono::day{static_cast<unsigned>(day.day())}};
  }

  base::Time instant(base::Date day, std::chrono::minutes since_midnight) const override {
    const cctz::civil_day civil(static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                                static_cast<unsigned>(day.day()));
    const auto local = cctz::civil_second(civil) + std::chrono::seconds(since_midnight).count();
    const auto found = zone_.lookup(local);
    // `pre` uses the offset before the change: the only one, or the first of two; `trans` is the change itself.
    return found.kind == cctz::time_zone::civil_lookup::SKIPPED ? found.trans : found.pre;
  }

 private:
  cctz::time_zone zone_;
};

/// cctz would read any file that an absolute name, ".." or "file:" leads to, and use TZ for "libc:localtime".
bool is_name(const std::string& name) {
  return !name.empty() && name.front() != '/' && name.find("..") == std::string::npos &&
         name.find(':') == std::string::npos;
}

}  // namespace

base::Result<std::unique_ptr<core::Zone>> load_zone(const std::string& iana_name) {
  cctz::time_zone zone;
  if (is_name(iana_name) && cctz::load_time_zone(iana_name, &zone)) return std::make_unique<SystemZone>(zone);
  return base::Error{base::Errc::config,
                     "unknown time zone \"" + base::printable(iana_name, 80) +
                         "\" (use an IANA name such as \"Europe/London\", and install the package tzdata)"};
}

namespace {

class MachineDice : public ports::Dice {
 public:
  double roll() override {
    // The upper 53 bits fill a double's fraction. The result is never 1, unlike that of uniform_real_distribution,
    // which may round up.
    return static_cast<double>(numbers_() >> 11U) * 0x1p-53;
  }

 private:
  std::mt19937_64 numbers_ = [] {
    std::random_device device;
    std::seed_seq seed{device(), device(), device(), device()};
    return std::mt19937_64(seed);
  }();
};

}  // namespace

std::unique_ptr<ports::Dice> make_dice() { return std::make_unique<MachineDice>(); }

}  // namespace vtmirror::host
