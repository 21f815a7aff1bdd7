// The smallest program in which every protection leaves a trace: a large stack frame, a buffer on the stack, and a copy
// whose limit only _FORTIFY_SOURCE=3 can compute. tests/package/hardening_test builds it; nothing runs it.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

int main(int argc, char** argv) {
  char large[100'000];
  std::strncpy(large, argv[0], sizeof large - static_cast<std::size_t>(argc));
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  const auto room = static_cast<std::size_t>(argc);
  const std::unique_ptr<char, Free> copy(static_cast<char*>(std::malloc(room)));
  std::memcpy(copy.get(), large, room * 2);
  return std::puts(copy.get());
}
