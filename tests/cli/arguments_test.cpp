#include "cli/arguments.hpp"

#include "support/every.hpp"
#include "support/variables.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <variant>
#include <vector>

namespace vtmirror::cli {
namespace {

std::variant<Arguments, Farewell> parse(std::vector<const char*> words,
                                        const settings::Environment& environment = test::environment_of({})) {
  words.insert(words.begin(), "vtmirror");
  return parse_arguments(words, environment);
}

Arguments accepted(std::vector<const char*> words,
                   const settings::Environment& environment = test::environment_of({})) {
  const auto parsed = parse(std::move(words), environment);
  if (const auto* farewell = std::get_if<Farewell>(&parsed)) FAIL(farewell->text);
  return std::get<Arguments>(parsed);
}

Farewell refused(std::vector<const char*> words) {
  const auto parsed = parse(std::move(words));
  REQUIRE(std::holds_alternative<Farewell>(parsed));
  return std::get<Farewell>(parsed);
}

bool says(const Farewell& farewell, const std::string& text) { return farewell.text.find(text) != std::string::npos; }

TEST_CASE("two dashes end the options") {
  CHECK(accepted({"cat", "--", "bulk"}).file == "bulk");
  CHECK(accepted({"next", "--json", "--", "-name"}).consumer == "-name");
  CHECK(accepted({"verify", "--repair", "--", "bulk", "2026-11-16"}).names ==
        std::vector<std::string>{"bulk", "2026-11-16"});
  CHECK(accepted({"sync", "--"}).command == Command::sync);
  CHECK(accepted({"secret", "status", "--"}).command == Command::secret_status);
  CHECK(says(refused({"sync", "--", "--dry-run"}), "unexpected argument --dry-run"));
  CHECK(says(refused({"cat", "--", "bulk", "member", "more"}), "unexpected argument more"));
}

TEST_CASE("the help of next and ack says how a mirror ends them that another process holds") {
  for (const char* command : {"next", "ack", "consumers"}) {
    const auto text = refused({"help", command}).text;
    CAPTURE(text);
    CHECK(text.find("4 another") != std::string::npos);
  }
}

TEST_CASE("every command is known by its name") {
  for (const auto& command : test::every<Command>()) {
    std::vector<std::string> words;
    std::istringstream in{std::string(command.word)};
    for (std::string word; std::getline(in, word, '_');) words.push_back(word);
    std::vector<const char*> line;
    for (const auto& word : words) line.push_back(word.c_str());
    // What has no default.
    if (command.value == Command::changes) line.insert(line.end(), {"--since", "7"});
    if (command.value == Command::next) line.push_back("warehouse");
    if (command.value == Command::ack) line.insert(line.end(), {"warehouse", "43-7"});
    if (command.value == Command::adopt) line.push_back("folder");
    if (command.value == Command::cat) line.push_back("--chain");  // or a file
    CHECK(accepted(line).command == command.value);
  }
}

TEST_CASE("adopt needs a folder, and prune takes none") {
  const auto arguments = accepted({"adopt", "--copy", "/srv/old"});
  CHECK(arguments.directory == "/srv/old");
  CHECK(arguments.copy);
  CHECK_FALSE(accepted({"adopt", "/srv/old"}).copy);
  CHECK(refused({"adopt"}).status == wrong);
  CHECK(refused({"adopt", "/srv/old", "/srv/older"}).status == wrong);
  CHECK(accepted({"prune", "--dry-run"}).dry_run);
  CHECK(refused({"prune", "v1/a.zip"}).status == wrong);
}

TEST_CASE("cat takes a file and a member of it, or the whole chain") {
  const auto named = accepted({"cat", "bulk", "a.json.gz"});
  CHECK(named.file == "bulk");
  CHECK(named.member == "a.json.gz");
  CHECK_FALSE(named.chain);
  CHECK_FALSE(accepted({"cat", "2026-11-16"}).member);
  CHECK(accepted({"cat", "--chain"}).chain);
  CHECK(says(refused({"cat"}), "cat needs a file, such as bulk or 2026-11-16, or --chain"));
  CHECK(says(refused({"cat", "bulk", "--chain"}), "give no file with it"));
  CHECK(says(refused({"cat", "a", "b", "c"}), "unexpected argument c"));
}

TEST_CASE("global options stand before or behind the command") {
  const std::vector<std::vector<const char*>> orders{
      {"--config", "/c.toml", "--socket", "/s", "--log-level", "debug", "--color", "never", "sync", "--dry-run"},
      {"sync", "--dry-run", "--config", "/c.toml", "--socket=/s", "--log-level=debug", "--color=never"},
      {"--socket", "/s", "--color", "never", "sync", "--config=/c.toml", "--dry-run", "--log-level", "debug"}};
  for (const auto& order : orders) {
    const auto arguments = accepted(order);
    CHECK(arguments.command == Command::sync);
    CHECK(arguments.dry_run);
    CHECK(arguments.config == "/c.toml");
    CHECK(arguments.socket == "/s");
    CHECK(arguments.log_level == ports::Level::debug);
    CHECK(arguments.colour == terminal::ColourChoice::never);
  }
  CHECK(accepted({"config", "check", "--config", "/c.toml"}).config == "/c.toml");
  CHECK(accepted({"config", "--config", "/c.toml", "show"}).command == Command::config_show);
}

TEST_CASE("the configuration is the option's, then the environment's, then the system's") {
  const auto environment = test::environment_of({{"VTMIRROR_CONFIG", "/e.toml"}});
  CHECK(accepted({"sync"}).config == "/etc/vtmirror/vtmirror.toml");
  CHECK(accepted({"sync"}, environment).config == "/e.toml");
  CHECK(accepted({"sync", "--config", "/c.toml"}, environment).config == "/c.toml");
}

TEST_CASE("commands take their own options") {
  CHECK(accepted({"files", "--json"}).json);
  CHECK(accepted({"coverage", "--json"}).json);
  CHECK(accepted({"history"}).newest == 20);
  const auto history = accepted({"history", "-n", "3", "--json"});
  CHECK(history.newest == 3);
  CHECK(history.json);
  CHECK(refused({"history", "-n", "0"}).status == wrong);
  CHECK(refused({"history", "-n", "x"}).status == wrong);
  CHECK(accepted({"sync", "--json", "--dry-run"}).json);
  CHECK(accepted({"sync", "--quiet"}).quiet);
  CHECK(refused({"sync", "--json", "--quiet"}).status == wrong);
  CHECK(refused({"files", "--dry-run"}).status == wrong);
}

TEST_CASE("the status is shown once, live, for machines or for a monitoring system") {
  CHECK(accepted({"status", "--json"}).json);
  CHECK(accepted({"status", "--watch"}).watch);
  CHECK(accepted({"status", "--check"}).check);
  const auto both = accepted({"status", "--watch", "--json"});
  CHECK(both.watch);
  CHECK(both.json);
  CHECK(refused({"status", "--check", "--watch"}).status == unknown);
  CHECK(refused({"status", "--json", "--check"}).status == unknown);
}

TEST_CASE("changes are asked for since a generation") {
  CHECK(accepted({"changes", "--since", "42", "--json"}).since == 42);
  CHECK(refused({"changes"}).status == wrong);
  CHECK(refused({"changes", "--since", "-1"}).status == wrong);
  CHECK(refused({"changes", "--since", "yesterday"}).status == wrong);
}

TEST_CASE("verify takes any number of files and a rate, and may repair") {
  CHECK(accepted({"verify"}).names.empty());
  CHECK_FALSE(accepted({"verify"}).repair);
  const auto arguments = accepted({"verify", "bulk", "--repair", "2026-11-16", "--json"});
  CHECK(arguments.names == std::vector<std::string>{"bulk", "2026-11-16"});
  CHECK(arguments.repair);
  CHECK(arguments.json);
  CHECK(accepted({"verify", "--rate", "20MB/s"}).rate == "20MB/s");
  for (const auto* rate : {"20", "fast", "2TB/s", "99999999999999999999MB/s", "-1MB/s"})
    CHECK(says(refused({"verify", "--rate", rate}), "must be a rate such as 20MB/s, 1TB/s at most, not "));
  CHECK(says(refused({"verify", "--repiar"}), "unknown option --repiar; did you mean --repair?"));
}

TEST_CASE("an unknown command is reported with the nearest one") {
  const auto farewell = refused({"snyc"});
  CHECK(farewell.status == wrong);
  CHECK(says(farewell, "vtmirror: unknown command snyc; did you mean sync?"));
  CHECK(says(refused({"--color", "never", "flies", "--json"}), "unknown command flies; did you mean files?"));
  CHECK(says(refused({"config", "chekc"}), "unknown command chekc; did you mean check?"));
  CHECK(says(refused({"help", "snyc"}), "did you mean sync?"));
}

TEST_CASE("an unknown option is reported with the nearest one") {
  CHECK(says(refused({"--watch", "status"}), "--watch belongs to a command: vtmirror status --watch\n"));
  CHECK(says(refused({"--force", "config", "init"}), "--force belongs to a command: vtmirror config init --force\n"));
  CHECK(says(refused({"files", "--jsn"}), "unknown option --jsn; did you mean --json?"));
  CHECK(says(refused({"sync", "--confg=/x"}), "did you mean --config?"));
  CHECK(says(refused({"sync", "now"}), "unexpected argument now"));
}

TEST_CASE("a mistake is reported with the help of the command that was given") {
  CHECK(says(refused({"sync", "--dry"}),
             "unknown option --dry; did you mean --dry-run?\nvtmirror: see `vtmirror help sync`"));
  CHECK(says(refused({"secret", "rotate", "--now"}), "see `vtmirror help secret rotate`"));
  CHECK(says(refused({"changes"}), "vtmirror: --since is required\nvtmirror: see `vtmirror help changes`"));
  CHECK(says(refused({"snyc"}), "see `vtmirror --help`"));
  CHECK(says(refused({"help", "snyc"}), "see `vtmirror --help`"));
}

TEST_CASE("a wrong number is reported with the valid range") {
  CHECK(says(refused({"history", "-n", "x"}), "--newest must be a number from 1 to 2147483647, not x\n"));
  CHECK(says(refused({"history", "-n", "99999999999999999999"}), "--newest must be a number from 1 to 2147483647"));
  CHECK(
      says(refused({"changes", "--since", "-1"}), "--since must be a number from 0 to 9223372036854775807, not -1\n"));
  CHECK(says(refused({"history", "-n"}), "vtmirror: --newest needs a value\n"));
  CHECK(says(refused({"sync", "--config"}), "vtmirror: --config needs a value\n"));
}

TEST_CASE("an option that is given twice is reported as that") {
  CHECK(says(refused({"--socket", "a", "--socket", "b", "status"}), "vtmirror: --socket is given twice\n"));
  CHECK(says(refused({"status", "--config=a", "--config=b"}), "vtmirror: --config is given twice\n"));
  CHECK(says(refused({"sync", "--log-level", "info", "--log-level", "info"}), "--log-level is given twice\n"));
  CHECK(says(refused({"history", "-n", "1", "--newest", "2"}), "--newest is given twice\n"));
}

TEST_CASE("a wrong value of an option is refused") {
  CHECK(says(refused({"sync", "--log-level", "loud"}),
             "vtmirror: --log-level must be debug, info, notice, warning or error, not loud\n"));
  CHECK(says(refused({"sync", "--color", "blue"}), "vtmirror: --color must be auto, always or never, not blue\n"));
  CHECK(refused({"sync", "--color", "blue"}).status == wrong);
  CHECK(refused({"sync", "--log-level", "loud"}).status == wrong);
  CHECK(refused({"sync", "--config"}).status == wrong);
}

TEST_CASE("each command's help has an example and its exit statuses, and no line is wider than 80 columns") {
  std::vector<std::vector<std::string>> topics{{}, {"config"}, {"secret"}, {"notify"}};
  for (const auto& command : test::every<Command>()) {
    auto& words = topics.emplace_back();
    std::istringstream in{std::string(command.word)};
    for (std::string word; std::getline(in, word, '_');) words.push_back(word);
  }
  for (std::size_t i = 0; i < topics.size(); ++i) {
    std::vector<const char*> line{"help"};
    for (const auto& word : topics[i]) line.push_back(word.c_str());
    const auto parsed = parse(line);
    const auto* help = std::get_if<Farewell>(&parsed);
    REQUIRE(help != nullptr);
    CAPTURE(help->text);
    CHECK(help->status == done);
    const bool is_command = i >= 4;
    CHECK(says(*help, "\nExample: ") == is_command);
    CHECK(says(*help, "\nExit status: 0 ") == is_command);
    std::istringstream lines{help->text};
    for (std::string each; std::getline(lines, each);) CHECK_MESSAGE(each.size() <= 80, each);
  }
}

TEST_CASE("without a command there is the help, and the status of wrong usage") {
  CHECK(refused({}).status == wrong);
  CHECK(says(refused({}), "Usage: vtmirror"));
  CHECK(refused({}).text.ends_with(
      "\n\nTo begin: `vtmirror config init` asks for the settings; then `vtmirror sync`.\n"));
  CHECK(refused({"config"}).status == wrong);
}

TEST_CASE("wrong usage of a check is an unknown state, in one line on stdout") {
  const std::vector<std::vector<const char*>> lines{
      {"status", "--check", "--typo"},
      {"--typo", "--check", "status"},
      {"status", "--check", "extra"},
      {"status", "--check", "--socket"},
      {"--log-level", "loud", "status", "--check"},
      {"status", "--check=maybe"},
      {"status", "--check", "--color=x"},
  };
  for (const auto& line : lines) {
    const auto farewell = refused(line);
    CAPTURE(farewell.text);
    CHECK(farewell.status == 3);
    CHECK(farewell.is_result);
    CHECK(farewell.text.starts_with("VTMIRROR UNKNOWN - "));
    CHECK(farewell.text.find('\n') == farewell.text.size() - 1);
  }
  CHECK(refused({"status", "--check", "--typo"}).text == "VTMIRROR UNKNOWN - unknown option --typo\n");
  CHECK(refused({"status", "--typo"}).status == wrong);
}

TEST_CASE("help and the version exit with 0") {
  CHECK(refused({"-V"}).text == refused({"--version"}).text);
  CHECK(refused({"status", "-V"}).status == done);
  CHECK(refused({"--version"}).status == done);
  CHECK(refused({"--version"}).text.starts_with("vtmirror "));
  for (const auto& words : std::vector<std::vector<const char*>>{{"--help"}, {"-h"}, {"help"}}) {
    const auto farewell = refused(words);
    CHECK(farewell.status == done);
    for (const auto* command : {"sync", "files", "coverage", "history", "notify", "config", "help"})
      CHECK(says(farewell, command));
  }
  for (const auto& words : std::vector<std::vector<const char*>>{{"help", "sync"}, {"sync", "--help"}}) {
    const auto farewell = refused(words);
    CHECK(farewell.status == done);
    CHECK(says(farewell, "--dry-run"));
    CHECK_FALSE(says(farewell, "coverage"));
  }
  CHECK(says(refused({"help", "config", "show"}), "masked"));
}

TEST_CASE("notify needs a command, and suggests the nearest one") {
  CHECK(refused({"notify"}).text.find("notify needs a command: test") != std::string::npos);
  CHECK(refused({"notify", "tset"}).text.find("did you mean test?") != std::string::npos);
}

}  // namespace
}  // namespace vtmirror::cli
