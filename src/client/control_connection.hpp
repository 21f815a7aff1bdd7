// One HTTP exchange over a Unix socket, read in pieces. Never blocks beyond its deadline.
#pragma once

#include "vtmirror/client/control_client.hpp"

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <chrono>
#include <string>

namespace vtmirror::client {

class ControlConnection {
 public:
  using Deadline = std::chrono::steady_clock::time_point;
  enum class Read { some, nothing_in_time, interrupted };

  explicit ControlConnection(std::string socket);
  ~ControlConnection();
  ControlConnection(const ControlConnection&) = delete;
  ControlConnection& operator=(const ControlConnection&) = delete;

  /// Errors: unreachable, timed_out.
  base::Result<void> send(const ControlRequest& request, Deadline deadline);
  /// Reads what comes next; `interrupt` (or -1) is a descriptor that ends the wait when it can be read. Errors:
  /// protocol, unreachable.
  base::Result<Read> read(Deadline deadline, int interrupt);
  /// Reads until the header is there, or the whole answer. Errors: as `read`, and timed_out.
  base::Result<void> read_header(Deadline deadline);
  base::Result<void> read_all(Deadline deadline);

  int status() { return static_cast<int>(parser_.get().result_int()); }
  bool is_done() const { return parser_.is_done(); }
  /// The body so far; what was taken does not come again.
  std::string take_body();

 private:
  template <class Done>
  base::Result<void> read_until(Deadline deadline, Done done);
  base::Result<void> connect(Deadline deadline);
  base::Result<void> parse();
  base::Result<void> finish();
  base::Error error(base::Errc code, const std::string& what) const;

  std::string socket_;
  int descriptor_ = -1;
  std::string unread_;
  boost::beast::http::response_parser<boost::beast::http::string_body> parser_;
};

}  // namespace vtmirror::client
