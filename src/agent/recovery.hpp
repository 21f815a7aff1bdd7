// Reconciles disk and catalogue after the last process ended, in whatever way: carries out what core/recovery decides.
// Promises that a file that cannot be repaired is left as it is, and stops no other repair. Never uses the network.
#pragma once

#include "agent/publisher.hpp"
#include "vtmirror/agent/agent.hpp"
#include "vtmirror/core/reconcile.hpp"
#include "vtmirror/core/recovery.hpp"

#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::agent {

class Recovery {
 public:
  /// `logged`: what could not be repaired at earlier tries, which is not logged again.
  Recovery(Ports ports, CatalogueCalls& calls, Publisher& publisher, const std::atomic<bool>& stopping,
           std::vector<core::Cause> logged = {})
      : ports_(ports), calls_(calls), publisher_(publisher), stopping_(stopping), logged_(std::move(logged)) {}

  /// `shelf_says_more`: the manifest on disk says more than one of the rebuilt catalogue could, so it is not replaced.
  /// `policy` decides which interrupted removals are finished; without one they wait.
  boost::asio::awaitable<base::Result<void>> run(bool shelf_says_more, std::optional<core::Policy> policy);

  /// The number of held files that are missing or damaged on disk. A cycle downloads them again, or reports that none
  /// can.
  std::size_t lost() const { return lost_; }
  /// What could not be repaired, a cause for each file or directory.
  const std::vector<core::Cause>& unrepaired() const { return unrepaired_; }

 private:
  /// `shelf_says_more`: as of `run`.
  boost::asio::awaitable<base::Result<void>> bring_texts_up_to_date(bool shelf_says_more);
  /// Returns those that were done. Errors: of what concerns more than one file.
  boost::asio::awaitable<base::Result<std::vector<core::Repair>>> carry_out(std::vector<core::Repair> repairs,
                                                                            std::vector<core::PartialRecord> partials);
  boost::asio::awaitable<base::Result<void>> carry_out(core::Repair repair, core::PartialRecord partial);
  boost::asio::awaitable<base::Result<void>> finish_removals(core::Policy policy);
  boost::asio::awaitable<base::Result<void>> finish_publication(core::PartialRecord partial, bool renamed);
  boost::asio::awaitable<base::Result<void>> restore(std::string name);
  boost::asio::awaitable<base::Result<void>> forget(std::string name, std::string why);
  boost::asio::awaitable<base::Result<void>> drop_orphan(std::string name);
  boost::asio::awaitable<base::Result<void>> drop_quarantined(std::string name);
  void log(std::string_view name, std::string message);
  void log_unrepaired(const core::Cause& file);

  Ports ports_;
  CatalogueCalls& calls_;
  Publisher& publisher_;
  const std::atomic<bool>& stopping_;
  std::size_t lost_ = 0;
  std::vector<core::Cause> logged_;
  std::vector<core::Cause> unrepaired_;
};

}  // namespace vtmirror::agent
