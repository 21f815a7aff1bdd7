// What the catalogue asks of a database engine before there is a connection: to open a database, to save what can be
// read of a damaged one, and which files are the engine's own. Beside `Driver`, it is all that an engine has to bring.
// Promises that nothing else in the program knows an engine's files. Holds no state.
#pragma once

#include "catalogue/driver.hpp"
#include "vtmirror/base/result.hpp"
#include "vtmirror/catalogue/catalogue.hpp"
#include "vtmirror/catalogue/rescue.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace vtmirror::catalogue {

class Engine {
 public:
  Engine() = default;
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Connects to the database at `place`, and brings it up to date. One try. Errors: as `Catalogue::open`.
  virtual base::Result<std::unique_ptr<Driver>> open(const std::string& place, Access access) const = 0;
  /// As `Catalogue::open_copy`.
  virtual base::Result<std::unique_ptr<Driver>> open_copy(const std::string& place) const = 0;
  /// As `catalogue::is_absent`.
  virtual bool is_absent(const std::string& place) const noexcept = 0;
  /// As `catalogue::salvage`.
  virtual base::Result<std::optional<Salvaged>> salvage(const std::string& place, const std::string& damaged, Era era,
                                                        base::Time now) const = 0;

  /// How the names of the files end that the engine keeps beside a database. They belong to it: without one of them,
  /// or with that of another database, its commits may be lost.
  virtual std::span<const std::string_view> beside() const = 0;
  /// Whether the file was written by this engine, as far as its first bytes or the files beside it show.
  virtual bool has_made(const std::string& path) const = 0;
};

/// The engine of the database at `place`. SQLite's is the only one.
const Engine& engine_of(const std::string& place);

}  // namespace vtmirror::catalogue
