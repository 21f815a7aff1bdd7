// The secrets that this program has sent or received, and the masking of text from outside that repeats one of them.
// Promises that no eight characters in a row of a known secret remain in masked text, in any letter case: as they are,
// cut off, percent-encoded, escaped as in JSON or XML, or in base64. Never shows a secret, and wipes what it
// keeps.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/secret.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::base {

/// Used by one thread. A secret becomes known before it is first sent, and at once when it is received.
class KnownSecrets {
 public:
  /// So many characters in a row are masked. A shorter secret is masked if it stands as a word of its own, unless it
  /// has less than four characters, which hide nothing.
  static constexpr std::size_t part = 8;
  /// The oldest is forgotten first; one that is added again counts as new. Tokens come and go.
  static constexpr std::size_t most = 16;

  KnownSecrets() = default;
  ~KnownSecrets();
  KnownSecrets(const KnownSecrets&) = delete;
  KnownSecrets& operator=(const KnownSecrets&) = delete;

  void add(const Secret& secret);

  /// The text with "***" for every part of a known secret.
  std::string masked(std::string_view text) const;
  /// The error with its texts masked: detail, service code and why. Its subject is never text from outside.
  Error masked(Error error) const;
  /// Whether `masked` would change the text.
  bool appear_in(std::string_view text) const;

 private:
  struct Known {
    Secret secret;
    std::vector<std::uint64_t> parts;  ///< of the secret and of its base64 forms, folded, sorted
  };
  class Search;

  void forget(std::deque<Known>::iterator known);

  std::deque<Known> known_;  ///< oldest first
};

}  // namespace vtmirror::base
