// Calls to the catalogue as the agent's coroutines make them: one after another with everybody else's, off the loop.
#pragma once

#include "agent/off_loop.hpp"
#include "vtmirror/agent/catalogue_strand.hpp"

#include <utility>

namespace vtmirror::agent {

/// Many may stand before one strand.
class Ledger {
 public:
  explicit Ledger(CatalogueStrand& strand) : strand_(strand) {}

  /// `co_await ledger([...](catalogue::Files& files) { return files.files(); })`: what it takes is the catalogue or one
  /// of its roles.
  template <class Call>
  auto operator()(Call call) {
    return off_loop(strand_.turn(), [&strand = strand_, call = std::move(call)] { return call(strand.catalogue()); });
  }

 private:
  CatalogueStrand& strand_;
};

}  // namespace vtmirror::agent
