#include "vtmirror/catalogue/catalogue.hpp"

#include "catalogue/driver.hpp"
#include "catalogue/sqlite_driver.hpp"
#include "catalogue/sqlite_schema.hpp"

#include <utility>

namespace vtmirror::catalogue {

base::Result<Catalogue> Catalogue::open(const std::string& path, Access access) {
  auto driver = SqliteDriver::open(path, access);
  if (!driver) return driver.error();
  if (auto ready = bring_up_to_date(**driver, access); !ready) return ready.error();
  return Catalogue(std::make_unique<Connection>(Connection{std::move(*driver)}));
}

const std::optional<base::Error>& Catalogue::damage() const { return connection_->driver->damage(); }

Catalogue::Catalogue(std::unique_ptr<Connection> connection)
    : Files(*connection),
      Partials(*connection),
      Cycles(*connection),
      Problems(*connection),
      Notices(*connection),
      Credentials(*connection),
      connection_(std::move(connection)) {}
Catalogue::~Catalogue() = default;
Catalogue::Catalogue(Catalogue&&) noexcept = default;
Catalogue& Catalogue::operator=(Catalogue&&) noexcept = default;

}  // namespace vtmirror::catalogue
