// Reconciles disk and catalogue after the last process ended, in whatever way: carries out what core/recovery decides.
// Never uses the network.
#pragma once

#include "agent/publisher.hpp"
#include "vtmirror/core/recovery.hpp"

#include <string>

namespace vtmirror::agent {

/// What a start finds, with what `repairs` needs to be known. Changes nothing. Errors: catalogue, io.
boost::asio::awaitable<base::Result<core::Findings>> find_remains(Parts parts, Ledger& ledger);

class Recovery {
 public:
  Recovery(Parts parts, Ledger& ledger, Publisher& publisher) : parts_(parts), ledger_(ledger), publisher_(publisher) {}

  /// `told`: manifest, digests and `current` on disk already match the catalogue and need no writing.
  boost::asio::awaitable<base::Result<void>> run(bool told);

  /// The number of held files that are missing or damaged on disk. A cycle downloads them again, or reports that none
  /// can.
  std::size_t lost() const { return lost_; }

 private:
  boost::asio::awaitable<base::Result<void>> carry_out(core::Repair repair, core::PartialRecord partial);
  boost::asio::awaitable<base::Result<void>> finish_publication(core::PartialRecord partial, bool renamed);
  boost::asio::awaitable<base::Result<void>> forget(std::string name, std::string why);
  boost::asio::awaitable<base::Result<void>> drop_orphan(std::string name);
  boost::asio::awaitable<base::Result<void>> finish_removal(std::string name);
  void tell(std::string_view name, std::string message);

  Parts parts_;
  Ledger& ledger_;
  Publisher& publisher_;
  std::size_t lost_ = 0;
};

}  // namespace vtmirror::agent
