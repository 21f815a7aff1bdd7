// Reads the members of a JSON object one by one into typed variables. Wrong types and unknown members are errors, so
// that a test with a misspelt fault fails at once instead of passing without testing anything.
#pragma once

#include "vtmirror/base/json.hpp"
#include "vtmirror/base/result.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vtmirror::simulator {

/// One pass over one object, which must outlive it. A missing member leaves its variable unchanged; null empties an
/// optional one.
class Fields {
 public:
  explicit Fields(const boost::json::object& object) : object_(object), members_(object) {}

  void read(std::string_view name, bool& place);
  void read(std::string_view name, int& place);
  void read(std::string_view name, std::uint64_t& place);
  void read(std::string_view name, std::string& place);
  void read(std::string_view name, std::vector<std::string>& place);
  void read(std::string_view name, std::map<std::string, std::uint64_t>& place);
  template <class T>
  void read(std::string_view name, std::optional<T>& place) {
    const boost::json::value* value = find(name);
    if (value == nullptr) return;
    std::optional<T> found;
    if (!value->is_null()) {
      T given{};
      read(name, given);
      found = std::move(given);
    }
    place.swap(found);
  }
  /// The member itself, or null, for members that other code reads.
  const boost::json::value* find(std::string_view name);
  void refuse(std::string_view name, std::string_view expected) { members_.refuse(name, expected); }

  /// Errors: config.
  base::Result<void> finish() const;

 private:
  const boost::json::object& object_;
  base::JsonObject members_;
  std::set<std::string, std::less<>> known_;
};

/// Parses a text that must be one JSON object. Errors: config.
base::Result<boost::json::object> parse_object(std::string_view text);

}  // namespace vtmirror::simulator
