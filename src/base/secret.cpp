#include "vtmirror/base/secret.hpp"

#include <string.h>  // explicit_bzero

#include <utility>

namespace vtmirror::base {

void wipe(std::string& text) noexcept {
  // Up to the capacity, because a longer string may have left characters there. This never allocates.
  text.resize(text.capacity());
  ::explicit_bzero(text.data(), text.size());
  text.clear();
}

// A move of a short string copies its characters, so every source of a move is wiped too.
Secret::Secret(std::string text) : text_(std::move(text)) { base::wipe(text); }

Secret::~Secret() { wipe(); }

Secret::Secret(const Secret& other) = default;

Secret& Secret::operator=(const Secret& other) {
  if (this != &other) {
    wipe();
    text_ = other.text_;
  }
  return *this;
}

Secret::Secret(Secret&& other) noexcept : text_(std::move(other.text_)) { other.wipe(); }

Secret& Secret::operator=(Secret&& other) noexcept {
  if (this != &other) {
    wipe();
    text_ = std::move(other.text_);
    other.wipe();
  }
  return *this;
}

void Secret::wipe() noexcept { base::wipe(text_); }

}  // namespace vtmirror::base
