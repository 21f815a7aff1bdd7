// The single sequence of calls to the catalogue's writing connection: from cycle, health, outbox and secrets alike.
// Promises its callers that each call runs alone, off the event loop, in the order of the requests.
#pragma once

#include "vtmirror/catalogue/catalogue.hpp"

#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>

namespace vtmirror::agent {

class CatalogueStrand {
 public:
  using Turn = boost::asio::strand<boost::asio::thread_pool::executor_type>;

  /// Both are borrowed, and must outlive it and every call.
  CatalogueStrand(boost::asio::thread_pool& pool, catalogue::Catalogue& catalogue)
      : turn_(pool.get_executor()), catalogue_(catalogue) {}
  CatalogueStrand(const CatalogueStrand&) = delete;
  CatalogueStrand& operator=(const CatalogueStrand&) = delete;

  const Turn& turn() const { return turn_; }
  /// For use on `turn()` only, or while nothing runs there.
  catalogue::Catalogue& catalogue() { return catalogue_; }

 private:
  Turn turn_;
  catalogue::Catalogue& catalogue_;
};

}  // namespace vtmirror::agent
