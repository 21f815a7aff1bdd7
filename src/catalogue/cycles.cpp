// The history of cycles, and what the last one could not do.
#include "catalogue/body.hpp"
#include "catalogue/queue.hpp"

#include <algorithm>

namespace vtmirror::catalogue {
namespace {

Outcome outcome_of(std::string_view word) {
  if (word == name(Outcome::complete)) return Outcome::complete;
  return word == name(Outcome::partial) ? Outcome::partial : Outcome::failed;
}

CycleRecord read_cycle(Statement& row) {
  return {.id = row.integer(0),
          .started = row.time(1),
          .finished = row.is_null(2) ? std::nullopt : std::optional(row.time(2)),
          .outcome = outcome_of(row.text(3)),
          .files = static_cast<int>(row.integer(4)),
          .bytes = row.integer(5),
          .error = row.text(6)};
}

core::FailureKind failure_kind(std::string_view word) {
  using core::FailureKind;
  for (const auto kind : {FailureKind::refused_entry, FailureKind::lost, FailureKind::no_space, FailureKind::damaged})
    if (word == name(kind)) return kind;
  return FailureKind::other;
}

core::Failure read_failure(Statement& row) { return {failure_kind(row.text(0)), row.text(1), row.text(2)}; }

void keep_failures(Transaction& write, const std::vector<core::Failure>& failures) {
  write.run("DELETE FROM failure");
  std::int64_t position = 0;
  for (const auto& failure : failures)
    write.run("INSERT INTO failure (position, kind, name, reason) VALUES (?, ?, ?, ?)", position++, name(failure.kind),
              failure.name, failure.reason);
}

}  // namespace

base::Result<std::int64_t> Catalogue::begin_cycle(base::Time started) {
  Transaction write(body_->database, Purpose::writing);
  const auto id = write.number("INSERT INTO cycle (started) VALUES (?) RETURNING id", started);
  return write.end(id.value_or(0));
}

base::Result<void> Catalogue::finish_cycle(const CycleRecord& cycle, const std::vector<core::Notice>& notices) {
  Transaction write(body_->database, Purpose::writing);
  if (!cycle.finished) write.refuse("a cycle cannot be finished without its time");
  const auto finished = cycle.finished.value_or(base::Time{});
  const auto known = write.number(
      "UPDATE cycle SET finished = ?, outcome = ?, files = ?, bytes = ?, error = ? WHERE id = ? RETURNING id", finished,
      name(cycle.outcome), std::int64_t{cycle.files}, cycle.bytes, cycle.error, cycle.id);
  if (!known) write.refuse("no cycle " + std::to_string(cycle.id) + " was begun");
  queue(write, notices);
  if (cycle.failures) keep_failures(write, *cycle.failures);
  return write.end();
}

base::Result<std::vector<CycleRecord>> Catalogue::history(int newest) const {
  Transaction read(body_->database, Purpose::reading);
  const auto limit = std::int64_t{std::max(newest, 0)};  // below 0 SQLite would give all
  return read.end(read.rows(read_cycle,
                            "SELECT id, started, finished, coalesce(outcome, 'failed'), files, bytes, error FROM cycle "
                            "ORDER BY id DESC LIMIT ?",
                            limit));
}

base::Result<std::optional<base::Time>> Catalogue::first_cycle() const {
  Transaction read(body_->database, Purpose::reading);
  const auto started =
      read.rows([](Statement& row) { return row.time(0); }, "SELECT started FROM cycle ORDER BY id LIMIT 1");
  return read.end(started.empty() ? std::nullopt : std::optional(started.front()));
}

base::Result<std::vector<core::Failure>> Catalogue::failures() const {
  Transaction read(body_->database, Purpose::reading);
  return read.end(read.rows(read_failure, "SELECT kind, name, reason FROM failure ORDER BY position"));
}

}  // namespace vtmirror::catalogue
