// JSON from another program: parsed within limits, its members read one by one with their types.
// A member that could not be read is empty, and the first such member is kept as the fault, with its path.
// Never quotes a value, and ignores members that the caller does not read.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::base {

struct JsonRules {
  std::size_t depth = 32;  ///< levels of arrays and objects; deeper nesting is refused
  /// Strings may be invalid UTF-8, so that one bad name does not spoil the whole document; the caller checks each
  /// string that it uses.
  bool any_bytes = false;
};

/// If a key occurs twice, the last one counts. `memory`, if given, must outlive the value. Errors: protocol, "is not
/// readable JSON" or "nests too deep".
Result<boost::json::value> parse_json(std::string_view text, JsonRules rules = {},
                                      boost::json::storage_ptr memory = {});

/// The same for a document that must be one object. Errors: protocol, also "is not a JSON object".
Result<boost::json::object> parse_json_object(std::string_view text, JsonRules rules = {},
                                              boost::json::storage_ptr memory = {});

/// A member that is missing or not of the type that the caller reads.
struct JsonFault {
  std::string path;      ///< "mirror.files", "problems[].since"; empty for the document itself
  std::string expected;  ///< "a string", "a whole number"
  bool missing = false;

  /// "mirror.files is not a string", "mirror.files is missing".
  std::string sentence() const;
};

/// A view of a JSON object. The object must outlive the view and the strings and objects read from it. Objects read
/// from one object share its fault. A caller that needs the whole document checks the fault once, at the end; a caller
/// that does not need a member ignores it.
class JsonObject {
 public:
  explicit JsonObject(const boost::json::object& object);
  /// If `value` is not an object, that is the fault, and all members are missing.
  explicit JsonObject(const boost::json::value& value);
  explicit JsonObject(boost::json::object&&) = delete;
  explicit JsonObject(boost::json::value&&) = delete;

  const std::optional<JsonFault>& fault() const noexcept { return *fault_; }

  std::string_view text(std::string_view key) const;
  bool flag(std::string_view key) const;
  /// Fractions, exponents and strings are refused even if their value is a whole number.
  std::int64_t integer(std::string_view key, std::int64_t least = 0,
                       std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  /// 0 or greater.
  int count(std::string_view key) const;
  Time time(std::string_view key) const;
  Date date(std::string_view key) const;
  JsonObject object(std::string_view key) const;

  // Empty if the member is missing, null or of another type; only another type is a fault.
  std::optional<std::string_view> optional_text(std::string_view key) const;
  std::optional<std::int64_t> optional_integer(std::string_view key, std::int64_t least = 0) const;
  std::optional<Time> optional_time(std::string_view key) const;
  std::optional<Date> optional_date(std::string_view key) const;
  std::optional<JsonObject> optional_object(std::string_view key) const;

  const boost::json::array& array(std::string_view key) const;
  // The elements of an array. Elements of another type are left out and are a fault.
  std::vector<std::string_view> texts(std::string_view key) const;
  std::vector<int> counts(std::string_view key) const;
  std::vector<Date> dates(std::string_view key) const;
  std::vector<JsonObject> objects(std::string_view key) const;

  /// The member itself; null if it is missing.
  const boost::json::value* find(std::string_view key) const;
  /// Records as the fault that the member is not what was expected, unless there is a fault already.
  void refuse(std::string_view key, std::string_view expected) const;

 private:
  using Fault = std::shared_ptr<std::optional<JsonFault>>;
  JsonObject(const boost::json::object* object, std::string path, Fault fault);
  template <class T>
  T required(std::string_view key, std::optional<T> read, std::string_view expected) const;
  template <class T>
  std::optional<T> optional(std::string_view key, std::optional<T> read, std::string_view expected) const;
  template <class T, class Read>
  std::vector<T> elements(std::string_view key, Read read, std::string_view expected) const;

  const boost::json::object* object_;  // null if there is none
  std::string path_;                   // empty, or "mirror."
  Fault fault_;
};

}  // namespace vtmirror::base
