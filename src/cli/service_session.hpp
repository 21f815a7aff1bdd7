// The parts of the machine that a few requests to the service need: loop, clock, network, one thread.
// Leaves the mirror and its catalogue alone, because a daemon may hold them.
#pragma once

#include "cli/arguments.hpp"
#include "vtmirror/agent/rotation.hpp"
#include "vtmirror/settings/config.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

#include <memory>

namespace vtmirror::cli {

class ServiceSession {
 public:
  /// Errors: config, tls (the certificates to trust cannot be read).
  static base::Result<std::unique_ptr<ServiceSession>> open(const Arguments& arguments, const settings::Config& config,
                                                            const settings::Environment& environment);

  ServiceSession(const Arguments& arguments, const settings::Environment& environment);
  ~ServiceSession();
  ServiceSession(const ServiceSession&) = delete;
  ServiceSession& operator=(const ServiceSession&) = delete;

  agent::RequestPorts asking() { return {*clock_, *dice_, *http_, *journal_}; }
  boost::asio::thread_pool& pool() { return pool_; }

  /// Returns when the work has ended. The first signal asks it to stop.
  void run(boost::asio::awaitable<void> work);
  /// The signal that came meanwhile; 0 if none did.
  int signal() const { return signal_; }

 private:
  // In the same order as in wiring::Machine, for the same reasons.
  ports::Stop stop_;
  boost::asio::thread_pool pool_;
  boost::asio::io_context loop_;
  std::unique_ptr<ports::Clock> clock_;
  std::unique_ptr<ports::Dice> dice_;
  std::unique_ptr<ports::Journal> journal_;
  std::unique_ptr<ports::Http> http_;
  int signal_ = 0;
};

}  // namespace vtmirror::cli
