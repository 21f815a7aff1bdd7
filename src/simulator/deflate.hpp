// A raw deflate stream that is byte-aligned after every addition, so that its current size is known and streams can be
// joined.
#pragma once

#include <string>
#include <string_view>

struct z_stream_s;

namespace vtmirror::simulator {

class Deflate {
 public:
  Deflate();
  ~Deflate();
  Deflate(const Deflate&) = delete;
  Deflate& operator=(const Deflate&) = delete;

  void add(std::string_view text);
  /// The compressed bytes so far, without an end of the stream.
  const std::string& bytes() const noexcept { return bytes_; }
  /// The complete stream. Nothing may be added afterwards.
  std::string finish();

 private:
  void step(std::string_view text, int flush);

  z_stream_s* stream_;
  std::string bytes_;
};

}  // namespace vtmirror::simulator
