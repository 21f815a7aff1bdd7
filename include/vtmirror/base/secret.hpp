// A text that must not be seen: it is wiped when it goes, and cannot be printed by accident.
#pragma once

#include <string>
#include <string_view>

namespace vtmirror::base {

/// Owns a secret. No stream operator, no conversion: whoever wants the text writes `reveal()`, which a reviewer sees.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text);
  ~Secret();
  Secret(const Secret& other);
  Secret& operator=(const Secret& other);
  Secret(Secret&& other) noexcept;
  Secret& operator=(Secret&& other) noexcept;

  const std::string& reveal() const noexcept { return text_; }
  bool empty() const noexcept { return text_.empty(); }

  friend bool operator==(const Secret&, const Secret&) = default;

 private:
  void wipe() noexcept;
  std::string text_;
};

/// Overwrites a buffer in a way that the optimiser keeps.
void wipe(std::string& text) noexcept;

}  // namespace vtmirror::base
