// SQLite as the engine of a catalogue that is a file.
#pragma once

#include "catalogue/engine.hpp"

namespace vtmirror::catalogue {

class SqliteEngine final : public Engine {
 public:
  base::Result<std::unique_ptr<Driver>> open(const std::string& place, Access access) const override;
  base::Result<std::unique_ptr<Driver>> open_copy(const std::string& place) const override;
  std::span<const std::string_view> beside() const override;
  bool has_made(const std::string& path) const override;
};

}  // namespace vtmirror::catalogue
