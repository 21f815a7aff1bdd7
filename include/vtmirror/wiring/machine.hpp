// The parts of this machine that a cycle needs, opened in order and closed in reverse: loop, clock, lock, directory,
// catalogue, network, threads. Promises that nothing of the mirror is opened before its lock is held or shared. Also
// what a process sets up before it.
#pragma once

#include "vtmirror/agent/agent.hpp"
#include "vtmirror/mirror/directory.hpp"
#include "vtmirror/net/http.hpp"
#include "vtmirror/ports/journal.hpp"
#include "vtmirror/settings/config.hpp"
#include "vtmirror/settings/load.hpp"
#include "vtmirror/terminal/terminal.hpp"
#include "vtmirror/wiring/catalogue_rescue.hpp"

#include <sys/prctl.h>
#include <boost/asio/io_context.hpp>

#include <memory>
#include <optional>
#include <string>

namespace vtmirror::wiring {

class Threads;

/// What a machine is opened with. A change of it needs a new machine.
struct MachineSettings {
  net::HttpSettings http;
  mirror::DirectorySettings directory;
  std::string catalogue;
  std::string state_directory;
  friend bool operator==(const MachineSettings&, const MachineSettings&) = default;
};
MachineSettings machine_settings(const settings::Config& config);

/// Whether a mirror that has none of the catalogue's files, and in which nothing was ever published, may be filled
/// again. It may be a directory whose disk is not mounted.
enum class Refill { refused, allowed };

/// Whether a catalogue that is lost or damaged is made anew, which only a process that recovers the mirror may do.
enum class Rebuild { refused, allowed };

class Machine {
 public:
  /// `holder` names this process to another one that wants the lock. Errors: locked, config
  /// (also for a directory or file that cannot be used), no_space, catalogue, catalogue_damaged, tls.
  static base::Result<std::unique_ptr<Machine>> open(const settings::Config& config, mirror::Holder holder,
                                                     Refill refill = Refill::refused,
                                                     Rebuild rebuild = Rebuild::allowed);
  /// For a process that only plans: nothing on disk is created or changed. A missing directory is an empty mirror, and
  /// the catalogue is a copy, or empty if there is none or if `open` would make a new one. Errors: as `open`.
  static base::Result<std::unique_ptr<Machine>> look(const settings::Config& config, Refill refill = Refill::refused);

  Machine();
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  boost::asio::io_context& loop() { return loop_; }
  ports::Stop& stop() { return stop_; }
  ports::Clock& clock() { return *clock_; }
  agent::Ports parts(ports::Journal& journal);

  /// Takes what is missing of the room that is kept for the catalogue, after the calls to the catalogue. Without a free
  /// disk it does so when it is called again.
  void keep_reserve();

  /// An error about a path in the mirror: with the setting, the whole path and, where trying again does not help, the
  /// code config. Any other error is returned unchanged.
  base::Error with_setting(const base::Error& error) const;

  /// A message about a catalogue that was found damaged and replaced, or would be; empty if none was.
  const std::string& rescued() const { return rescued_; }
  /// Damage found in the catalogue at run time. The caller must destroy this machine and move the catalogue aside.
  const std::optional<base::Error>& damage() const { return catalogue_->damage(); }
  bool catalogue_replaced() const { return catalogue_->is_replaced(); }

 private:
  base::Result<void> open_mirror(const MachineSettings& settings, mirror::Holder holder, Rebuild rebuild);
  base::Result<void> lock_catalogue(const MachineSettings& settings, mirror::Holder holder);
  base::Result<void> open_catalogue(const std::string& path, const std::string& place, Rebuild rebuild);
  base::Result<void> look_at_mirror(const MachineSettings& settings);
  base::Result<void> check_mirror(const std::string& place) const;
  base::Result<void> open_network(net::HttpSettings settings);
  void use(RescuedCatalogue opened);

  // Both must outlive the loop: what the loop destroys at its end may still be registered with `stop_`, or hold a
  // strand of the pool.
  ports::Stop stop_;
  std::unique_ptr<Threads> pool_;
  std::unique_ptr<Threads> checks_;
  std::unique_ptr<Threads> reading_;
  boost::asio::io_context loop_;
  std::unique_ptr<ports::Clock> clock_;
  std::unique_ptr<ports::Dice> dice_;
  std::unique_ptr<mirror::Lock> catalogue_lock_;
  std::unique_ptr<mirror::Lock> lock_;
  mirror::Directory directory_;
  std::optional<catalogue::Catalogue> catalogue_;
  std::optional<agent::CatalogueStrand> catalogue_strand_;
  std::optional<ports::Stop::Registration> hurry_;  ///< a stop does not wait for another process's lock
  std::string place_;                               ///< of the mirror
  std::string catalogue_path_;
  std::string rescued_;
  std::unique_ptr<ports::Http> http_;
};

/// A journal that prints events as lines on stderr, in colour if wanted.
/// Events below `least` are dropped.
std::unique_ptr<ports::Journal> stderr_journal(ports::Level least, terminal::ColourChoice choice,
                                               const settings::Environment& environment);

/// Turns core dumps of this process off, because its memory holds secrets, whatever the limit is: a limit of zero does
/// not keep the kernel from piping a dump to a program such as systemd-coredump. Child processes may dump theirs.
inline void forbid_core_dumps() { static_cast<void>(::prctl(PR_SET_DUMPABLE, 0)); }

}  // namespace vtmirror::wiring
