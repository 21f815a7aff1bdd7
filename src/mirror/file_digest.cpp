#include "mirror/file_digest.hpp"

#include <algorithm>
#include <span>

namespace vtmirror::mirror {
namespace {

constexpr std::size_t buffer_size = std::size_t{256} << 10;

}  // namespace

base::Result<void> FileDigest::advance(std::uint64_t to) {
  buffer_.resize(buffer_size);
  for (const auto end = std::min(to, file_.size); position_ < end;) {
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(end - position_, buffer_size));
    const auto part = std::span(buffer_).first(length);
    if (auto read = read_at(file_, position_, part); !read) return read;
    digest_.add(part);
    position_ += length;
  }
  return {};
}

base::Result<std::string> FileDigest::finish() {
  if (auto read = advance(file_.size); !read) return read.error();
  return hex(digest_.digest());
}

}  // namespace vtmirror::mirror
