// What stands behind the class Catalogue: the open database. The class's members lie in one file for each thing that is
// remembered.
#pragma once

#include "catalogue/database.hpp"
#include "catalogue/transaction.hpp"
#include "vtmirror/catalogue/catalogue.hpp"

namespace vtmirror::catalogue {

struct Catalogue::Body {
  Database database;
};

/// Drops the partial of that name with its durable ranges; nothing when there is none.
void drop_partial(Transaction& write, const std::string& name);

}  // namespace vtmirror::catalogue
