// Calls to the catalogue from the agent's coroutines: off the loop, one after another with all other calls.
#pragma once

#include "agent/off_loop.hpp"
#include "vtmirror/agent/catalogue_strand.hpp"

#include <utility>

namespace vtmirror::agent {

/// Several may share one strand.
class Ledger {
 public:
  explicit Ledger(CatalogueStrand& strand) : strand_(strand) {}

  /// `co_await ledger([...](catalogue::Files& files) { return files.files(); })`: the callable takes the catalogue or
  /// one of its roles.
  template <class Call>
  auto operator()(Call call) {
    return off_loop(strand_.turn(), [&strand = strand_, call = std::move(call)] { return call(strand.catalogue()); });
  }

 private:
  CatalogueStrand& strand_;
};

}  // namespace vtmirror::agent
