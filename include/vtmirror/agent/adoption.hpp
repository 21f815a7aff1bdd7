// Adopts the files of a folder: `vtmirror adopt`. core/adoption decides on each file; the checks and the order of
// publication are those of a download.
// Promises that a file which fails anywhere is left alone and stops no other, and that an interruption at any time
// leaves nothing that the next start does not finish or remove. Never uses the network.
#pragma once

#include "vtmirror/agent/agent.hpp"
#include "vtmirror/core/adoption.hpp"
#include "vtmirror/ports/folder.hpp"

#include <cstdint>
#include <map>
#include <memory>

namespace vtmirror::agent {

struct AdoptionReport {
  std::map<core::AdoptedBy, int> adopted{};  ///< files, by how their bytes came here
  std::int64_t bytes = 0;                    ///< of those
  int held = 0;                              ///< already
  int doubtful = 0;                          ///< left alone, each with a reason in the journal
  int unknown = 0;                           ///< ZIP files with names that the service does not use
  int others = 0;                            ///< other files, which the journal does not name
  bool stopped = false;                      ///< asked to, before the end
};

class Adoption {
 public:
  /// `copies`: no file is linked. All references must outlive it.
  Adoption(Ports ports, ports::Folder& folder, CycleSettings settings, bool copies);
  ~Adoption();
  Adoption(const Adoption&) = delete;
  Adoption& operator=(const Adoption&) = delete;

  /// What a process does at its start, then the adoption. Errors: those of a start; io, if the folder cannot be read;
  /// catalogue.
  boost::asio::awaitable<base::Result<AdoptionReport>> run();

  /// The files to adopt; null before they are known.
  const ports::CycleProgress* progress() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vtmirror::agent
