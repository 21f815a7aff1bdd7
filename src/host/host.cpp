#include "vtmirror/host/host.hpp"

#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/host/local_time.hpp"

#include <cctz/civil_time.h>
#include <cctz/time_zone.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>
#include <vector>

namespace vtmirror::host {
namespace {

base::Error stopped() { return {.code = base::Errc::cancelled, .detail = "stopped while waiting"}; }

class MachineClock : public ports::Clock {
 public:
  MachineClock(boost::asio::io_context& loop, ports::Stop& stop) : loop_(loop), stop_(stop) {}

  base::Time now() const override { return machine_now(); }

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

/// Where cctz finds the rules of that zone.
std::string zone_path(const std::string& name) {
  const char* directory = std::getenv("TZDIR");
  return (directory == nullptr ? "/usr/share/zoneinfo" : std::string(directory)) + '/' + name;
}

/// By which a file of time zone data that was replaced is recognised, and one that appears.
struct Version {
  std::string path;
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  std::int64_t changed = 0;
  friend bool operator==(const Version&, const Version&) = default;
};

Version version_of(const std::string& name) {
  Version version{.path = zone_path(name)};
  struct stat status {};
  if (::stat(version.path.c_str(), &status) != 0) return version;
  version.device = status.st_dev;
  version.inode = status.st_ino;
  version.size = status.st_size;
  version.changed = std::int64_t{status.st_ctim.tv_sec} * 1'000'000'000 + status.st_ctim.tv_nsec;
  return version;
}

/// cctz keeps what it has read of a name for the life of the process. "./Europe/London" is the same file and another
/// name, so each new version of a file gets one more "./".
std::string spelled(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, std::vector<Version>> read;
  const std::scoped_lock lock(mutex);
  auto& versions = read[name];
  const auto newest = version_of(name);
  auto found = std::find(versions.begin(), versions.end(), newest);
  if (found == versions.end()) found = versions.insert(found, newest);
  std::string spelling;
  for (auto each = versions.begin(); each != found; ++each) spelling += "./";
  return spelling + name;
}

enum class Rules { none, unread, whole };

/// `whole`: a file that begins as all files of rules do, and can be read to its end. `unread`: it may be one, and
/// cannot be read now.
Rules look_at_rules(const std::string& name) {
  constexpr std::string_view magic = "TZif";
  const base::Descriptor file(::open(zone_path(name).c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) {
    const bool is_none = errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG || errno == ELOOP;
    return is_none ? Rules::none : Rules::unread;
  }
  std::array<char, 4096> block{};
  for (bool is_first = true;; is_first = false) {
    const auto got = ::read(file.get(), block.data(), block.size());
    if (got < 0) return errno == EISDIR ? Rules::none : Rules::unread;
    const std::string_view text(block.data(), static_cast<std::size_t>(got));
    if (is_first && !text.starts_with(magic)) return Rules::none;
    if (text.empty()) return Rules::whole;
  }
}

}  // namespace

namespace {

base::Result<cctz::time_zone> zone_of(const std::string& iana_name) {
  cctz::time_zone zone;
  const auto spelling = is_name(iana_name) ? spelled(iana_name) : std::string();
  if (!spelling.empty() && cctz::load_time_zone(spelling, &zone)) return zone;
  // The library does not say why, and remembers its failure by the spelling. What could not be read may pass.
  const auto rules = spelling.empty() ? Rules::none : look_at_rules(iana_name);
  if (rules == Rules::whole && cctz::load_time_zone(".//" + spelling, &zone)) return zone;
  if (rules == Rules::whole)
    return base::Error{base::Errc::config,
                       "time zone \"" + base::printable(iana_name, 80) +
                           "\" cannot be used: its file counts leap seconds, as those below right/ do, or is damaged "
                           "(use another such as \"Europe/London\")"};
  if (rules == Rules::unread)
    return base::Error{base::Errc::io, iana_name + ": the rules of the time zone cannot be read"};
  return base::Error{base::Errc::config,
                     "unknown time zone \"" + base::printable(iana_name, 80) +
                         "\" (use an IANA name such as \"Europe/London\", and install the package tzdata)"};
}

}  // namespace

base::Result<std::unique_ptr<core::Zone>> load_zone(const std::string& iana_name) {
  const auto zone = zone_of(iana_name);
  if (!zone) return zone.error();
  return std::make_unique<SystemZone>(*zone);
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
