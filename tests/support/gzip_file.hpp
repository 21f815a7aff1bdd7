// Gzip files for the cases, sound ones.
#pragma once

#include "support/raw_zip.hpp"

#include <string>

namespace vtmirror::test {

inline std::string gzip_of(const std::string& text) {
  return std::string("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10) + deflated(text) + number(crc_of(text), 4) +
         number(text.size(), 4);
}

/// A stored member that is a gzip file.
inline RawMember gzip_member(const std::string& name, const std::string& text) {
  return {.name = name, .text = gzip_of(text)};
}

}  // namespace vtmirror::test
