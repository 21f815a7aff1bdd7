// The service as a whole, without sockets: a request and a time in, an answer out. Safe to call from many threads.
#pragma once

#include "simulator/answer.hpp"
#include "simulator/state.hpp"

#include <mutex>

namespace vtmirror::simulator {

class Service {
 public:
  Service(Script script, base::Date today, Identity identity);

  /// Must be called before the first request: links hold the store's address.
  void set_addresses(Addresses addresses);

  /// For api, issuer and store.
  Answer answer(const Request& request, base::Time now);
  /// For the control listener, but for the request log and the end, which are not the service's.
  Answer control(const Request& request, base::Time now);

 private:
  std::mutex mutex_;
  State state_;
};

}  // namespace vtmirror::simulator
