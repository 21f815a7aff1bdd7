#include "vtmirror/catalogue/catalogue.hpp"

#include "catalogue/driver.hpp"
#include "catalogue/engine.hpp"
#include "catalogue/sqlite_engine.hpp"

#include <utility>

namespace vtmirror::catalogue {

const Engine& engine_of(const std::string&) {
  static const SqliteEngine sqlite;
  return sqlite;
}

bool is_absent(const std::string& path) noexcept { return engine_of(path).is_absent(path); }

/// A failed read may pass, and what looks like damage may be one: each is tried again on a fresh connection. Only
/// damage that two of them find is damage.
base::Result<Catalogue> Catalogue::open(const std::string& path, Access access) {
  constexpr int tries = 3;
  for (int n = 1, damaged = 0;; ++n) {
    auto opened = connect(path, access);
    if (opened) return opened;
    const auto code = opened.error().code;
    if (code == base::Errc::catalogue_damaged) ++damaged;
    if (n == tries || damaged == 2 || (code != base::Errc::io && damaged == 0)) return opened;
  }
}

base::Result<Catalogue> Catalogue::connect(const std::string& path, Access access) {
  auto driver = engine_of(path).open(path, access);
  if (!driver) return driver.error();
  return Catalogue(std::make_unique<Connection>(Connection{std::move(*driver)}));
}

base::Result<Catalogue> Catalogue::open_copy(const std::string& path) {
  auto driver = engine_of(path).open_copy(path);
  if (!driver) return driver.error();
  return Catalogue(std::make_unique<Connection>(Connection{std::move(*driver)}));
}

void Catalogue::hurry() { connection_->driver->hurry(); }

const std::optional<base::Error>& Catalogue::damage() const { return connection_->driver->damage(); }
bool Catalogue::is_replaced() const { return connection_->driver->is_replaced(); }

Catalogue::Catalogue(std::unique_ptr<Connection> connection)
    : Files(*connection),
      Downloads(*connection),
      Cycles(*connection),
      Problems(*connection),
      Notices(*connection),
      Credentials(*connection),
      Consumers(*connection),
      connection_(std::move(connection)) {}
Catalogue::~Catalogue() = default;
Catalogue::Catalogue(Catalogue&&) noexcept = default;
Catalogue& Catalogue::operator=(Catalogue&&) noexcept = default;

}  // namespace vtmirror::catalogue
