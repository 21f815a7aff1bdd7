#include "vtmirror/wiring/machine.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/host/host.hpp"
#include "vtmirror/net/http.hpp"
#include "vtmirror/report/advice.hpp"
#include "vtmirror/report/table.hpp"
#include "vtmirror/terminal/terminal.hpp"
#include "vtmirror/wiring/agent_settings.hpp"
#include "wiring/reserve.hpp"
#include "wiring/threads.hpp"
#include "wiring/unusable.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <boost/asio/post.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace vtmirror::wiring {
namespace {

constexpr std::size_t pool_threads = 4;
constexpr std::size_t check_threads = 2;

/// Where a core is short, the check of a file that still arrives yields to the transfers, and so to everything else
/// that this machine does. Once the file is whole or the check is far behind, nothing is gained by waiting.
constexpr int niceness_of_reading = 10;

/// On Linux a thread has a niceness of its own.
void yield_to_others() {
  static_cast<void>(::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), niceness_of_reading) == 0);
}

/// The mirror's texts are read too while the catalogue is opened.
base::Error unusable_catalogue(const std::string& key, const std::string& path, const std::string& mirror,
                               const base::Error& error) {
  return is_inside(error) ? unusable("mirror.directory", mirror, error) : unusable(key, path, error);
}

/// Where the catalogue lies in a state directory that cannot be used, that is the setting to correct, as it is for the
/// secrets, which lie there too.
base::Error unusable_lock(const MachineSettings& settings, const base::Error& error) {
  const std::filesystem::path home = std::filesystem::path(settings.catalogue).parent_path();
  const bool is_in_state =
      home.lexically_normal() == std::filesystem::path(settings.state_directory).lexically_normal();
  auto of_state = unusable("mirror.state_directory", settings.state_directory, error);
  if (is_in_state && of_state.code == base::Errc::config) return of_state;
  return unusable("mirror.catalogue", settings.catalogue, error);
}

}  // namespace

MachineSettings machine_settings(const settings::Config& config) {
  return {.http = http_settings(config),
          .directory = directory_settings(config),
          .catalogue = config.mirror.catalogue,
          .state_directory = config.mirror.state_directory};
}

Machine::Machine()
    : pool_(std::make_unique<Threads>(pool_threads)),
      checks_(std::make_unique<Threads>(check_threads)),
      reading_(std::make_unique<Threads>(check_threads, yield_to_others)),
      clock_(host::make_clock(loop_, stop_)),
      dice_(host::make_dice()) {}

Machine::~Machine() {
  // The pools' threads post their results to the loop, so they must end before it is destroyed.
  reading_->join();
  checks_->join();
  pool_->join();
}

base::Result<std::unique_ptr<Machine>> Machine::open(const settings::Config& config, mirror::Holder holder,
                                                     Refill refill, Rebuild rebuild) {
  const auto settings = machine_settings(config);
  auto machine = std::make_unique<Machine>();
  if (auto opened = machine->open_mirror(settings, holder, rebuild); opened.has_error()) return opened.error();
  if (refill == Refill::refused)
    if (auto checked = machine->check_mirror(config.mirror.directory); checked.has_error()) return checked.error();
  if (auto opened = machine->open_network(settings.http); opened.has_error()) return opened.error();
  return machine;
}

base::Result<std::unique_ptr<Machine>> Machine::look(const settings::Config& config, Refill refill) {
  const auto settings = machine_settings(config);
  auto machine = std::make_unique<Machine>();
  if (auto looked = machine->look_at_mirror(settings); looked.has_error()) return looked.error();
  if (refill == Refill::refused)
    if (auto checked = machine->check_mirror(config.mirror.directory); checked.has_error()) return checked.error();
  if (auto opened = machine->open_network(settings.http); opened.has_error()) return opened.error();
  return machine;
}

base::Result<void> Machine::open_network(net::HttpSettings settings) {
  auto http = net::make_http(loop_, stop_, std::move(settings));
  if (http.has_error()) return http.error();
  http_ = std::move(*http);
  return {};
}

base::Result<void> Machine::look_at_mirror(const MachineSettings& settings) {
  const std::string key = "mirror.directory";
  const auto& place = settings.directory.directory;
  auto of_catalogue = mirror::share_lock_beside(settings.catalogue);
  if (of_catalogue.has_error()) return unusable_lock(settings, of_catalogue.error());
  catalogue_lock_ = std::move(*of_catalogue);
  auto lock = mirror::share_lock(place);
  if (lock.has_error()) return unusable(key, place, lock.error());
  lock_ = std::move(*lock);
  auto directory = mirror::look_at_directory(settings.directory);
  if (directory.has_error()) return unusable(key, place, directory.error());
  directory_ = std::move(*directory);
  auto opened = look_at_catalogue(settings.catalogue, *directory_.shelf);
  if (opened.has_error()) return unusable_catalogue("mirror.catalogue", settings.catalogue, place, opened.error());
  use(std::move(*opened));
  return {};
}

base::Result<void> Machine::open_mirror(const MachineSettings& settings, mirror::Holder holder, Rebuild rebuild) {
  const std::string key = "mirror.directory";
  const auto& place = settings.directory.directory;
  place_ = place;
  // The catalogue's first: a process that is refused makes no directory in the place of a mirror that was moved away.
  if (auto locked = lock_catalogue(settings, holder); locked.has_error()) return locked;
  auto lock = mirror::acquire_lock(place, holder, clock_->now());
  if (lock.has_error()) return unusable(key, place, lock.error());
  lock_ = std::move(*lock);
  auto directory = mirror::open_directory(settings.directory);
  if (directory.has_error()) return unusable(key, place, directory.error());
  directory_ = std::move(*directory);
  return open_catalogue(settings.catalogue, place, rebuild);
}

base::Result<void> Machine::lock_catalogue(const MachineSettings& settings, mirror::Holder holder) {
  auto lock = mirror::acquire_lock_beside(settings.catalogue, holder, clock_->now());
  if (lock.has_error()) return unusable_lock(settings, lock.error());
  catalogue_lock_ = std::move(*lock);
  return {};
}

base::Result<void> Machine::open_catalogue(const std::string& path, const std::string& place, Rebuild rebuild) {
  const std::string key = "mirror.catalogue";
  catalogue_path_ = path;
  const Reserve reserve(path);
  const auto open = [&] {
    return rebuild == Rebuild::allowed ? open_or_rescue(path, *directory_.shelf, clock_->now())
                                       : open_whole(path, place, *directory_.shelf);
  };
  auto opened = open();
  while (opened.has_error() && opened.error().code == base::Errc::no_space && reserve.release()) opened = open();
  // Also what was given back and not needed: others may fill the disk further.
  static_cast<void>(reserve.keep().has_value());
  if (opened.has_error()) return unusable_catalogue(key, path, place, opened.error());
  use(std::move(*opened));
  return {};
}

base::Error Machine::with_setting(const base::Error& error) const {
  return is_inside(error) ? unusable("mirror.directory", place_, error) : error;
}

void Machine::keep_reserve() {
  boost::asio::post(catalogue_strand_->turn(),
                    [reserve = Reserve(catalogue_path_)] { static_cast<void>(reserve.keep().has_value()); });
}

base::Result<void> Machine::check_mirror(const std::string& place) const {
  const auto known = catalogue_->files();
  if (known.has_error()) return known.error();
  if (known->empty() || was_published_in(place)) return {};
  std::vector<core::Cause> unread;
  const auto found = directory_.shelf->files(unread);
  if (found.has_error()) return unusable("mirror.directory", place, found.error());
  std::set<std::string, std::less<>> names;
  for (const auto& file : *known) names.insert(file.name);
  const auto is_known = [&names](const core::LocalFile& file) { return names.contains(file.name); };
  if (std::ranges::any_of(*found, is_known) || !unread.empty()) return {};
  return base::Error{base::Errc::config,
                     "mirror.directory cannot be used: " + place + " has none of the " +
                         base::counted(std::ssize(*known), "file") + " that the catalogue knows, and is another " +
                         "directory than before\nif its disk is not mounted, mount it; to download everything again, " +
                         "run `vtmirror sync --refill`"};
}

void Machine::use(RescuedCatalogue opened) {
  catalogue_ = std::move(opened.catalogue);
  std::function<bool()> make_room;
  if (!catalogue_path_.empty()) make_room = [reserve = Reserve(catalogue_path_)] { return reserve.spare(); };
  catalogue_strand_.emplace(pool_->pool(), *catalogue_, std::move(make_room));
  rescued_ = std::move(opened.message);
  hurry_.emplace(stop_, [this] { catalogue_->hurry(); });
  if (stop_.requested()) catalogue_->hurry();
}

agent::Ports Machine::parts(ports::Journal& journal) {
  return {loop_.get_executor(), *clock_,           *dice_,          *http_,
          *directory_.partials, *directory_.shelf, journal,         stop_,
          *catalogue_strand_,   pool_->pool(),     checks_->pool(), reading_->pool()};
}

std::unique_ptr<ports::Journal> stderr_journal(ports::Level least, terminal::ColourChoice choice,
                                               const settings::Environment& environment) {
  const bool colour = terminal::use_colour(choice, STDERR_FILENO, environment);
  return host::make_terminal_journal(least, colour ? host::Colour::always : host::Colour::never,
                                     [](std::string_view line, std::size_t before) {
                                       return report::wrapped(line, terminal::table_width(STDERR_FILENO), before);
                                     });
}

}  // namespace vtmirror::wiring
