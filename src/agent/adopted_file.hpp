// One file of a folder on its way into the mirror: linked or copied under a partial name, checked there, published.
// Promises that what was checked is what is published, and that a file which fails leaves nothing behind.
#pragma once

#include "agent/off_loop.hpp"
#include "agent/publisher.hpp"
#include "agent/wake.hpp"
#include "vtmirror/agent/agent.hpp"
#include "vtmirror/core/adoption.hpp"
#include "vtmirror/ports/folder.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::agent {

/// Borrowed; all of it must outlive the files.
struct AdoptionResources {
  Ports ports;
  ports::Folder& folder;
  const CycleSettings& settings;
  bool copies = false;  ///< no file is linked
  CatalogueCalls& calls;
  Slots& checks;
  Publisher& publisher;
  const std::atomic<bool>& stopping;
  std::atomic<std::int64_t>& done;  ///< bytes of the step that runs, written on the pool
  std::function<void(const std::string& name, ports::DownloadProgress::Phase phase)> enter;
};

class AdoptedFile {
 public:
  AdoptedFile(AdoptionResources resources, core::Adoptable file)
      : from_(std::move(resources)), file_(std::move(file)) {}

  /// Errors: integrity, io, no_space, of this file alone; cancelled; catalogue.
  boost::asio::awaitable<base::Result<core::AdoptedBy>> adopt();

  /// Of several files of the name: those that fail the checks, while another one passes, each with its reason; and
  /// those with the adopted one's bytes.
  const std::vector<core::LeftAlone>& damaged() const { return damaged_; }
  const std::vector<std::string>& same() const { return same_; }

 private:
  boost::asio::awaitable<base::Result<std::string>> choose();
  boost::asio::awaitable<base::Result<std::string>> compare();
  boost::asio::awaitable<base::Result<core::AdoptedBy>> bring(std::string path);
  boost::asio::awaitable<base::Result<void>> copy(std::string path);
  boost::asio::awaitable<base::Result<std::string>> check();
  boost::asio::awaitable<base::Result<ports::Checked>> check_in_place(std::string path);
  boost::asio::awaitable<base::Result<void>> drop_partial();
  ports::Watch watch() const;
  bool checks_zip() const;
  void enter(ports::DownloadProgress::Phase phase) const { from_.enter(file_.name, phase); }

  AdoptionResources from_;
  core::Adoptable file_;
  std::vector<core::LeftAlone> damaged_;
  std::vector<std::string> same_;
};

}  // namespace vtmirror::agent
