// A request as the service's parts see it, without sockets. Also the answer to it.
#pragma once

#include "simulator/archive.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vtmirror::simulator {

/// The listener that received the request. To a client, each is a host of its own.
enum class At { api, issuer, store, control };
std::string_view name(At at) noexcept;

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Request {
  At at{};
  std::string method;
  std::string path;   ///< without the query
  std::string query;  ///< after the '?', as it was sent
  Headers headers;    ///< names in lower case
  std::string body;

  /// The first header with this name (in lower case).
  std::optional<std::string_view> header(std::string_view name) const;
};

/// The decoded parameters of a query or a form.
std::vector<std::pair<std::string, std::string>> parameters(std::string_view text);
/// The value of a parameter that occurs exactly once; else empty.
std::optional<std::string> parameter(std::string_view text, std::string_view name);

// An answer as a value: status, headers, a text or a range of a file, and the faults of its delivery.

/// A range of an archive, computed while it is sent.
struct FileBody {
  std::shared_ptr<const Archive> archive;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::optional<std::uint64_t> flip_at{};  ///< offset in the archive of a byte that is sent inverted
};

struct Delivery {
  std::chrono::milliseconds delay{};         ///< before the answer
  std::optional<std::uint64_t> cut_after{};  ///< after this many bytes of the body, the connection is reset
  std::optional<std::uint64_t>
      stall_after{};  ///< after this many bytes of the body, nothing is sent until the client disconnects
  std::optional<std::uint64_t> rate{};  ///< bytes of the body a second
  bool chunked = false;                 ///< no Content-Length
  bool no_answer = false;               ///< the connection is closed instead
  bool close_after = false;
};

struct Answer {
  int status = 200;
  Headers headers{};
  std::string text{};
  std::optional<FileBody> file{};         ///< instead of `text`
  std::optional<std::uint64_t> length{};  ///< a false Content-Length
  Delivery delivery{};
  std::string fault{};  ///< the fault's name in the log; empty if there is none

  std::uint64_t body_size() const noexcept { return file ? file->length : text.size(); }
};

Answer text_answer(int status, std::string content_type, std::string text);

/// Single byte ranges: what a Range header requests of an object of a given size.
struct Stretch {
  enum class Which { whole, part, unsatisfiable };
  Which which = Which::whole;
  std::uint64_t first = 0;
  std::uint64_t length = 0;
  friend bool operator==(const Stretch&, const Stretch&) = default;
};

/// A header that is missing, invalid or has several ranges means the whole object.
Stretch stretch_of(std::optional<std::string_view> range, std::uint64_t size);

/// "bytes 0-99/1000"
std::string content_range(const Stretch& part, std::uint64_t total);

}  // namespace vtmirror::simulator
