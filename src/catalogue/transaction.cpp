#include "catalogue/transaction.hpp"

namespace vtmirror::catalogue {

Transaction::Transaction(Database& database, Purpose purpose) : database_(database) {
  run(purpose == Purpose::writing ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  // SQLite has rolled back by itself after some failures.
  if (database_.in_transaction()) Statement(database_, "ROLLBACK").step();
}

void Transaction::refuse(std::string_view why) {
  if (failure_) return;
  failure_ = base::Error{.code = base::Errc::catalogue, .detail = database_.path() + ": " + std::string(why)};
}

base::Result<void> Transaction::end() {
  run("COMMIT");
  if (failure_) return *failure_;
  if (announced_) database_.announce();
  return {};
}

}  // namespace vtmirror::catalogue
