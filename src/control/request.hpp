// From bytes of a client to requests. Promises bounded memory whatever comes. Never touches a socket.
#pragma once

#include "control/answer.hpp"
#include "control/limits.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace vtmirror::control {

struct Request {
  std::string method;
  std::string path;   ///< without the query, and without "http://host"
  std::string query;  ///< behind the first '?'
  bool keep_alive = true;
};

class RequestReader {
 public:
  enum class Step {
    more,         ///< bytes are missing
    request,      ///< `request()`
    status_line,  ///< the plain line "status" came instead of a request
    refused,      ///< `refusal()`; nothing more can be read from this client
  };

  explicit RequestReader(const Limits& limits);
  ~RequestReader();

  void add(std::string_view bytes) { inbox_ += bytes; }
  /// Takes the next request from what was added.
  Step next();
  /// As `next`, when the client will send no more: a last line may lack its end.
  Step next_at_end();
  /// Whether a part of a request is there.
  bool has_begun() const;
  /// Whether the client waits for "100 Continue" before it sends the body. True once a request.
  bool wants_continue();

  const Request& request() const { return request_; }
  const Answer& refusal() const { return refusal_; }

 private:
  struct Beast;

  bool may_be_status_line() const;
  Step parse();
  Step finish();
  Step refuse(Answer refusal);

  Limits limits_;
  std::string inbox_;  // not parsed yet
  std::size_t parsed_ = 0;
  std::unique_ptr<Beast> beast_;  // while a request is being read
  Request request_;
  Answer refusal_;
};

}  // namespace vtmirror::control
