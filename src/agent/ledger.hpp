// The catalogue behind the door for blocking work: one call at a time, off the event loop.
#pragma once

#include "agent/off_loop.hpp"
#include "vtmirror/catalogue/catalogue.hpp"

#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>

#include <utility>

namespace vtmirror::agent {

class Ledger {
 public:
  Ledger(boost::asio::thread_pool& pool, catalogue::Catalogue& catalogue)
      : turn_(pool.get_executor()), catalogue_(catalogue) {}

  /// `co_await ledger([...](catalogue::Catalogue& c) { return c.files(); })`
  template <class Call>
  auto operator()(Call call) {
    return off_loop(turn_, [this, call = std::move(call)] { return call(catalogue_); });
  }

 private:
  boost::asio::strand<boost::asio::thread_pool::executor_type> turn_;
  catalogue::Catalogue& catalogue_;
};

}  // namespace vtmirror::agent
