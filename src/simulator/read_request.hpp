// Reads requests from a connection, one after the other. Limits: 64 KiB of header, 64 MiB of body.
#pragma once

#include "simulator/request.hpp"
#include "simulator/wire.hpp"

#include <optional>
#include <string>

namespace vtmirror::simulator {

class RequestReader {
 public:
  RequestReader(Wire& wire, At at) : wire_(wire), at_(at) {}

  /// Empty at the end of the connection, or if the bytes are not a request (`malformed()`).
  std::optional<Request> next();
  bool malformed() const noexcept { return malformed_; }
  /// Whether the last request keeps the connection open.
  bool keep_alive() const noexcept { return keep_alive_; }

 private:
  Wire& wire_;
  At at_;
  std::string unread_;  // bytes received after the last request
  bool malformed_ = false;
  bool keep_alive_ = false;
};

}  // namespace vtmirror::simulator
