// One HTTP exchange over a Unix socket, read in pieces. Never blocks beyond its deadline.
// Reading and writing are Beast's, on a loop of its own that runs only inside these calls. Beast's timeouts, which the
// daemon's end uses, are not: they close the socket, and a follower that hears nothing in time wants to wait again. For
// the request alone they would do, as a second kind of limit. Instead the loop runs until the deadline, and a read that
// has not ended by then is continued by the next call.
#pragma once

#include "vtmirror/client/control_client.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace vtmirror::client {

class ControlConnection {
 public:
  using Deadline = std::chrono::steady_clock::time_point;
  enum class Read { some, nothing_in_time, interrupted };

  explicit ControlConnection(std::string path);
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
  std::string release_body();

 private:
  using Outcome = std::optional<boost::system::error_code>;  // of an operation, once it has ended

  template <class Done>
  base::Result<void> read_until(Deadline deadline, Done done);
  base::Result<void> connect(Deadline deadline);
  void begin_read();
  base::Result<Read> end_read();
  base::Error error(base::Errc code, const std::string& what) const;

  std::string path_;
  boost::asio::io_context loop_;  // goes last: its operations use what is below
  boost::asio::local::stream_protocol::socket socket_;
  boost::beast::http::request<boost::beast::http::empty_body> request_;
  boost::beast::flat_buffer unread_;
  boost::beast::http::response_parser<boost::beast::http::string_body> parser_;
  bool reads_ = false;
  Outcome read_;
};

}  // namespace vtmirror::client
