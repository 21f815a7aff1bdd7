#include "simulator/options.hpp"

#include "vtmirror/base/text.hpp"

namespace vtmirror::simulator {
namespace {

base::Error wrong(std::string what) { return {base::Errc::config, std::move(what)}; }

base::Result<void> take(Options& options, std::string_view name, std::string_view value) {
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

}  // namespace

const char* const usage =
    "usage: vtmirror-simulator [--state DIR] [--date YYYY-MM-DD] [--script FILE] [--write-config DIR] [--plain]\n"
    "                          [--for-seconds N]\n"
    "Serves the vehicle test-data service on loopback. Prints one line of JSON when it is ready.\n";

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
    const auto taken = take(options, name, joined ? whole.substr(equals + 1) : std::string_view(arguments[++i]));
    if (!taken) return taken.error();
  }
  return options;
}

}  // namespace vtmirror::simulator
