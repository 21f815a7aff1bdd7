// What is wrong now, and was told.
#include "vtmirror/catalogue/problems.hpp"
#include "catalogue/steps.hpp"

namespace vtmirror::catalogue {
namespace {

core::Problem read_problem(Row& row) {
  return {row.text(0), row.time(1), row.text(2), static_cast<int>(row.integer(3))};
}

}  // namespace

base::Result<std::vector<core::Problem>> Problems::problems() const {
  Transaction read(connection(), Purpose::reading);
  return read.end(read.rows(read_problem, "SELECT code, since, message, files FROM problem ORDER BY code"));
}

base::Result<void> Problems::keep_problems(const std::vector<core::Problem>& problems,
                                           const std::vector<core::Notice>& notices) {
  Transaction write(connection(), Purpose::writing);
  write.run("DELETE FROM problem");
  for (const auto& problem : problems)
    write.run("INSERT INTO problem (code, since, message, files) VALUES ($1, $2, $3, $4)", problem.code, problem.since,
              problem.message, std::int64_t{problem.files});
  queue(write, notices);
  return write.end();
}

}  // namespace vtmirror::catalogue
