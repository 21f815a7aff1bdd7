#include "vtmirror/settings/secret_in_use.hpp"

#include "vtmirror/mirror/secrets.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace vtmirror::settings {
namespace {

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return a == b || std::filesystem::equivalent(a, b, error);
}

/// The files among which the secret is chosen.
struct Places {
  SecretFile given;  ///< from the settings or from systemd; `exists` is false if there is none
  SecretFile kept;
};

Places places_of(const Config& config, const Environment& environment) {
  Places places;
  places.given = find_secret(config, client_secret, environment);
  places.kept = kept_secret(config);
  // If nothing is set and systemd passes none, both searches find the state directory's file.
  if (is_same_file(places.given.path, places.kept.path)) {
    places.kept.set = places.given.set;
    places.kept.looked_in = std::exchange(places.given, {}).looked_in;
  }
  return places;
}

std::optional<core::SecretIssue> issue_of(const std::vector<core::SecretIssue>& issues, const std::string& print) {
  const auto found =
      std::find_if(issues.begin(), issues.end(), [&](const auto& each) { return each.fingerprint == print; });
  return found == issues.end() ? std::nullopt : std::optional(*found);
}

/// Without systemd's directory, it is unknown whether systemd passes a secret to the daemon.
std::optional<std::string> none_given(const Config& config, const Environment& environment) {
  const bool known = !config.credentials.client_secret_file.empty() || !credentials_directory(environment).empty();
  return known ? std::optional<std::string>("") : std::nullopt;
}

base::Result<SecretInUse> read_one(const SecretFile& file, ports::Secrets& secrets) {
  auto secret = read_secret(file);
  if (!secret) return secret.error();
  auto fingerprint = secrets.fingerprint(*secret);
  if (!fingerprint) return fingerprint.error();
  SecretInUse in_use;
  in_use.secret = std::move(*secret);
  in_use.file = file;
  in_use.fingerprint = std::move(*fingerprint);
  return in_use;
}

}  // namespace

base::Result<SecretInUse> secret_in_use(const Config& config, const Environment& environment, ports::Secrets& secrets) {
  const auto places = places_of(config, environment);
  if (!places.given.exists && !places.kept.exists)
    return read_secret(places.given.looked_in.empty() ? places.kept : places.given).error();
  const auto issues = secrets.issues();
  if (!issues) return issues.error();
  // A file without a record was not written by a rotation: it is ignored if a secret is given.
  const bool may_be_kept = places.kept.exists && (!places.given.exists || !issues->empty());
  if (!may_be_kept) {
    auto in_use = read_one(places.given, secrets);
    if (!in_use) return in_use.error();
    in_use->given = in_use->fingerprint;
    in_use->why = places.given.set ? "it is set in the settings" : "systemd provides it";
    return in_use;
  }
  auto kept = read_one(places.kept, secrets);
  if (!kept) return kept.error();
  kept->kept = true;
  kept->issue = issue_of(*issues, kept->fingerprint);
  if (!places.given.exists) {
    kept->given = none_given(config, environment);
    kept->why = "there is no other";
    return kept;
  }
  auto given = read_one(places.given, secrets);
  if (!given) return given.error();
  auto choice = core::choose_secret(given->fingerprint, kept->fingerprint, kept->issue);
  auto& chosen = choice.which == core::WhichSecret::kept ? *kept : *given;
  chosen.given = given->fingerprint;
  chosen.issue = issue_of(*issues, chosen.fingerprint);
  chosen.why = std::move(choice.why);
  return std::move(chosen);
}

base::Result<void> keep_given(SecretInUse& in_use, ports::Secrets& secrets) {
  if (!in_use.issue || in_use.issue->given) return {};
  in_use.issue->given = in_use.given.value_or("");
  return secrets.keep_given(in_use.fingerprint, *in_use.issue->given);
}

base::Result<std::string> credential_fingerprint(const Config& config, const base::Secret& secret,
                                                 ports::Secrets& secrets) {
  std::string text;
  text.reserve(config.credentials.client_id.size() + 1 + secret.reveal().size());
  text += config.credentials.client_id;
  text += '\n';
  text += secret.reveal();
  return secrets.fingerprint(base::Secret(std::move(text)));
}

}  // namespace vtmirror::settings
