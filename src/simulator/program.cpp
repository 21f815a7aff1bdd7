#include "vtmirror/simulator/program.hpp"

#include "simulator/simulator.hpp"
#include "simulator/write_config.hpp"
#include "vtmirror/base/result.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/base/time.hpp"

#include <signal.h>
#include <stdlib.h>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <optional>
#include <span>
#include <string>

namespace vtmirror::simulator {
namespace {

/// The command line of vtmirror-simulator.
struct Options {
  std::string state;  ///< empty: a temporary directory, removed at the end
  base::Date date{std::chrono::year(2026), std::chrono::month(11), std::chrono::day(18)};
  std::string script;        ///< empty: none
  std::string write_config;  ///< empty: none
  bool plain = false;
  bool help = false;
  std::optional<std::chrono::seconds> for_seconds{};
};

constexpr char usage[] =
    "usage: vtmirror-simulator [--state DIR] [--date YYYY-MM-DD] [--script FILE] [--write-config DIR] [--plain]\n"
    "                          [--for-seconds N]\n"
    "Serves the vehicle test-data service on loopback. Prints one line of JSON when it is ready.\n";

base::Error wrong(std::string what) { return {base::Errc::config, std::move(what)}; }

base::Result<void> set(Options& options, std::string_view name, std::string_view value) {
  if (name == "--state") {
    options.state = value;
  } else if (name == "--script") {
    options.script = value;
  } else if (name == "--write-config") {
    options.write_config = value;
  } else if (name == "--date") {
    const auto date = base::parse_date(value);
    if (!date) return wrong("--date wants YYYY-MM-DD");
    options.date = *date;
  } else if (name == "--for-seconds") {
    const auto seconds = base::parse_int(value);
    if (!seconds) return wrong("--for-seconds wants a number");
    options.for_seconds = std::chrono::seconds(*seconds);
  } else {
    return wrong("unknown option " + std::string(name));
  }
  return {};
}

/// Errors: config.
base::Result<Options> read_options(std::span<char*> arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view whole = arguments[i];
    const std::size_t equals = whole.find('=');
    const std::string_view name = whole.substr(0, equals);
    if (name == "--plain" || name == "--help") {
      (name == "--plain" ? options.plain : options.help) = true;
      continue;
    }
    const bool joined = equals != std::string_view::npos;
    if (!joined && i + 1 == arguments.size()) return wrong(std::string(name) + " wants a value, or is no option");
    const auto taken = set(options, name, joined ? whole.substr(equals + 1) : std::string_view(arguments[++i]));
    if (!taken) return taken.error();
  }
  return options;
}

/// The state directory; one that was created for this run is removed at its end.
class Directory {
 public:
  static base::Result<Directory> make(const std::string& wanted) {
    if (!wanted.empty()) {
      std::error_code failed;
      std::filesystem::create_directories(wanted, failed);
      if (failed) return base::Error{base::Errc::io, "cannot make " + wanted};
      return Directory(std::filesystem::absolute(wanted).lexically_normal().string(), false);
    }
    std::string name = (std::filesystem::temp_directory_path() / "vtmirror-simulator.XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) return base::Error{base::Errc::io, "cannot make " + name};
    return Directory(name, true);
  }
  ~Directory() {
    std::error_code ignored;
    if (own_) std::filesystem::remove_all(path_, ignored);
  }
  Directory(Directory&& other) noexcept : path_(std::move(other.path_)), own_(std::exchange(other.own_, false)) {}
  Directory& operator=(Directory&&) = delete;

  const std::string& path() const noexcept { return path_; }

 private:
  Directory(std::string path, bool own) : path_(std::move(path)), own_(own) {}
  std::string path_;
  bool own_;
};

base::Result<Script> load_script(const std::string& path) {
  if (path.empty()) return Script{};
  const auto text = read_file(path);
  if (!text) return text.error();
  auto script = merge(Script{}, *text);
  if (!script) return base::Error{base::Errc::config, path + ": " + script.error().detail};
  return script;
}

void announce(const Simulator& simulator) {
  const Identity& identity = simulator.identity();
  boost::json::object line;
  line["api"] = simulator.addresses().api;
  line["issuer"] = simulator.addresses().issuer + token_path;
  line["store"] = simulator.addresses().store;
  line["ca_file"] = simulator.ca_file();
  line["log"] = simulator.log_file();
  line["control"] = simulator.addresses().control;
  line["client_id"] = identity.client_id;
  line["client_secret"] = identity.client_secrets.back();
  line["api_key"] = identity.api_key;
  line["email"] = identity.email;
  line["scope"] = identity.scope;
  std::cout << boost::json::serialize(line) << '\n' << std::flush;
}

sigset_t block_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return set;
}

// Runs until a signal, POST /stop, or the end of --for-seconds.
void wait_for_end(Simulator& simulator, const sigset_t& signals, std::optional<std::chrono::seconds> limit) {
  constexpr timespec look{.tv_sec = 0, .tv_nsec = 50'000'000};
  const auto start = std::chrono::steady_clock::now();
  while (sigtimedwait(&signals, nullptr, &look) < 0) {
    if (simulator.stop().wait_for({})) return;
    if (limit && std::chrono::steady_clock::now() - start >= *limit) return;
  }
}

base::Result<void> run(const Options& options, const sigset_t& signals) {
  auto script = load_script(options.script);
  if (!script) return script.error();
  const auto directory = Directory::make(options.state);
  if (!directory) return directory.error();
  Settings settings{
      .script = std::move(*script), .today = options.date, .directory = directory->path(), .plain = options.plain};
  const auto simulator = Simulator::start(std::move(settings));
  if (!simulator) return simulator.error();
  if (!options.write_config.empty()) {
    if (const auto written = write_config(**simulator, options.write_config, options.plain); !written)
      return written.error();
  }
  announce(**simulator);
  wait_for_end(**simulator, signals, options.for_seconds);
  return {};
}

}  // namespace

int run_program(int argc, char** argv) {
  const auto options = read_options({argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)});
  if (!options) {
    std::cerr << "vtmirror-simulator: " << options.error().detail << '\n' << usage;
    return 2;
  }
  if (options->help) {
    std::cout << usage;
    return 0;
  }
  const sigset_t signals = block_signals();
  const auto done = run(*options, signals);
  if (done) return 0;
  std::cerr << "vtmirror-simulator: " << done.error().detail << '\n';
  return done.error().code == base::Errc::config ? 2 : 1;
}

}  // namespace vtmirror::simulator
