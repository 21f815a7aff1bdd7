// The main program of every test program: doctest's own, and three rules beside it. A skipped case is counted, a case
// that came to its end without having checked anything is a failure, for it could never fail, and so is a run in which
// no case ran, unless the program was only asked a question (--list-test-cases, --count, --help).
#define DOCTEST_CONFIG_IMPLEMENT
#include "support/repository.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>

#include <iostream>
#include <string>

namespace vtmirror::test {
namespace {

/// What ctest knows as SKIP_RETURN_CODE.
constexpr int everything_skipped = 77;

struct Tally {
  std::string running;  ///< the case
  bool skipping = false;
  int run = 0;
  int skipped = 0;  ///< in whole or in part
  int skipped_whole = 0;
  int idle = 0;            ///< checked nothing, and was not skipped
  bool was_asked = false;  ///< instead of being run
};
Tally tally;

class Counter : public doctest::IReporter {
 public:
  explicit Counter(const doctest::ContextOptions&) {}

  void test_case_start(const doctest::TestCaseData& started) override {
    tally.running = started.m_name;
    tally.skipping = false;
    ++tally.run;
  }
  void test_case_end(const doctest::CurrentTestCaseStats& ended) override {
    const bool checked = ended.numAssertsCurrentTest > 0 || ended.failure_flags != 0;
    tally.skipped += tally.skipping;
    tally.skipped_whole += tally.skipping && !checked;
    if (checked || tally.skipping) return;
    ++tally.idle;
    std::cout << "failed: it checked nothing [" << tally.running << "]" << std::endl;
  }

  void report_query(const doctest::QueryData&) override { tally.was_asked = true; }
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};
REGISTER_LISTENER("counter", 1, Counter);

int verdict(int status) {
  if (tally.skipped > 0)
    std::cout << tally.skipped << " of " << tally.run << " cases were skipped, in whole or in part\n";
  if (tally.run == 0 && !tally.was_asked) {
    std::cout << "failed: no case ran" << std::endl;
    return 1;
  }
  if (status == 0 && tally.idle > 0) return 1;
  if (status == 0 && tally.run > 0 && tally.skipped_whole == tally.run) return everything_skipped;
  return status;
}

}  // namespace

void skip(std::string_view reason) {
  tally.skipping = true;
  std::cout << "skipped: " << reason << " [" << tally.running << "]" << std::endl;
}

std::filesystem::path repository() { return VTMIRROR_SOURCE_DIR; }

}  // namespace vtmirror::test

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  const int status = context.run();
  return context.shouldExit() ? status : vtmirror::test::verdict(status);
}
