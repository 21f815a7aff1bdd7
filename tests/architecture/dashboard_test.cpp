#include "architecture/source_tree.hpp"
#include "architecture/tool.hpp"

#include <doctest/doctest.h>

#include <regex>
#include <set>
#include <string>

namespace vtmirror::architecture {
namespace {

using Names = std::set<std::string>;

Names matches(const std::string& path, const std::string& pattern) {
  const auto text = source(path).text;
  const std::regex expression(pattern);
  Names names;
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at) names.insert(at->str(1));
  return names;
}

const char* const metric = "\\b(vtmirror_[a-z_]+)";

/// As the program names them.
Names told() { return matches("src/cli/metrics.cpp", "\"(vtmirror_[a-z_]+)\""); }

Names shown() { return matches("packaging/grafana/vtmirror.json", metric); }

TEST_CASE("the dashboard and the alerts name metrics that there are") {
  const auto all = told();
  CHECK(all.size() >= 15);
  for (const std::string path : {"packaging/grafana/vtmirror.json", "packaging/prometheus/vtmirror.rules.yml",
                                 "packaging/prometheus/vtmirror.rules.test.yml", "packaging/man/vtmirror.8"}) {
    for (const auto& name : matches(path, metric)) CHECK_MESSAGE(all.contains(name), path << ": " << name);
  }
}

TEST_CASE("the dashboard shows every metric that there is") {
  auto expected = told();
  for (const auto& name : shown()) expected.erase(name);
  CHECK(expected == Names{});
}

TEST_CASE("every alert is tried, and the manual names every metric") {
  const auto alerts = matches("packaging/prometheus/vtmirror.rules.yml", "- alert: ([A-Za-z]+)");
  CHECK(alerts.size() > 5);
  const auto tried = matches("packaging/prometheus/vtmirror.rules.test.yml", "alertname: ([A-Za-z]+)\n +exp_alerts");
  CHECK(tried == alerts);
  CHECK(matches("packaging/man/vtmirror.8", metric) == told());
}

TEST_CASE("Prometheus can read the alerts, and they raise what they should") {
  if (!installed("promtool", "prometheus")) return;
  const auto checked = run("promtool check rules " + quoted_path("packaging/prometheus/vtmirror.rules.yml"));
  CHECK_MESSAGE(checked.status == 0, checked.output);
  const auto tested = run("promtool test rules " + quoted_path("packaging/prometheus/vtmirror.rules.test.yml"));
  CHECK_MESSAGE(tested.status == 0, tested.output);
}

}  // namespace
}  // namespace vtmirror::architecture
