// An index of values by their names. Borrows the values: they must stay where they are as long as it lives.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>

namespace vtmirror::core {

/// Of two values with one name, the first counts.
template <class T>
class ByName {
 public:
  explicit ByName(std::span<const T> items) {
    items_.reserve(items.size());
    for (const T& item : items) items_.emplace(item.name, &item);
  }
  /// Null if there is none.
  const T* find(std::string_view name) const {
    const auto found = items_.find(name);
    return found == items_.end() ? nullptr : found->second;
  }
  bool contains(std::string_view name) const { return items_.contains(name); }

 private:
  std::unordered_map<std::string_view, const T*> items_;
};

}  // namespace vtmirror::core
