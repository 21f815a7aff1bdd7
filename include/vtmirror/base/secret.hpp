// A secret string.
// Promises that its bytes are overwritten when it is destroyed, moved from or assigned to. Never becomes text by
// accident: it has no stream operator and no conversion.
#pragma once

#include <string>
#include <string_view>

namespace vtmirror::base {

/// Owns a secret. No stream operator, no conversion: code that needs the string calls `reveal()`, which reviewers
/// notice.
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

/// Overwrites a buffer in a way that the optimiser does not remove.
void wipe(std::string& text) noexcept;

}  // namespace vtmirror::base
