#include "fuzz/targets.hpp"

#include <array>

namespace vtmirror::fuzz {

std::span<const Target> targets() {
  static constexpr std::array all{
      Target{"listing", listing}, Target{"link", link},         Target{"token", token},     Target{"refusal", refusal},
      Target{"answer", answer},   Target{"settings", settings}, Target{"request", request}, Target{"zip", zip},
      Target{"notice", notice},   Target{"manifest", manifest},
  };
  return all;
}

}  // namespace vtmirror::fuzz
