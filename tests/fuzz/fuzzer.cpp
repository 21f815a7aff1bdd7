// The program of `./dev fuzz`: libFuzzer, with the target that VTMIRROR_FUZZ_TARGET names.
#include "fuzz/targets.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

const vtmirror::fuzz::Target& chosen() {
  const char* name = std::getenv("VTMIRROR_FUZZ_TARGET");
  const auto targets = vtmirror::fuzz::targets();
  const auto found =
      std::ranges::find(targets, std::string_view(name == nullptr ? "" : name), &vtmirror::fuzz::Target::name);
  if (found == targets.end()) {
    std::fputs("VTMIRROR_FUZZ_TARGET is none of:", stderr);
    for (const auto& target : targets) std::fprintf(stderr, " %s", std::string(target.name).c_str());
    std::fputs("\n", stderr);
    std::exit(2);
  }
  return *found;
}

}  // namespace

// libFuzzer's own name and types.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto& target = chosen();
  target.run({reinterpret_cast<const char*>(data), size});  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast)
  return 0;
}
