#include "architecture/tool.hpp"
#include "support/repository.hpp"

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <stdexcept>

namespace vtmirror::architecture {

Ran run(const std::string& command) {
  std::FILE* pipe = ::popen(("( " + command + " ) </dev/null 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot start a shell");
  Ran ran;
  std::array<char, 4096> bytes{};
  for (auto count = std::fread(bytes.data(), 1, bytes.size(), pipe); count > 0;
       count = std::fread(bytes.data(), 1, bytes.size(), pipe)) {
    ran.output.append(bytes.data(), count);
  }
  const int status = ::pclose(pipe);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ran;
}

std::string quoted_path(const std::string& path) { return "'" + (test::repository() / path).string() + "'"; }

}  // namespace vtmirror::architecture
