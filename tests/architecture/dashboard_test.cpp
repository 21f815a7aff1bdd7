#include "architecture/source_tree.hpp"
#include "architecture/tool.hpp"
#include "support/skip.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

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
Names logged() { return matches("src/report/metrics.cpp", "\"(vtmirror_[a-z_]+)\""); }

Names shown() { return matches("packaging/grafana/vtmirror.json", metric); }

TEST_CASE("the dashboard and the alerts name metrics that there are") {
  const auto all = logged();
  CHECK(all.size() >= 15);
  for (const std::string path : {"packaging/grafana/vtmirror.json", "packaging/prometheus/vtmirror.rules.yml",
                                 "packaging/prometheus/vtmirror.rules.test.yml", "packaging/man/vtmirror.8"}) {
    for (const auto& name : matches(path, metric)) CHECK_MESSAGE(all.contains(name), path << ": " << name);
  }
}

TEST_CASE("the dashboard shows every metric that there is") {
  auto expected = logged();
  for (const auto& name : shown()) expected.erase(name);
  CHECK(expected == Names{});
}

/// Each question of each panel, for every instance.
std::vector<std::string> questions() {
  std::vector<std::string> all;
  const auto dashboard = boost::json::parse(source("packaging/grafana/vtmirror.json").text);
  for (const auto& panel : dashboard.at("panels").as_array()) {
    for (const auto& target : panel.at("targets").as_array()) {
      std::string text(target.at("expr").as_string());
      const std::string variable = "$instance";
      const auto at = text.find(variable);
      REQUIRE(at != std::string::npos);
      all.push_back(text.replace(at, variable.size(), ".*"));
    }
  }
  return all;
}

TEST_CASE("every panel has a place, a title and words that say what it shows") {
  const auto dashboard = boost::json::parse(source("packaging/grafana/vtmirror.json").text);
  std::set<std::int64_t> ids;
  std::set<std::pair<std::int64_t, std::int64_t>> places;
  const auto& panels = dashboard.at("panels").as_array();
  for (const auto& panel : panels) {
    ids.insert(panel.at("id").as_int64());
    const auto& place = panel.at("gridPos");
    places.emplace(place.at("x").as_int64(), place.at("y").as_int64());
    CHECK_FALSE(panel.at("title").as_string().empty());
    CHECK_FALSE(panel.at("description").as_string().empty());
  }
  CHECK(panels.size() > 10);
  CHECK(ids.size() == panels.size());
  CHECK(places.size() == panels.size());
}

TEST_CASE("Prometheus understands what the dashboard asks") {
  if (const auto why = test::absent("promtool", "prometheus")) return test::skip(*why);
  const test::TemporaryDirectory directory;
  std::string rules = "groups:\n  - name: dashboard\n    rules:\n";
  int number = 0;
  for (const auto& question : questions())
    rules += "      - {record: q" + std::to_string(++number) + ", expr: '" + question + "'}\n";
  test::write_file(directory / "rules.yml", rules);
  const auto ran = run("promtool check rules '" + (directory / "rules.yml").string() + "'");
  CHECK_MESSAGE(ran.status == 0, ran.output);
  CHECK(ran.output.find("SUCCESS") != std::string::npos);
}

TEST_CASE("every alert is tried, and the manual names every metric") {
  const auto alerts = matches("packaging/prometheus/vtmirror.rules.yml", "- alert: ([A-Za-z]+)");
  CHECK(alerts.size() > 5);
  const auto tried = matches("packaging/prometheus/vtmirror.rules.test.yml", "alertname: ([A-Za-z]+)\n +exp_alerts");
  CHECK(tried == alerts);
  CHECK(matches("packaging/man/vtmirror.8", metric) == logged());
}

TEST_CASE("Prometheus can read the alerts, and they raise what they should") {
  if (const auto why = test::absent("promtool", "prometheus")) return test::skip(*why);
  const auto checked = run("promtool check rules " + quoted_path("packaging/prometheus/vtmirror.rules.yml"));
  CHECK_MESSAGE(checked.status == 0, checked.output);
  const auto tested = run("promtool test rules " + quoted_path("packaging/prometheus/vtmirror.rules.test.yml"));
  CHECK_MESSAGE(tested.status == 0, tested.output);
}

}  // namespace
}  // namespace vtmirror::architecture
