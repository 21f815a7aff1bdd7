// An answer as a value: status, headers, a text or a range of a file, and the faults of its delivery.
#pragma once

#include "simulator/archive.hpp"
#include "simulator/request.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace vtmirror::simulator {

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

}  // namespace vtmirror::simulator
