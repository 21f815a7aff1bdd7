// Makes ZIP files for the cases, sound ones: what is wrong with them the cases do themselves.
#pragma once

#include <zip.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace vtmirror::test {

struct Member {
  std::string name;
  std::string text;
  zip_int32_t method = ZIP_CM_DEFLATE;
  zip_uint16_t encryption = ZIP_EM_NONE;
};

inline void add_member(zip_t* archive, const Member& member) {
  if (member.name.ends_with('/')) {
    if (zip_dir_add(archive, member.name.c_str(), 0) < 0) throw std::runtime_error(zip_strerror(archive));
    return;
  }
  zip_source_t* source = zip_source_buffer(archive, member.text.data(), member.text.size(), 0);
  const auto index = zip_file_add(archive, member.name.c_str(), source, 0);
  if (index < 0) throw std::runtime_error(zip_strerror(archive));
  const auto at = static_cast<zip_uint64_t>(index);
  zip_set_file_compression(archive, at, member.method, 0);
  if (member.encryption != ZIP_EM_NONE) zip_file_set_encryption(archive, at, member.encryption, "password");
}

inline void make_zip(const std::filesystem::path& path, const std::vector<Member>& members) {
  int error = 0;
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error);
  if (archive == nullptr) throw std::runtime_error("no ZIP at " + path.string());
  for (const auto& member : members) add_member(archive, member);
  if (zip_close(archive) != 0) throw std::runtime_error(zip_strerror(archive));
}

}  // namespace vtmirror::test
