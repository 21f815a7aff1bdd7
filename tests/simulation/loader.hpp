// A consumer that goes by the manifest alone: it appends where the chain grew or joins on to what it has loaded, and
// otherwise starts with the bulk file. Knows what its table rests on.
#pragma once

#include "simulation/true_service.hpp"
#include "support/memory_storage.hpp"

#include <string>
#include <vector>

namespace vtmirror::test {

/// The bytes of a file that a text names: by its name or, where it was superseded, by its digest. Null if they are not
/// there, or not whole.
const std::string* bytes_of(const core::Held& file, const MemoryStorage& storage);

class Loader {
 public:
  /// A strict one starts with the bulk file where a join rests on absent days.
  explicit Loader(bool strict) : strict_(strict) {}

  /// Loads nothing while a file cannot be read: it was lost from disk, say.
  void follow(const ports::Manifest& manifest, const MemoryStorage& storage, const TrueService& service);
  /// The same with the bytes that a reader has collected, by the number of the file in the chain.
  void follow(const ports::Manifest& manifest, const std::vector<std::string>& bytes, const TrueService& service);

  const Table& table() const { return table_; }
  bool assumes(base::Date day) const;
  int joins = 0, reloads = 0;

 private:
  bool joins_on(const core::Chain& chain) const;
  using Bytes = std::vector<const std::string*>;
  void load(const ports::Manifest& manifest, const Bytes& bytes, const TrueService& service);
  void append(const core::Chain& chain, std::size_t from, const Bytes& bytes, const TrueService& service);

  bool strict_;
  Table table_;
  std::vector<core::Held> loaded_;
  std::int64_t generation_ = 0;
  std::string session_;
  std::vector<base::Date> assumed_;
};

}  // namespace vtmirror::test
