#include "cli/commands.hpp"
#include "cli/proof.hpp"
#include "vtmirror/base/url.hpp"
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
#include <iostream>
#include <optional>
#include <string>
#include <utility>

namespace vtmirror::cli {
namespace {

using base::Errc;
using base::Error;
using base::Result;

/// The file that a user without one gets.
constexpr char new_file[] =
    "# Made by `vtmirror config init`. Every other setting has its default: `vtmirror config show` prints them all,\n"
    "# vtmirror.toml(5) explains them. Secrets have files of their own.\n";

/// Where systemd looks for the credentials that the service's unit loads.
constexpr char credential_store[] = "/etc/credstore";

/// One of the settings that have no default.
struct Question {
  std::string_view table;
  std::string_view key;
  std::optional<std::string> InitAnswers::*given;
  std::string_view option;
  std::string_view prompt;
};
constexpr std::array questions{
    Question{"service", "base_url", &InitAnswers::base_url, "--base-url", "Address of the service (https://...): "},
    Question{"service", "token_url", &InitAnswers::token_url, "--token-url",
             "Address for access tokens (https://.../token): "},
    Question{"service", "scope", &InitAnswers::scope, "--scope", "Scope (ends in .default): "},
    Question{"credentials", "client_id", &InitAnswers::client_id, "--client-id", "Client ID: "},
};

/// One of the two secrets.
struct Hidden {
  std::string_view name;  ///< as for `settings::find_secret`
  std::optional<std::string> InitAnswers::*given;
  std::string_view option;
  const char* prompt;
};
constexpr std::array secrets{
    Hidden{settings::client_secret, &InitAnswers::client_secret_file, "--client-secret-file",
           "Client secret (not shown): "},
    Hidden{settings::api_key, &InitAnswers::api_key_file, "--api-key-file", "API key (not shown): "},
};

std::string dotted(const Question& question) { return std::string(question.table) + '.' + std::string(question.key); }

Error refused(std::string what) { return {Errc::config, std::move(what)}; }

class Initialisation {
 public:
  Initialisation(const Arguments& arguments, const settings::Environment& environment)
      : arguments_(arguments),
        answers_(arguments.init),
        environment_(environment),
        asks_(terminal::is_terminal(STDIN_FILENO)),
        output_(output_of(arguments, environment)),
        is_service_(::geteuid() == 0 && output_ == settings::system_settings_file && has_systemd()) {}

  ExitStatus run() {
    if (auto ready = collect(); !ready) return end(ready.error());
    if (auto written = write(); !written) return end(written.error());
    return prove_written();
  }

 private:
  static std::string output_of(const Arguments& arguments, const settings::Environment& environment) {
    if (arguments.init.output) return std::filesystem::absolute(*arguments.init.output).lexically_normal();
    const bool chosen = arguments.config != settings::system_settings_file;
    if (chosen || ::geteuid() == 0) return std::filesystem::absolute(arguments.config).lexically_normal();
    const auto own = settings::own_settings_file(environment);
    return own.empty() ? arguments.config : own;
  }

  static bool has_systemd() { return ::access("/run/systemd/system", F_OK) == 0; }

  static ExitStatus end(const Error& error) {
    std::cerr << "vtmirror: " << error.detail << '\n';
    return error.code == Errc::cancelled ? failed : exit_status(error.code);
  }

  Result<void> collect() {
    if (output_.empty()) return refused("no home directory is known: give --output FILE");
    if (auto missing = missing_options(); !missing.empty() && !asks_)
      return refused("config init needs " + missing + ", because stdin is no terminal on which it could ask");
    if (auto begun = begin_text(); !begun) return begun;
    for (const auto& question : questions)
      if (auto answered = answer(question); !answered) return answered;
    if (answers_.ca_file)
      if (auto put = put_checked("service", "ca_file", absolute(*answers_.ca_file), "--ca-file"); !put) return put;
    for (std::size_t i = 0; i < secrets.size(); ++i)
      if (auto read = read_secret(i); !read) return read;
    return {};
  }

  std::string missing_options() const {
    std::string missing;
    const auto add = [&](bool given, std::string_view option) {
      if (!given) missing += (missing.empty() ? "" : ", ") + std::string(option);
    };
    for (const auto& question : questions) add((answers_.*question.given).has_value(), question.option);
    for (const auto& secret : secrets) add((answers_.*secret.given).has_value(), secret.option);
    return missing;
  }

  /// The text to fill in: the existing file, as the package installs one with every key, or a new one.
  Result<void> begin_text() {
    text_ = new_file;
    if (::access(output_.c_str(), F_OK) != 0) return {};
    auto text = settings::read_file(output_);
    if (!text) return text.error();
    const auto read = settings::read_config(*text);
    const bool is_toml = read.mistakes.empty() || !read.mistakes.front().key.empty();
    if (!is_toml) return refused(settings::tell(output_, read.mistakes.front()) + "; correct it, or remove the file");
    for (const auto& question : questions) {
      const auto mistake = mistake_of(*text, dotted(question));
      const bool is_open = mistake == "is required" || !read.given.contains(dotted(question));
      if (!is_open && !answers_.force)
        return refused(output_ + " has settings already (" + dotted(question) +
                       "): `vtmirror config check --online` proves them, --force replaces them");
    }
    text_ = std::move(*text);
    return {};
  }

  /// What the file's check says of the key; empty if it is content.
  static std::string mistake_of(const std::string& text, const std::string& key) {
    for (const auto& mistake : settings::read_config(text).mistakes)
      if (mistake.key == key) return mistake.what;
    return {};
  }

  static std::string absolute(const std::string& path) {
    return std::filesystem::absolute(path).lexically_normal().string();
  }

  Result<void> put_checked(std::string_view table, std::string_view key, const std::string& value,
                           std::string_view option) {
    auto changed = settings::with_value(text_, table, key, value);
    if (changed && is_plain_loopback(value)) changed = settings::with_flag(*changed, "service", "allow_http", true);
    if (!changed) return refused(output_ + ": " + changed.error().detail);
    const auto mistake = mistake_of(*changed, std::string(table) + '.' + std::string(key));
    if (!mistake.empty()) return refused(std::string(option) + ": " + mistake);
    text_ = std::move(*changed);
    return {};
  }

  /// Plain http is for a service on this machine, as the bundled one.
  static bool is_plain_loopback(const std::string& value) {
    const auto url = base::parse_url(value);
    return url && !url->tls && base::is_loopback(url->host);
  }

  Result<void> answer(const Question& question) {
    if (const auto& given = answers_.*question.given)
      return put_checked(question.table, question.key, *given, question.option);
    for (;;) {
      auto typed = terminal::typed_line(STDIN_FILENO, std::string(question.prompt));
      if (!typed) return nothing_written(typed.error());
      const auto put = put_checked(question.table, question.key, *typed, "this");
      if (put) return put;
      std::cerr << "  " << put.error().detail << '\n';
    }
  }

  static Error nothing_written(const Error& error) { return {error.code, error.detail + ": nothing was written"}; }

  Result<void> read_secret(std::size_t i) {
    const auto& wanted = secrets.at(i);
    if (const auto& given = answers_.*wanted.given) {
      auto secret = settings::read_secret({.path = absolute(*given), .set = true, .exists = true});
      if (!secret) return refused(std::string(wanted.option) + ": " + secret.error().detail);
      secrets_.at(i) = std::move(*secret);
      return {};
    }
    for (;;) {
      auto typed = terminal::typed_secret(STDIN_FILENO, wanted.prompt);
      if (typed) {
        secrets_.at(i) = std::move(*typed);
        return {};
      }
      if (typed.error().code == Errc::cancelled) return Error{Errc::cancelled, "stopped: nothing was written"};
      std::cerr << "  " << typed.error().detail << '\n';
    }
  }

  Result<void> write() {
    const auto directory = std::filesystem::path(output_).parent_path().string();
    if (auto made = settings::make_directory(directory); !made) return made;
    for (std::size_t i = 0; i < secrets.size(); ++i)
      if (auto kept = keep_secret(i, directory); !kept) return kept;
    if (auto written = settings::replace_file(output_, text_, is_service_ ? 0644 : 0600); !written) return written;
    std::cerr << "vtmirror: wrote " << output_ << '\n';
    return {};
  }

  /// The service gets its secrets from systemd. Without it, the settings name their files.
  Result<void> keep_secret(std::size_t i, const std::string& directory) {
    const auto& kept = secrets.at(i);
    const auto name = std::string(kept.name);
    const auto& given = answers_.*kept.given;
    auto place = given ? absolute(*given) : directory + '/' + name;
    if (is_service_) {
      if (auto made = settings::make_directory(credential_store); !made) return made;
      place = std::string(credential_store) + "/vtmirror." + name;
    }
    if (is_service_ || !given) {
      if (auto written = settings::replace_file(place, secrets_.at(i).reveal() + '\n', 0600); !written) return written;
      std::cerr << "vtmirror: wrote " << place << '\n';
    }
    if (is_service_) return {};
    auto changed = settings::with_value(text_, "credentials", name + "_file", place);
    if (!changed) return refused(output_ + ": " + changed.error().detail);
    text_ = std::move(*changed);
    return {};
  }

  ExitStatus prove_written() {
    auto read = settings::load_config(output_, environment_);
    if (!read) return end(read.error());
    for (const auto& mistake : read->mistakes) std::cerr << settings::tell(output_, mistake) << '\n';
    if (!read->mistakes.empty()) return wrong;
    settings::resolve_paths(read->config, environment_);
    wiring::Secrets used;
    used.client_secret.secret = secrets_.at(0);
    used.api_key = secrets_.at(1);
    const auto proven = prove(arguments_, read->config, used, environment_);
    auto found = environment_("VTMIRROR_CONFIG").value_or("");
    if (found.empty()) found = settings::default_settings_file(environment_, ::geteuid() == 0);
    const auto options = found == output_ ? std::string() : " --config " + output_;
    if (proven != done) {
      std::cerr << "vtmirror: the settings are in " << output_ << "; when that is put right, run `vtmirror" << options
                << " config check --online`\n";
    } else if (is_service_) {
      std::cerr << "vtmirror: the settings are right; start the service with `sudo systemctl restart vtmirror`\n";
    } else {
      std::cerr << "vtmirror: the settings are right; `vtmirror" << options << " sync` downloads the files now, "
                << "`vtmirror" << options << " run` keeps them in step\n";
    }
    return proven;
  }

  const Arguments& arguments_;
  const InitAnswers& answers_;
  const settings::Environment& environment_;
  bool asks_;
  std::string output_;
  bool is_service_;  ///< of the package: its secrets are credentials of systemd
  std::string text_;
  std::array<base::Secret, secrets.size()> secrets_;
};

}  // namespace

ExitStatus init_config(const Arguments& arguments, const settings::Environment& environment) {
  wiring::forbid_core_dumps();
  ::umask(077);
  return Initialisation(arguments, environment).run();
}

}  // namespace vtmirror::cli
