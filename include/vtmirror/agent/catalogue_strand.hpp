// The one sequence of calls to the catalogue's one writing connection, whoever asks: cycle, health, outbox, secrets.
// Promises, to those who call through it, that each call runs alone, off the event loop, in the order of asking.
#pragma once

#include "vtmirror/catalogue/catalogue.hpp"

#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>

namespace vtmirror::agent {

class CatalogueStrand {
 public:
  using Turn = boost::asio::strand<boost::asio::thread_pool::executor_type>;

  /// Both are borrowed, and outlive it and every call.
  CatalogueStrand(boost::asio::thread_pool& pool, catalogue::Catalogue& catalogue)
      : turn_(pool.get_executor()), catalogue_(catalogue) {}
  CatalogueStrand(const CatalogueStrand&) = delete;
  CatalogueStrand& operator=(const CatalogueStrand&) = delete;

  const Turn& turn() const { return turn_; }
  /// To be used on `turn()` alone, or while nothing runs there.
  catalogue::Catalogue& catalogue() { return catalogue_; }

 private:
  Turn turn_;
  catalogue::Catalogue& catalogue_;
};

}  // namespace vtmirror::agent
