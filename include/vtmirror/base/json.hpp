// JSON of another program: parsed within bounds, its members read one by one with their types.
// Promises that what could not be read is empty, and that the first such member is kept as the fault, with its path.
// Never quotes a value, and never complains about a member that nobody asks for.
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
  std::size_t depth = 32;  ///< levels of arrays and objects; what nests deeper is refused
  /// Texts may be invalid UTF-8, so that one bad name does not cost the whole document: the caller checks each text
  /// that it uses.
  bool any_bytes = false;
};

/// Of a key that comes twice the last one counts. `memory`, where it is given, outlives the value. Errors: protocol,
/// "is not readable JSON" or "nests too deep".
Result<boost::json::value> parse_json(std::string_view text, JsonRules rules = {},
                                      boost::json::storage_ptr memory = {});

/// The same for a text that must hold one object. Errors: protocol, also "is not a JSON object".
Result<boost::json::object> parse_json_object(std::string_view text, JsonRules rules = {},
                                              boost::json::storage_ptr memory = {});

/// A member that is not what its reader asked for.
struct JsonFault {
  std::string path;      ///< "mirror.files", "problems[].since"; empty for the document itself
  std::string expected;  ///< "a string", "a whole number"
  bool missing = false;

  /// "mirror.files is not a string", "mirror.files is missing".
  std::string sentence() const;
};

/// A JSON object that somebody else owns: it outlives this, and so it does the strings and objects that are read from
/// it. Objects that are read from one object share its fault. A caller that needs the whole document looks at the fault
/// once, at the end; a caller that can do without a member ignores it.
class JsonObject {
 public:
  explicit JsonObject(const boost::json::object& object);
  /// Where `value` is no object, that is the fault, and all members are missing.
  explicit JsonObject(const boost::json::value& value);
  explicit JsonObject(boost::json::object&&) = delete;
  explicit JsonObject(boost::json::value&&) = delete;

  const std::optional<JsonFault>& fault() const noexcept { return *fault_; }

  std::string_view text(std::string_view key) const;
  bool flag(std::string_view key) const;
  /// Fractions, exponents and texts are refused even where they mean a whole number.
  std::int64_t integer(std::string_view key, std::int64_t least = 0,
                       std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  /// From 0 up.
  int count(std::string_view key) const;
  Time time(std::string_view key) const;
  Date date(std::string_view key) const;
  JsonObject object(std::string_view key) const;

  // Nothing where the member is missing, or null, or of another type; that last one is a fault.
  std::optional<std::string_view> optional_text(std::string_view key) const;
  std::optional<std::int64_t> optional_integer(std::string_view key, std::int64_t least = 0) const;
  std::optional<Time> optional_time(std::string_view key) const;
  std::optional<Date> optional_date(std::string_view key) const;
  std::optional<JsonObject> optional_object(std::string_view key) const;

  const boost::json::array& array(std::string_view key) const;
  // The elements of an array, without those that are of another type: they are a fault.
  std::vector<std::string_view> texts(std::string_view key) const;
  std::vector<int> counts(std::string_view key) const;
  std::vector<Date> dates(std::string_view key) const;
  std::vector<JsonObject> objects(std::string_view key) const;

  /// The member itself, null where it is missing.
  const boost::json::value* find(std::string_view key) const;
  /// Keeps as the fault that the member is not what is expected, unless there is a fault already.
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

  const boost::json::object* object_;  // null where there is none
  std::string path_;                   // empty, or "mirror."
  Fault fault_;
};

}  // namespace vtmirror::base
