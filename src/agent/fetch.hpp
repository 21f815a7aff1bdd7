// Carries one planned file from its first byte to its public name: downloaded, checked and published, or quarantined.
// Promises one more download from the start for a file that fails its checks, and no third one.
#pragma once

#include "agent/file_check.hpp"
#include "agent/publisher.hpp"
#include "agent/transfer.hpp"
#include "vtmirror/core/reconcile.hpp"

namespace vtmirror::agent {

class Fetch {
 public:
  Fetch(CycleResources resources, core::Action action, core::PartialRecord partial, ports::DownloadProgress& progress);

  /// Errors: why the file is not public; they have already been logged.
  boost::asio::awaitable<base::Result<void>> run();

 private:
  boost::asio::awaitable<base::Result<void>> check_and_publish();
  boost::asio::awaitable<base::Result<ports::Checked>> check();
  boost::asio::awaitable<base::Result<void>> publish(ports::Checked checked);
  boost::asio::awaitable<void> quarantine(base::Error reason);
  void log_started();
  void log_damaged(const base::Error& reason);
  void log_checked(const ports::Checked& checked);
  void log_published();
  void log_failed(const base::Error& error);

  CycleResources resources_;
  core::Action action_;
  ports::DownloadProgress& progress_;
  FileCheck check_;
  Transfer transfer_;
  base::Steady begun_{};
};

}  // namespace vtmirror::agent
