#include "cli/arguments.hpp"

#include "cli/command_options.hpp"
#include "version.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/report/status_check.hpp"
#include "vtmirror/settings/places.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace vtmirror::cli {
namespace {

const std::map<std::string, ports::Level> levels{{"debug", ports::Level::debug},
                                                 {"info", ports::Level::info},
                                                 {"notice", ports::Level::notice},
                                                 {"warning", ports::Level::warning},
                                                 {"error", ports::Level::error}};
const std::map<std::string, terminal::ColourChoice> colours{{"auto", terminal::ColourChoice::automatic},
                                                            {"always", terminal::ColourChoice::always},
                                                            {"never", terminal::ColourChoice::never}};

/// Whether the words ask for `status --check`, also if they are not a valid command line.
bool ask_for_check(std::span<const char* const> arguments) {
  const auto has = [&](std::string_view word) {
    return std::any_of(arguments.begin(), arguments.end(),
                       [&](std::string_view each) { return each.substr(0, each.find('=')) == word; });
  };
  return has("status") && has("--check");
}

/// The command line's grammar, and the arguments that it has parsed.
class Grammar {
 public:
  explicit Grammar(const settings::Environment& environment)
      : app_("Keeps a verified local copy of the vehicle test data's bulk and delta files.", "vtmirror") {
    read_.config = environment("VTMIRROR_CONFIG").value_or("");
    if (read_.config.empty()) read_.config = settings::default_settings_file(environment, ::geteuid() == 0);
    app_.set_version_flag("-V,--version", std::string("vtmirror ") + version, "Print the version");
    app_.set_help_flag("-h,--help", "Print this help");
    app_.require_subcommand(0, 1)->fallthrough()->footer(program_help_end);
    add_global_options();
    add_commands();
    for (auto* sub : all()) {
      if (sub == &app_) continue;
      const auto command = commands_.find(sub);
      sub->footer(command == commands_.end() ? "Options of all commands: see `vtmirror --help`"
                                             : help_end(command->second));
    }
    // Unknown words are reported by complaint_about_extras(), which suggests the nearest known one.
    for (auto* app : all()) app->allow_extras();
  }

  std::variant<Arguments, Farewell> parse(std::span<const char* const> arguments) {
    is_check_ = ask_for_check(arguments);
    const auto words = without_needless_mark(arguments);
    try {
      app_.parse(static_cast<int>(words.size()), words.data());
    } catch (const CLI::CallForHelp&) {
      return Farewell{done, app_.help()};
    } catch (const CLI::CallForVersion&) {
      return Farewell{done, app_.version() + '\n'};
    } catch (const CLI::ArgumentMismatch& error) {
      const std::string message = error.what();
      const auto option = message.substr(0, message.find(':'));
      return complain(option + (is_repeated(option) ? " is given twice" : " needs a value"));
    } catch (const CLI::ValidationError& error) {
      // "--newest: must be ..."
      std::string message = error.what();
      if (const auto at = message.find(": must be "); at != std::string::npos) message.erase(at, 1);
      return complain(message);
    } catch (const CLI::ParseError& error) {
      return complain(error.what());
    }
    if (const auto complaint = complaint_about_extras(); !complaint.empty()) return usage(complaint);
    return outcome();
  }

 private:
  /// CLI11 finds only operands that a command must have behind "--", so it gets the mark only where it needs it.
  std::vector<const char*> without_needless_mark(std::span<const char* const> arguments) {
    std::vector<const char*> words(arguments.begin(), arguments.end());
    const auto mark = std::ranges::find(words, std::string_view("--"));
    if (mark == words.end()) return words;
    operands_.assign(std::next(mark), words.end());
    const auto is_like_option = [](std::string_view word) { return word.starts_with('-'); };
    if (std::ranges::none_of(operands_, is_like_option)) words.erase(mark);
    return words;
  }

  Farewell complain(const std::string& mistake) const {
    const auto extra = complaint_about_extras();
    return usage(extra.empty() ? mistake : extra);
  }

  bool is_repeated(const std::string& name) const {
    const auto* option = chosen()->get_option_no_throw(name);
    if (option == nullptr) option = app_.get_option_no_throw(name);
    return option != nullptr && option->count() > 1;
  }

  /// Points to the help of the command that was given. To a monitoring system, wrong usage is an unknown state.
  Farewell usage(const std::string& complaint) const {
    if (is_check_) return {cli::unknown, report::judge({base::Errc::config, complaint}).line + '\n', true};
    const auto words = words_of_command();
    const auto help = words.empty() || chosen() == help_ ? "vtmirror --help" : "vtmirror help " + words;
    return {wrong, "vtmirror: " + complaint + "\nvtmirror: see `" + help + "`\n"};
  }

  void add_global_options() {
    app_.add_option("--config", read_.config, "The settings file (also: VTMIRROR_CONFIG)")
        ->type_name("FILE")
        ->capture_default_str();
    app_.add_option("--socket", read_.socket, "The daemon's socket")->type_name("FILE");
    app_.add_option_function<std::string>(
            "--log-level", [this](const std::string& word) { read_.log_level = levels.at(word); },
            "Minimum level: debug, info, notice, warning, error")
        ->type_name("LEVEL")
        ->check(one_of(levels, "debug, info, notice, warning or error"));
    app_.add_option_function<std::string>(
            "--color", [this](const std::string& word) { read_.colour = colours.at(word); },
            "Use colour: auto, always, never (also: NO_COLOR)")
        ->type_name("WHEN")
        ->check(one_of(colours, "auto, always or never"));
  }

  void add_commands() {
    const auto group = [this](const char* heading) -> AddCommand {
      return [this, heading](const std::string& name, const std::string& about, Command command) {
        auto* app = add(app_, name, about, command);
        app->group(heading);
        return app;
      };
    };
    const auto below = [this](CLI::App*& parent) -> AddCommand {
      return [this, &parent](const std::string& name, const std::string& about, Command command) {
        return add(*parent, name, about, command);
      };
    };
    add_mirror_commands(group("Mirror"), read_);
    add_views(group("Look"), read_);
    add_consumer_commands(group("Load"), read_);
    config_ = add_family("config", "Make, check or show the settings");
    add_config_commands(below(config_), read_);
    secret_ = add_family("secret", "Show, renew or set the client secret");
    add_secret_commands(below(secret_), read_);
    notify_ = add_family("notify", "Test the notification channels");
    add(*notify_, "test", "Send a test notification to every channel", Command::notify_test);
    help_ = app_.add_subcommand("help", "Print help about a command")->fallthrough()->group("Settings and secrets");
    help_->add_option("COMMAND", topic_, "The command")->type_name("")->expected(0, -1);
  }

  /// A command that has commands of its own.
  CLI::App* add_family(const std::string& name, const std::string& about) {
    auto* family = app_.add_subcommand(name, about)->group("Settings and secrets");
    return family->require_subcommand(0, 1)->fallthrough();
  }

  CLI::App* add(CLI::App& parent, const std::string& name, const std::string& about, Command command) {
    auto* app = parent.add_subcommand(name, about)->fallthrough();
    commands_[app] = command;
    return app;
  }

  std::vector<CLI::App*> all() {
    std::vector<CLI::App*> apps{&app_, notify_, config_, secret_, help_};
    for (const auto& [app, command] : commands_) apps.push_back(const_cast<CLI::App*>(app));
    return apps;
  }

  std::variant<Arguments, Farewell> outcome() {
    const auto chosen = app_.get_subcommands();
    if (chosen.empty()) return Farewell{wrong, app_.help()};
    auto* command = chosen.front();
    if (command == help_) return help();
    if (command == notify_) {
      const auto inner = notify_->get_subcommands();
      if (inner.empty()) return usage("notify needs a command: test");
      command = inner.front();
    }
    if (command == config_) {
      const auto inner = config_->get_subcommands();
      if (inner.empty()) return usage("config needs a command: init, check or show");
      command = inner.front();
    }
    if (command == secret_) {
      const auto inner = secret_->get_subcommands();
      if (inner.empty()) return usage("secret needs a command: status, rotate or set");
      command = inner.front();
    }
    read_.command = commands_.at(command);
    if (read_.command == Command::cat && read_.file.empty() == !read_.chain)
      return usage(read_.chain ? "--chain prints the whole chain: give no file with it"
                               : "cat needs a file, such as bulk or 2026-11-16, or --chain");
    return read_;
  }

  Farewell help() const {
    const CLI::App* app = &app_;
    std::string prefix;
    for (const auto& word : topic_) {
      const auto subs = app->get_subcommands([&](const CLI::App* sub) { return sub->get_name() == word; });
      if (subs.empty()) return usage(unknown("command", word, names_of(*app)));
      prefix += app->get_name() + ' ';
      app = subs.front();
    }
    // App::help() would print the help of the chosen command, which is `help` itself; the formatter prints any other.
    return {done, app->get_formatter()->make_help(app, prefix + app->get_name(), CLI::AppFormatMode::Normal)};
  }

  static std::string unknown(const std::string& what, const std::string& word, std::vector<std::string> candidates) {
    const std::vector<std::string_view> views(candidates.begin(), candidates.end());
    auto near = base::nearest(word, views);
    const auto longer = std::find_if(views.begin(), views.end(), [&](auto view) { return view.starts_with(word); });
    if (near.empty() && word.size() > 2 && longer != views.end()) near = *longer;
    auto text = "unknown " + what + ' ' + base::printable(word, 80);
    return near.empty() ? text : text + "; did you mean " + std::string(near) + '?';
  }

  static std::vector<std::string> names_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const auto* sub : app.get_subcommands([](const CLI::App*) { return true; })) names.push_back(sub->get_name());
    return names;
  }

  std::vector<std::string> option_names() const {
    std::vector<std::string> names;
    for (const auto* app : {&app_, const_cast<const CLI::App*>(chosen())}) {
      for (const auto* option : app->get_options([](const CLI::Option*) { return true; })) {
        for (const auto& name : option->get_lnames()) names.push_back("--" + name);
      }
    }
    return names;
  }

  /// An option of the command that stands before it, where only those of all commands can be.
  bool is_of_command(const std::string& option) const {
    return chosen() != &app_ && chosen()->get_option_no_throw(option) != nullptr;
  }

  /// "secret status"
  std::string words_of_command() const {
    std::string words;
    for (const CLI::App* app = chosen(); app != &app_; app = app->get_parent())
      words.insert(0, (words.empty() ? "" : " ")).insert(0, app->get_name());
    return words;
  }

  const CLI::App* chosen() const {
    const CLI::App* app = &app_;
    for (auto subs = app->get_subcommands(); !subs.empty(); subs = app->get_subcommands()) app = subs.front();
    return app;
  }

  std::string complaint_about_extras() const {
    auto extras = app_.remaining(true);
    std::erase(extras, "--");
    if (extras.empty()) return {};
    const auto& first = extras.front();
    const bool is_operand = std::ranges::find(operands_, first) != operands_.end();
    if (!is_operand && first.starts_with('-') && first.size() > 1) {
      const auto option = first.substr(0, first.find('='));
      return is_of_command(option) ? option + " belongs to a command: vtmirror " + words_of_command() + ' ' + option
                                   : unknown("option", option, option_names());
    }
    const auto* app = chosen();
    if (app == &app_ || app == config_ || app == notify_ || app == secret_)
      return unknown("command", first, names_of(*app));
    return "unexpected argument " + base::printable(first, 80);
  }

  Arguments read_;
  bool is_check_ = false;
  std::vector<std::string> operands_;  ///< what stands behind "--"
  std::vector<std::string> topic_;
  CLI::App app_;
  CLI::App* notify_ = nullptr;
  CLI::App* config_ = nullptr;
  CLI::App* secret_ = nullptr;
  CLI::App* help_ = nullptr;
  std::map<const CLI::App*, Command> commands_;
};

}  // namespace

std::variant<Arguments, Farewell> parse_arguments(std::span<const char* const> arguments,
                                                  const settings::Environment& environment) {
  return Grammar(environment).parse(arguments);
}

}  // namespace vtmirror::cli
