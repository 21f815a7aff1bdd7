#include "vtmirror/catalogue/catalogue.hpp"

#include "catalogue/body.hpp"
#include "catalogue/schema.hpp"

namespace vtmirror::catalogue {

base::Result<Catalogue> Catalogue::open(const std::string& path, Access access) {
  auto database = Database::open(path, access);
  if (!database) return database.error();
  if (auto ready = bring_up_to_date(*database, access); !ready) return ready.error();
  return Catalogue(std::make_unique<Body>(Body{std::move(*database)}));
}

const std::optional<base::Error>& Catalogue::damage() const { return body_->database.damage_found(); }

Catalogue::Catalogue(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Catalogue::~Catalogue() = default;
Catalogue::Catalogue(Catalogue&&) noexcept = default;
Catalogue& Catalogue::operator=(Catalogue&&) noexcept = default;

}  // namespace vtmirror::catalogue
