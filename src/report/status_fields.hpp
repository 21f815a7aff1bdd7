// The members of a JSON object read one by one, with their types. The first that is wrong is kept as an error with its
// path, and all that is read after it is empty. Never complains about a member that nobody asks for.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace vtmirror::report {

class Fields {
 public:
  /// `object` is null where something before was wrong. All of it outlives this.
  Fields(const boost::json::object* object, std::string path, std::optional<base::Error>& error)
      : object_(object), path_(std::move(path)), error_(error) {}

  std::string text(std::string_view key);
  bool flag(std::string_view key);
  std::int64_t number(std::string_view key, std::int64_t least = 0,
                      std::int64_t most = std::numeric_limits<std::int64_t>::max());
  int count(std::string_view key);
  base::Time time(std::string_view key);

  /// Null, and a member that is not there, are empty.
  std::string text_or_null(std::string_view key);
  std::optional<std::int64_t> number_or_null(std::string_view key, std::int64_t least);
  std::optional<base::Time> time_or_null(std::string_view key);
  std::optional<base::Date> date_or_null(std::string_view key);
  std::optional<Fields> object_or_null(std::string_view key);

  Fields object(std::string_view key);
  /// Calls `each` with the elements' objects, or with the elements.
  template <class Each>
  void objects(std::string_view key, Each each);
  template <class Each>
  void elements(std::string_view key, Each each);

  /// Keeps the error that the member is not `what`, unless there is one already.
  void refuse(std::string_view key, const std::string& what);

 private:
  const boost::json::value* member(std::string_view key) const;
  const boost::json::value* present(std::string_view key) const;
  const boost::json::array* list(std::string_view key);

  const boost::json::object* object_;
  std::string path_;
  std::optional<base::Error>& error_;
};

template <class Each>
void Fields::objects(std::string_view key, Each each) {
  elements(key, [&](const boost::json::value& element) {
    if (!element.is_object()) return refuse(key, "a list of objects");
    Fields fields(&element.get_object(), path_ + std::string(key) + "[].", error_);
    each(fields);
  });
}

template <class Each>
void Fields::elements(std::string_view key, Each each) {
  const auto* const array = list(key);
  if (array == nullptr) return;
  for (const auto& element : *array) {
    if (!error_) each(element);
  }
}

}  // namespace vtmirror::report
