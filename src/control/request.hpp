// From bytes of a client to requests. Promises bounded memory whatever comes. Never touches a socket. Also the
// answer to one.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace vtmirror::control {

/// Limits that keep a client from delaying another one or from filling the memory. Not settings: only tests set others.
struct Limits {
  using Time = std::chrono::milliseconds;

  std::size_t clients = 32;                   ///< at once, on the socket; idle ones make room for new ones
  std::size_t followers = 8;                  ///< of the clients, how many may follow the events
  std::size_t waiters = 16;                   ///< of the clients, how many may wait for a day
  std::size_t web_clients = 32;               ///< the same of the status page, which has as many followers of its own
  std::size_t metrics_clients = 8;            ///< at once, on the loopback port
  std::size_t header = 8 << 10;               ///< bytes of a request's line and fields
  std::size_t body = 4 << 10;                 ///< bytes of a request's body
  std::size_t queue = 256 << 10;              ///< bytes queued for a follower
  Time request = std::chrono::seconds(5);     ///< from a request's first byte to its last
  Time idle = std::chrono::seconds(10);       ///< until a request's first byte
  Time answer = std::chrono::seconds(10);     ///< for the client to read a response
  Time heartbeat = std::chrono::seconds(15);  ///< after which a follower gets a comment if there was no event
  Time look = std::chrono::seconds(1);        ///< between two looks for the day that a client waits for
  Time farewell = std::chrono::seconds(1);    ///< for the client to read why the connection is closed
};

/// A day that a client waits for.
struct Wait {
  base::Date day{};
  std::chrono::milliseconds limit{};  ///< 0: it does not wait
};

/// One response of the socket, and its bytes. Errors are JSON of the form {"error": {"code", "message"}}, with a member
/// `cause` if a valid request failed.
/// Promises that the JSON of an error is valid, whatever its message contains.
/// `fields` are further lines of the head, each with its end.
struct Answer {
  int status = 200;
  std::string body{};
  std::string type = "application/json";
  std::string allow{};    ///< methods, for 405
  bool follow = false;    ///< no body: the events follow until either side closes the connection
  Wait wait{};            ///< the body says how it stands: the client is answered when the day is complete
  std::string message{};  ///< of an error, as text
  std::string fields{};
};

Answer failure(int status, std::string_view code, std::string_view message);
/// The response to a request with a wrong parameter.
Answer bad_request(const base::Error& error);
/// The response to a valid request that failed: 422 for wrong settings, 409 locked, 503 stopping, else 500.
Answer failure(const base::Error& error);
/// The response to a valid request: its JSON, or `failure`.
Answer json(base::Result<std::string> body);

enum class Body { sent, left_out };

/// Head and body. For HEAD, `left_out` omits the body; the head still gives its length.
std::string text(const Answer& answer, bool keep_alive, Body body);
/// The head of the event stream, which has no length. `fields` as in `Answer`.
std::string events_head(std::string_view fields);

/// One server-sent event. Each line of the JSON becomes one `data:` line.
std::string event_text(std::string_view event, std::string_view json);

/// What a browser says of where a request comes from, in the fields Sec-Fetch-*, which no script can set. Empty if it
/// says nothing: other programs, older browsers, and any browser at a plain http address that is not of this machine.
struct FetchMetadata {
  std::string site{};
  std::string mode{};
  std::string destination{};
};

struct Request {
  std::string method;
  std::string path;    ///< without the query, and without "http://host"
  std::string query;   ///< behind the first '?'
  std::string host{};  ///< as named by the target, or else by the only field Host; empty: by none
  FetchMetadata fetch{};
  std::string body{};
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
