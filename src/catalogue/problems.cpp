// The current problems, as they were last reported.
#include "vtmirror/catalogue/problems.hpp"
#include "catalogue/cause_columns.hpp"
#include "catalogue/steps.hpp"

namespace vtmirror::catalogue {
namespace {

/// Nothing for a code of another version.
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
