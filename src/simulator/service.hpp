// The whole service, without sockets: a request and a time in, an answer out. Safe to call from many threads.
#pragma once

#include "simulator/answer.hpp"
#include "simulator/state.hpp"

#include <mutex>

namespace vtmirror::simulator {

class Service {
 public:
  Service(Script script, base::Date today, Identity identity);

  /// Must be called before the first request, because links contain the store's address.
  void set_addresses(Addresses addresses);

  /// Answers for the API, the issuer and the store.
  Answer answer(const Request& request, base::Time now);
  /// Answers for the control listener, except the request log and the stop, which do not belong to the service.
  Answer control(const Request& request, base::Time now);

 private:
  std::mutex mutex_;
  State state_;
};

}  // namespace vtmirror::simulator
