// All of this machine that a cycle needs, opened in order and closed in the reverse one: loop, clock, lock, directory,
// catalogue, network, threads. Promises that nothing of the mirror is opened before its lock is held.
#pragma once

#include "vtmirror/agent/agent.hpp"
#include "vtmirror/mirror/directory.hpp"
#include "vtmirror/net/http.hpp"
#include "vtmirror/settings/config.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

#include <memory>
#include <optional>
#include <string>

namespace vtmirror::wiring {

/// What a machine is opened with. A change of it needs a new machine.
struct MachineSettings {
  net::HttpSettings http;
  mirror::DirectorySettings directory;
  std::string catalogue;
  friend bool operator==(const MachineSettings&, const MachineSettings&) = default;
};
MachineSettings machine_settings(const settings::Config& config);

class Machine {
 public:
  /// `holder` is what another process reads who wants the lock ("vtmirror sync"). Errors: locked, config
  /// (a directory or file that cannot be used, too), no_space, catalogue, tls.
  static base::Result<std::unique_ptr<Machine>> open(const settings::Config& config, const std::string& holder);

  Machine();
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  boost::asio::io_context& loop() { return loop_; }
  ports::Stop& stop() { return stop_; }
  ports::Clock& clock() { return *clock_; }
  agent::Parts parts(ports::Journal& journal);

  /// What happened to a catalogue that was found damaged, to be told; empty where none was.
  const std::string& rescued() const { return rescued_; }
  /// Found in the catalogue at work: it is to be closed with this machine and moved aside.
  const std::optional<base::Error>& damage() const { return catalogue_->damage(); }

 private:
  base::Result<void> open_mirror(const MachineSettings& settings, const std::string& holder);
  base::Result<void> open_catalogue(const std::string& path);

  // Both outlive the loop: what it drops at its end may still be on the list of who is to be stopped, or hold a strand
  // of the pool.
  ports::Stop stop_;
  boost::asio::thread_pool pool_;
  boost::asio::io_context loop_;
  std::unique_ptr<ports::Clock> clock_;
  std::unique_ptr<ports::Dice> dice_;
  std::unique_ptr<mirror::Lock> lock_;
  mirror::Directory directory_;
  std::optional<catalogue::Catalogue> catalogue_;
  std::optional<agent::CatalogueStrand> catalogue_strand_;
  std::string rescued_;
  std::unique_ptr<ports::Http> http_;
};

}  // namespace vtmirror::wiring
