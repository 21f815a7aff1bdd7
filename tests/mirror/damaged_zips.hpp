// Sound ZIPs with text in them, and the ways to damage one that every check must find.
#pragma once

#include "mirror/stored.hpp"
#include "support/raw_zip.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

namespace vtmirror::test {

inline std::string sound_zip(zip_int32_t method = ZIP_CM_DEFLATE) {
  return zip_of({{"first.json", lines(2000), method}, {"d/", ""}, {"d/second.json", lines(500), method}});
}

struct Damage {
  const char* what;
  std::function<void(std::string&)> harm;
};

inline const std::vector<Damage>& damages() {
  static const std::vector<Damage> table{
      {"the last byte is missing", [](auto& z) { z.pop_back(); }},
      {"the second half is missing", [](auto& z) { z.resize(z.size() / 2); }},
      {"all but the first page is missing", [](auto& z) { z.resize(4096); }},
      {"nothing is there", [](auto& z) { z.clear(); }},
      {"a byte of the first member's data is wrong", [](auto& z) { flip(z, 500); }},
      {"a byte of the last member's data is wrong", [](auto& z) { flip(z, z.find("PK\x01\x02") - 50); }},
      {"a page in the middle is zeros", [](auto& z) { z.replace(4096, 4096, 4096, '\0'); }},
      {"the local header's mark is wrong", [](auto& z) { flip(z, 0); }},
      {"the local header's method is wrong", [](auto& z) { flip(z, 8); }},
      {"the local header's checksum is wrong", [](auto& z) { flip(z, 14); }},
      {"the local header's name is wrong", [](auto& z) { flip(z, 30); }},
      {"the directory's mark is wrong", [](auto& z) { flip(z, z.find("PK\x01\x02")); }},
      {"the directory's checksum is wrong", [](auto& z) { flip(z, z.find("PK\x01\x02") + 16); }},
      {"the directory's size of a member is wrong", [](auto& z) { flip(z, z.find("PK\x01\x02") + 24); }},
      {"the directory's offset of a member is wrong", [](auto& z) { flip(z, z.rfind("PK\x01\x02") + 42); }},
      {"the directory's name of a member is wrong", [](auto& z) { flip(z, z.find("PK\x01\x02") + 46); }},
      {"the end record counts another number of members", [](auto& z) { flip(z, z.rfind("PK\x05\x06") + 10); }},
      {"the end record's offset of the directory is wrong", [](auto& z) { flip(z, z.rfind("PK\x05\x06") + 16); }},
      {"something is appended", [](auto& z) { z += "<html>"; }},
      {"much is appended", [](auto& z) { z.append(100000, 'x'); }},
      {"it is a page that says sorry", [](auto& z) { z = "<html>" + std::string(z.size(), 'x'); }},
  };
  return table;
}

/// Calls `judge` with the bytes of each damaged ZIP, stored and deflated.
template <class Judge>
void for_each_damaged_zip(Judge judge) {
  for (const auto method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) {
    for (const auto& damage : damages()) {
      CAPTURE(damage.what);
      CAPTURE(method);
      std::string bytes = sound_zip(method);
      damage.harm(bytes);
      judge(bytes);
    }
  }
}

}  // namespace vtmirror::test
