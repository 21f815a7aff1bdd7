// A directory for one test case; it goes with all that is in it.
#pragma once

#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>

namespace vtmirror::test {

class Directory {
 public:
  Directory() : path_((std::filesystem::temp_directory_path() / "vtmirror-cli-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("mkdtemp");
  }
  ~Directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  const std::string& path() const { return path_; }
  std::string path(const std::string& name) const { return path_ + '/' + name; }

  /// Writes a file and gives it exactly this mode.
  std::string write(const std::string& name, const std::string& text, mode_t mode = 0600) const {
    std::ofstream(path(name), std::ios::binary) << text;
    if (::chmod(path(name).c_str(), mode) != 0) throw std::runtime_error("chmod");
    return path(name);
  }

 private:
  std::string path_;
};

}  // namespace vtmirror::test
