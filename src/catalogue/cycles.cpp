// The history of cycles, and the failures of the last one.

#include "vtmirror/catalogue/cycles.hpp"

#include "catalogue/transaction.hpp"

#include <algorithm>

namespace vtmirror::catalogue {
namespace {

/// A failure of a kind that only another version knows still counts; its cause says more.
core::Failure read_failure(Row& row, int first) {
  return {core::failure_kind(row.text(first)).value_or(core::FailureKind::other), read_cause(row, first + 1)};
}

core::CycleRecord read_cycle(Row& row) {
  core::CycleRecord cycle{.id = row.integer(0),
                          .started = row.time(1),
                          .finished = row.is_null(2) ? std::nullopt : std::optional(row.time(2)),
                          .outcome = core::outcome_of(row.text(3)).value_or(core::Outcome::failed),
                          .files = static_cast<int>(row.integer(4)),
                          .bytes = row.integer(5)};
  // A complete cycle has no failure, and a cycle that was cut off could not record one.
  auto failure = read_failure(row, 6);
  if (failure != core::Failure{}) cycle.failure = std::move(failure);
  cycle.with = {.settings = std::string(row.text(12)), .service = std::string(row.text(13))};
  if (!row.is_null(14)) cycle.not_before = row.time(14);
  return cycle;
}

void keep_failures(Transaction& write, const std::vector<core::Failure>& failures) {
  write.run("DELETE FROM failure");
  std::int64_t position = 0;
  for (const auto& [kind, cause] : failures)
    write.run(
        "INSERT INTO failure (position, kind, cause, detail, status, subject, fields) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7)",
        position++, name(kind), code_column(cause), cause.detail, cause.status, cause.subject, cause.fields);
}

}  // namespace

base::Result<std::int64_t> Cycles::begin_cycle(base::Time started) {
  Transaction write(connection(), Purpose::writing);
  const auto id = write.number("INSERT INTO cycle (started) VALUES ($1) RETURNING id", started);
  return write.end(id.value_or(0));
}

base::Result<void> Cycles::finish_cycle(const core::CycleRecord& cycle, const std::vector<core::Notice>& notices) {
  Transaction write(connection(), Purpose::writing);
  if (!cycle.finished) write.refuse("a cycle cannot be finished without its time");
  const auto finished = cycle.finished.value_or(base::Time{});
  const auto& [kind, cause] = cycle.failure.value_or(core::Failure{});
  const auto known = write.run(
      "UPDATE cycle SET finished = $1, outcome = $2, files = $3, bytes = $4, kind = $5, cause = $6, detail = $7, "
      "status = $8, subject = $9, fields = $10, settings = $11, service = $12, not_before = $13 WHERE id = $14",
      finished, name(cycle.outcome), cycle.files, cycle.bytes, name(kind), code_column(cause), cause.detail,
      cause.status, cause.subject, cause.fields, cycle.with.settings, cycle.with.service, cycle.not_before, cycle.id);
  if (known == 0) write.refuse("no cycle " + std::to_string(cycle.id) + " was begun");
  queue(write, notices);
  if (cycle.failures) keep_failures(write, *cycle.failures);
  return write.end();
}

base::Result<std::vector<core::CycleRecord>> Cycles::history(int newest) const {
  Transaction read(connection(), Purpose::reading);
  const auto limit = std::int64_t{std::max(newest, 0)};  // engines differ in what a negative one means
  return read.end(
      read.rows(read_cycle,
                "SELECT id, started, finished, coalesce(outcome, 'failed'), files, bytes, kind, cause, "
                "detail, status, subject, fields, settings, service, not_before FROM cycle ORDER BY id DESC LIMIT $1",
                limit));
}

base::Result<std::optional<base::Time>> Cycles::first_cycle() const {
  Transaction read(connection(), Purpose::reading);
  const auto started = read.rows([](Row& row) { return row.time(0); }, "SELECT started FROM cycle ORDER BY id LIMIT 1");
  return read.end(started.empty() ? std::nullopt : std::optional(started.front()));
}

base::Result<core::DaysTries> Cycles::tries(base::Time since, base::Time until) const {
  Transaction read(connection(), Purpose::reading);
  core::DaysTries tries;
  const auto add = [&tries](Row& row) {
    const auto started = row.time(0);
    if (tries.first == base::Time{}) tries.first = started;
    if (!row.is_null(1)) tries.spent += std::max(row.time(1) - started, base::Milliseconds::zero());
    return 0;
  };
  read.rows(add, "SELECT started, finished FROM cycle WHERE started BETWEEN $1 AND $2 ORDER BY started", since, until);
  return read.end(tries);
}

base::Result<std::vector<core::Failure>> Cycles::failures() const {
  Transaction read(connection(), Purpose::reading);
  return read.end(read.rows([](Row& row) { return read_failure(row, 0); },
                            "SELECT kind, cause, detail, status, subject, fields FROM failure ORDER BY position"));
}

namespace {

/// Empty for a code that only another version knows.
std::optional<core::Problem> read_problem(Row& row) {
  const auto code = core::problem_code(row.text(0));
  core::Problem problem{.since = row.time(1), .cause = read_cause(row, 3), .files = static_cast<int>(row.integer(2))};
  if (!code) return std::nullopt;
  problem.code = *code;
  return problem;
}

}  // namespace

base::Result<std::vector<core::Problem>> Problems::problems() const {
  Transaction read(connection(), Purpose::reading);
  const auto rows = read.rows(read_problem,
                              "SELECT code, since, files, cause, detail, status, subject, fields FROM problem "
                              "ORDER BY code");
  std::vector<core::Problem> problems;
  for (const auto& problem : rows)
    if (problem) problems.push_back(*problem);
  return read.end(std::move(problems));
}

base::Result<void> Problems::keep_problems(const std::vector<core::Problem>& problems,
                                           const std::vector<core::Notice>& notices) {
  Transaction write(connection(), Purpose::writing);
  write.run("DELETE FROM problem");
  for (const auto& problem : problems) {
    const auto& cause = problem.cause;
    write.run(
        "INSERT INTO problem (code, since, files, cause, detail, status, subject, fields) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        name(problem.code), problem.since, problem.files, code_column(cause), cause.detail, cause.status, cause.subject,
        cause.fields);
  }
  queue(write, notices);
  return write.end();
}

}  // namespace vtmirror::catalogue
