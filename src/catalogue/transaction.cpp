#include "catalogue/transaction.hpp"

namespace vtmirror::catalogue {

Transaction::Transaction(Connection& connection, Purpose purpose) : connection_(connection) {
  if (const auto begun = driver().begin(purpose); !begun) failure_ = begun.error();
}

Transaction::~Transaction() { driver().roll_back(); }

std::unique_ptr<Cursor> Transaction::start(std::string_view sql, std::span<const Value> parameters) {
  if (failure_) return nullptr;
  auto cursor = driver().run(sql, parameters);
  if (cursor) return std::move(*cursor);
  failure_ = cursor.error();
  return nullptr;
}

bool Transaction::next(Cursor* cursor) {
  if (failure_) return false;
  const auto more = cursor->next();
  if (!more) failure_ = more.error();
  return more && *more;
}

void Transaction::refuse(std::string_view why) {
  if (failure_) return;
  failure_ = base::Error{.code = base::Errc::catalogue, .detail = driver().name() + ": " + std::string(why)};
}

base::Result<void> Transaction::end() {
  if (failure_) return *failure_;
  if (auto committed = driver().commit(); !committed) return committed;
  if (announced_ && connection_.queued) connection_.queued();
  return {};
}

}  // namespace vtmirror::catalogue
