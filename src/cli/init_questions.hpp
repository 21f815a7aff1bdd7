// What `vtmirror config init` asks for, in order: a row for each setting and for each secret. Also an answer
// in the text of a settings file, and what is wrong with it there. Never writes a file.
#pragma once

#include "cli/arguments.hpp"
#include "vtmirror/base/result.hpp"
#include "vtmirror/settings/secret_in_use.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace vtmirror::cli {

enum class Wanted { required, optional };

/// One of the settings that a registration gives.
struct Question {
  std::string_view table;
  std::string_view key;
  std::optional<std::string> InitAnswers::*given;
  std::string_view option;
  std::string_view prompt;
  Wanted wanted = Wanted::required;

  std::string path() const { return std::string(table) + '.' + std::string(key); }
};
inline constexpr std::array questions{
    Question{"service", "base_url", &InitAnswers::base_url, "--base-url", "Address of the service (https://...): "},
    Question{"service", "token_url", &InitAnswers::token_url, "--token-url",
             "Address for access tokens (https://.../token): "},
    Question{"service", "scope", &InitAnswers::scope, "--scope", "Scope (ends in .default): "},
    Question{"credentials", "client_id", &InitAnswers::client_id, "--client-id", "Client ID: "},
    Question{"credentials", "email", &InitAnswers::email, "--email",
             "E-mail address of the registration, to renew the secret (Enter skips): ", Wanted::optional},
};

/// One of the two secrets.
struct SecretQuestion {
  std::string_view name;  ///< as for `settings::find_secret`
  std::optional<std::string> InitAnswers::*given;
  std::string_view option;
  const char* prompt;
};
inline constexpr std::array secret_questions{
    SecretQuestion{settings::client_secret, &InitAnswers::client_secret_file, "--client-secret-file",
                   "Client secret (not shown): "},
    SecretQuestion{settings::api_key, &InitAnswers::api_key_file, "--api-key-file", "API key (not shown): "},
};

/// `toml` with the value, as settings/edit.hpp sets it. The address of a service on this machine without TLS also sets
/// service.allow_http. Errors: config.
base::Result<std::string> with_answer(std::string_view toml, std::string_view table, std::string_view key,
                                      const std::string& value);

/// What the file's check says of the key, such as "service.scope"; empty if it accepts the value.
std::string mistake_of(const std::string& toml, const std::string& key);

}  // namespace vtmirror::cli
