// SQLite as the engine of a catalogue that is a file.
#pragma once

#include "catalogue/engine.hpp"

namespace vtmirror::catalogue {

class SqliteEngine final : public Engine {
 public:
  base::Result<std::unique_ptr<Driver>> open(const std::string& place, Access access) const override;
  base::Result<std::unique_ptr<Driver>> open_copy(const std::string& place) const override;
  bool is_absent(const std::string& place) const noexcept override;
  base::Result<std::optional<Salvaged>> salvage(const std::string& place, const std::string& damaged, Era era,
                                                base::Time now) const override;
  std::span<const std::string_view> beside() const override;
  bool has_made(const std::string& path) const override;
};

}  // namespace vtmirror::catalogue
