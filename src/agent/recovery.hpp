// Reconciles disk and catalogue after the last process ended, in whatever way. Never uses the network.
#pragma once

#include "agent/publisher.hpp"

#include <string>

namespace vtmirror::agent {

class Recovery {
 public:
  Recovery(Parts parts, Ledger& ledger, Publisher& publisher) : parts_(parts), ledger_(ledger), publisher_(publisher) {}

  /// `told`: manifest, digests and `current` on disk already match the catalogue and need no writing.
  boost::asio::awaitable<base::Result<void>> run(bool told);

  /// The number of held files that are missing or damaged on disk. A cycle downloads them again, or reports that none
  /// can.
  std::size_t lost() const { return lost_; }

 private:
  boost::asio::awaitable<base::Result<void>> settle(core::PartialRecord partial, const core::LocalFile* on_disk);
  boost::asio::awaitable<base::Result<void>> finish_publication(core::PartialRecord partial, bool renamed);
  boost::asio::awaitable<base::Result<bool>> is_public_as(core::PartialRecord partial);
  boost::asio::awaitable<base::Result<void>> forget(core::PartialRecord partial, std::string why);
  boost::asio::awaitable<base::Result<void>> drop_orphan(std::string name);
  boost::asio::awaitable<base::Result<void>> compare_public_files();
  void tell(std::string_view name, std::string message);

  Parts parts_;
  Ledger& ledger_;
  Publisher& publisher_;
  std::size_t lost_ = 0;
};

}  // namespace vtmirror::agent
