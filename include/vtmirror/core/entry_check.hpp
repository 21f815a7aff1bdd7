// Why an entry of the listing was refused, as a value: the check that it failed. Words for people stand beside it, and
// may change from version to version.
// Only values, and pure.
#pragma once

#include "vtmirror/core/cause.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace vtmirror::core {

/// The checks of an entry. The catalogue stores their names.
enum class EntryCheck {
  unknown,   ///< of an entry that an older version refused: it kept only words
  object,    ///< the entry is one
  presence,  ///< the member is there
  type,      ///< the member has its type
  name,      ///< a plain relative path that ends in .zip
  secret,    ///< the name has no secret of this client in it
  kind,      ///< the name is not that of the other kind
  size,      ///< it is plausible
  day,       ///< it can be read
  days,      ///< all that the entry states agree
  link,      ///< an address of the form that the service gives
  unique,    ///< no other entry's file or directory has that name
  to_come,   ///< its day has come
};
std::string_view name(EntryCheck check) noexcept;
std::optional<EntryCheck> entry_check_named(std::string_view word) noexcept;

struct FailedCheck {
  EntryCheck check = EntryCheck::unknown;
  std::string member{};  ///< of the entry, as the service names it; empty if it is about none
  friend bool operator==(const FailedCheck&, const FailedCheck&) = default;
};

/// The cause of a refusal, with the check and the member as fields. `words` become its detail.
Cause refusal(const FailedCheck& failed, std::string words, std::string subject = {});

/// Whether the entry of such a cause is refused because its day is still to come. The file is in no chain, and nothing
/// lacks it.
bool is_to_come(const Cause& cause) noexcept;

/// What a catalogue stores of a refusal: the check, the member and the words; of an unknown check only the words, as
/// older versions did.
std::string stored_refusal(const FailedCheck& failed, const std::string& words);
struct StoredRefusal {
  FailedCheck failed;
  std::string words;
};
/// What `stored_refusal` wrote, or an older version.
StoredRefusal read_refusal(const std::string& stored);

}  // namespace vtmirror::core
