#include "cli/commands.hpp"
#include "cli/init_questions.hpp"
#include "cli/proof.hpp"
#include "cli/say.hpp"
#include "cli/service_view.hpp"
#include "vtmirror/settings/edit.hpp"
#include "vtmirror/settings/places.hpp"
#include "vtmirror/settings/secret_in_use.hpp"
#include "vtmirror/terminal/terminal.hpp"
#include "vtmirror/wiring/agent_settings.hpp"
#include "vtmirror/wiring/machine.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace vtmirror::cli {
namespace {

namespace fs = std::filesystem;

using base::Errc;
using base::Error;
using base::Result;

/// The file that a user without one gets.
constexpr char new_file[] =
    "# Made by `vtmirror config init`. Every other setting has its default: `vtmirror config show` prints them all,\n"
    "# vtmirror.toml(5) explains them. Secrets have files of their own.\n";

Error refused(std::string what) { return {Errc::config, std::move(what)}; }

class Initialisation {
 public:
  Initialisation(const Arguments& arguments, const settings::Environment& environment)
      : arguments_(arguments),
        answers_(arguments.init),
        environment_(environment),
        asks_(terminal::is_terminal(STDIN_FILENO)),
        keeps_(arguments.init.force && arguments.init.has_any()),
        output_(output_of(arguments, environment)),
        is_service_(::geteuid() == 0 && output_ == settings::system_settings_file && has_systemd()) {}

  ExitStatus run() {
    if (auto ready = collect(); !ready) return end(ready.error());
    if (auto written = write(); !written) return end(written.error());
    return prove_written();
  }

 private:
  static std::string output_of(const Arguments& arguments, const settings::Environment& environment) {
    if (arguments.init.output) return fs::absolute(*arguments.init.output).lexically_normal();
    const bool chosen = arguments.config != settings::system_settings_file;
    if (chosen || ::geteuid() == 0) return fs::absolute(arguments.config).lexically_normal();
    const auto own = settings::own_settings_file(environment);
    return own.empty() ? arguments.config : own;
  }

  static bool has_systemd() { return ::access("/run/systemd/system", F_OK) == 0; }

  static ExitStatus end(const Error& error) {
    say("vtmirror: " + error.detail + '\n');
    return error.code == Errc::cancelled ? failed : exit_status(error.code);
  }

  Result<void> collect() {
    if (output_.empty()) return refused("no home directory is known: give --output FILE");
    if (auto begun = begin_text(); !begun) return begun;
    if (keeps_) keep_secrets();
    if (auto missing = missing_options(); !missing.empty() && !asks_)
      return refused("config init needs " + missing + ", because stdin is no terminal on which it could ask");
    for (const auto& question : questions)
      if (auto answered = answer(question); !answered) return answered;
    if (answers_.ca_file)
      if (auto put = put_checked("service", "ca_file", absolute(*answers_.ca_file), "--ca-file: "); !put) return put;
    if (auto seen = check_ca_file(); !seen) return seen;
    for (std::size_t i = 0; i < secret_questions.size(); ++i)
      if (auto read = read_secret(i); !read) return read;
    return {};
  }

  std::string missing_options() const {
    std::string missing;
    const auto add = [&](bool given, std::string_view option) {
      if (!given) missing += (missing.empty() ? "" : ", ") + std::string(option);
    };
    for (const auto& question : questions)
      add(question.wanted == Wanted::optional || answers_.*question.given || is_kept(question), question.option);
    for (std::size_t i = 0; i < secret_questions.size(); ++i)
      add(answers_.*secret_questions.at(i).given || kept_.at(i), secret_questions.at(i).option);
    return missing;
  }

  /// Whether the file has a good answer to a question that is not asked then; one that was skipped is an answer.
  bool is_kept(const Question& question) const {
    const bool is_given = settings::read_config(text_).given.contains(question.path());
    return keeps_ && (is_given || question.wanted == Wanted::optional) && mistake_of(text_, question.path()).empty();
  }

  /// The secrets that the settings lead to already. One that cannot be read is asked for.
  void keep_secrets() {
    const auto config = config_so_far();
    for (std::size_t i = 0; i < secret_questions.size(); ++i) {
      if (answers_.*secret_questions.at(i).given) continue;
      auto secret = settings::read_secret(settings::find_secret(config, secret_questions.at(i).name, environment_));
      kept_.at(i) = secret.has_value();
      if (secret) secrets_.at(i) = std::move(*secret);
    }
  }

  /// With the places that the settings file will have.
  settings::Config config_so_far() const {
    auto read = settings::read_config(text_);
    if (::geteuid() != 0 && output_ != settings::system_settings_file) settings::use_own_places(read, environment_);
    settings::resolve_paths(read.config, environment_);
    return std::move(read.config);
  }

  /// The service must be able to read what root can read: it would not start.
  Result<void> check_ca_file() const {
    const auto config = config_so_far();
    const auto& file = config.service.ca_file;
    const auto fault = file.empty() ? file : fault_for_service(service_view(config, output_), file, R_OK);
    if (fault.empty()) return {};
    return refused((answers_.ca_file ? "--ca-file: " : "service.ca_file: ") + file + ": " + fault + "; " +
                   copy_advice(file));
  }

  /// The text to fill in: the existing file, as the package installs one with every key, or a new one.
  Result<void> begin_text() {
    text_ = new_file;
    if (::access(output_.c_str(), F_OK) != 0) return {};
    auto text = settings::read_file(output_);
    if (!text) return text.error();
    const auto read = settings::read_config(*text);
    const bool is_toml = read.mistakes.empty() || !read.mistakes.front().key.empty();
    if (!is_toml)
      return refused(settings::mistake_line(output_, read.mistakes.front()) + "; correct it, or remove the file");
    for (const auto& question : questions) {
      const bool is_open = !read.given.contains(question.path()) || read.blank.contains(question.path());
      if (!is_open && !answers_.force)
        return refused(output_ + " has settings already (" + question.path() +
                       "): `vtmirror config check --online` tests them, --force replaces them, or only those of the "
                       "options that are given with it");
    }
    text_ = std::move(*text);
    return {};
  }

  static std::string absolute(const std::string& path) { return fs::absolute(path).lexically_normal().string(); }

  Result<void> put_checked(std::string_view table, std::string_view key, const std::string& value,
                           std::string_view lead) {
    auto changed = with_answer(text_, table, key, value);
    if (!changed) return refused(output_ + ": " + changed.error().detail);
    const auto mistake = mistake_of(*changed, std::string(table) + '.' + std::string(key));
    if (!mistake.empty()) return refused(std::string(lead) + mistake);
    text_ = std::move(*changed);
    return {};
  }

  Result<void> answer(const Question& question) {
    if (const auto& given = answers_.*question.given)
      return put_checked(question.table, question.key, *given, std::string(question.option) + ": ");
    if (is_kept(question) || !asks_) return {};
    for (;;) {
      auto typed = terminal::typed_line(STDIN_FILENO, std::string(question.prompt));
      if (!typed) return nothing_written(typed.error());
      if (typed->empty() && question.wanted == Wanted::optional) return {};
      auto put = put_checked(question.table, question.key, *typed, "the answer ");
      if (put) return put;
      say("  " + put.error().detail + '\n');
    }
  }

  static Error nothing_written(const Error& error) { return {error.code, error.detail + ": nothing was written"}; }

  Result<void> read_secret(std::size_t i) {
    const auto& wanted = secret_questions.at(i);
    if (const auto& given = answers_.*wanted.given) {
      auto secret = settings::read_secret({.path = absolute(*given), .set = true, .exists = true});
      if (!secret) return refused(std::string(wanted.option) + ": " + secret.error().detail);
      secrets_.at(i) = std::move(*secret);
      return {};
    }
    if (kept_.at(i)) return {};
    for (;;) {
      auto typed = terminal::typed_secret(STDIN_FILENO, wanted.prompt);
      if (typed) {
        secrets_.at(i) = std::move(*typed);
        return {};
      }
      if (typed.error().code == Errc::cancelled) return Error{Errc::cancelled, "stopped: nothing was written"};
      say("  " + typed.error().detail + '\n');
    }
  }

  Result<void> write() {
    const auto directory = fs::path(output_).parent_path().string();
    if (auto made = settings::make_directory(directory); !made) return made;
    for (std::size_t i = 0; i < secret_questions.size(); ++i)
      if (auto stored = kept_.at(i) ? Result<void>() : store_secret(i, directory); !stored) return stored;
    if (auto written = settings::replace_file(output_, text_, is_service_ ? 0644 : 0600); !written) return written;
    say("vtmirror: wrote " + output_ + '\n');
    return {};
  }

  /// The service gets its secrets from systemd. Without it, the settings name their files.
  Result<void> store_secret(std::size_t i, const std::string& directory) {
    const auto& stored = secret_questions.at(i);
    const auto name = std::string(stored.name);
    const auto& given = answers_.*stored.given;
    auto place = given ? absolute(*given) : directory + '/' + name;
    if (is_service_) {
      place = settings::stored_credential(name);
      if (auto made = settings::make_directory(fs::path(place).parent_path().string()); !made) return made;
    }
    if (is_service_ || !given) {
      if (auto written = settings::replace_file(place, secrets_.at(i).reveal() + '\n', 0600); !written) return written;
      say("vtmirror: wrote " + place + '\n');
    }
    // A file that the settings still name would win over the service's.
    const auto key = "credentials." + name + "_file";
    if (is_service_ && !settings::read_config(text_).given.contains(key)) return {};
    auto changed = settings::with_value(text_, "credentials", name + "_file", is_service_ ? "" : place);
    if (!changed) return refused(output_ + ": " + changed.error().detail);
    text_ = std::move(*changed);
    return {};
  }

  /// A secret that was kept may have been rotated since.
  Result<wiring::Secrets> secrets_in_use(const settings::Config& config) const {
    wiring::Secrets used;
    used.client_secret.secret = secrets_.at(0);
    if (kept_.at(0)) {
      auto found = wiring::look_at_secrets(config, settings::read_secret_files(config, environment_));
      if (!found) return found.error();
      used = std::move(*found);
    }
    used.api_key = secrets_.at(1);
    return used;
  }

  ExitStatus prove_written() {
    auto read = settings::load_config(output_, environment_);
    if (!read) return end(read.error());
    for (const auto& mistake : read->mistakes) say(settings::mistake_line(output_, mistake) + '\n');
    if (!read->mistakes.empty()) return wrong;
    settings::resolve_paths(read->config, environment_);
    const auto used = secrets_in_use(read->config);
    if (!used) return end(used.error());
    const auto proven = prove(arguments_, read->config, *used, environment_);
    auto found = environment_("VTMIRROR_CONFIG").value_or("");
    if (found.empty()) found = settings::default_settings_file(environment_, ::geteuid() == 0);
    const auto options = found == output_ ? std::string() : " --config " + output_;
    if (proven != done) {
      say("vtmirror: the settings are in " + output_ + "; to correct one answer, run `vtmirror" + options +
          " config init --force` with the option of that answer, such as --client-id ID; after correcting it "
          "elsewhere, run `vtmirror" +
          options + " config check --online`\n");
    } else if (is_service_) {
      say("vtmirror: the settings are right; start the service with `sudo systemctl restart vtmirror`\n");
    } else {
      say("vtmirror: the settings are right; `vtmirror" + options + " sync` downloads the files now, `vtmirror" +
          options + " run` keeps them up to date\n");
    }
    return proven;
  }

  const Arguments& arguments_;
  const InitAnswers& answers_;
  const settings::Environment& environment_;
  bool asks_;
  bool keeps_;  ///< what the file answers already, apart from what the options give
  std::string output_;
  bool is_service_;  ///< of the package: its secrets are credentials of systemd
  std::string text_;
  std::array<base::Secret, secret_questions.size()> secrets_;
  std::array<bool, secret_questions.size()> kept_{};  ///< which of them are where they were
};

}  // namespace

ExitStatus init_config(const Arguments& arguments, const settings::Environment& environment) {
  wiring::forbid_core_dumps();
  ::umask(077);
  return Initialisation(arguments, environment).run();
}

}  // namespace vtmirror::cli
