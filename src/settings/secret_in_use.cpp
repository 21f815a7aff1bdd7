#include "vtmirror/settings/secret_in_use.hpp"

#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/core/shortage.hpp"
#include "vtmirror/core/token.hpp"
#include "vtmirror/mirror/secrets.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace vtmirror::settings {
namespace {

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return a == b || std::filesystem::equivalent(a, b, error);
}

std::optional<core::SecretIssue> issue_of(const std::vector<core::SecretIssue>& issues, const std::string& print) {
  const auto found =
      std::find_if(issues.begin(), issues.end(), [&](const auto& each) { return each.fingerprint == print; });
  return found == issues.end() ? std::nullopt : std::optional(*found);
}

/// Without systemd's directory, it is unknown whether systemd passes a secret to the daemon.
bool knows_given(const Config& config, const Environment& environment) {
  return !config.credentials.client_secret_file.empty() || !credentials_directory(environment).empty();
}

ReadSecret read(SecretFile file) {
  auto secret = read_secret(file);
  return {std::move(file), std::move(secret)};
}

base::Result<SecretInUse> use(const ReadSecret& read, ports::Secrets& secrets) {
  if (!read.secret) return read.secret.error();
  auto fingerprint = secrets.fingerprint(*read.secret);
  if (!fingerprint) return fingerprint.error();
  SecretInUse in_use;
  in_use.secret = *read.secret;
  in_use.file = read.file;
  in_use.fingerprint = std::move(*fingerprint);
  return in_use;
}

}  // namespace

SecretFiles read_secret_files(const Config& config, const Environment& environment) {
  auto given = find_secret(config, client_secret, environment);
  auto kept = kept_secret(config);
  // If nothing is set and systemd passes none, both searches find the state directory's file.
  if (is_same_file(given.path, kept.path)) {
    kept.set = given.set;
    kept.looked_in = std::exchange(given, {}).looked_in;
  }
  return {.given = read(std::move(given)),
          .kept = read(std::move(kept)),
          .key = read(find_secret(config, api_key, environment)),
          .knows_given = knows_given(config, environment)};
}

base::Result<SecretInUse> secret_in_use(const SecretFiles& files, ports::Secrets& secrets) {
  if (!files.given.file.exists && !files.kept.file.exists)
    return (files.given.file.looked_in.empty() ? files.kept : files.given).secret.error();
  const auto issues = secrets.issues();
  if (!issues) return issues.error();
  // A file without a record was not written by a rotation: it is ignored if a secret is given.
  const bool may_be_kept = files.kept.file.exists && (!files.given.file.exists || !issues->empty());
  if (!may_be_kept) {
    auto in_use = use(files.given, secrets);
    if (!in_use) return in_use.error();
    in_use->given = in_use->fingerprint;
    in_use->why = files.given.file.set ? "it is set in the settings" : "systemd provides it";
    return in_use;
  }
  auto kept = use(files.kept, secrets);
  if (!kept) return kept.error();
  kept->kept = true;
  kept->issue = issue_of(*issues, kept->fingerprint);
  if (!files.given.file.exists) {
    kept->given = files.knows_given ? std::optional<std::string>("") : std::nullopt;
    kept->why = "there is no other";
    return kept;
  }
  auto given = use(files.given, secrets);
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

namespace {

constexpr std::size_t longest_secret = 4096;
constexpr char daemons_credentials[] = "/run/credentials/vtmirror.service";

/// Whether the state directory is, or will be, that of a service that is another user: root's own mirror has nothing to
/// do with the secrets of a service.
bool is_of_a_service(const Config& config) {
  struct stat status {};
  const auto& place = config.mirror.state_directory;
  if (::stat(place.c_str(), &status) != 0) return place == default_state_directory;
  return status.st_uid != 0;
}

/// Where a secret is searched for that no setting names, in order.
std::vector<std::string> places_of(const Config& config, std::string_view name, const std::string& credentials) {
  std::vector<std::string> places;
  // While the daemon does not run, root reads the secrets where systemd would.
  if (!credentials.empty())
    places.push_back(credentials + '/' + std::string(name));
  else if (::geteuid() == 0 && is_of_a_service(config))
    places.push_back(stored_credential(name));
  places.push_back(config.mirror.state_directory + '/' + std::string(name));
  return places;
}

base::Error refusal(const std::string& path, const std::string& why) {
  return {base::Errc::config, "the file " + path + ' ' + why};
}

/// A disk's error or a shortage is no mistake of the settings. The error's subject is the file.
base::Error unread(const std::string& path, int number) {
  auto error = refusal(path, std::string("cannot be read: ") + std::strerror(number));
  if (!base::may_pass(number)) return error;
  error.code = base::Errc::io;
  error.diagnosis = core::lack_of_files(number);
  error.subject = path;
  return error;
}

/// In a container a secret is often another user's, or on a mount that is read-only.
bool may_change_mode(const struct stat& status, int fd) {
  struct statvfs place {};
  if (::fstatvfs(fd, &place) == 0 && (place.f_flag & ST_RDONLY) != 0) return false;
  return ::geteuid() == 0 || ::geteuid() == status.st_uid;
}

base::Error refusal_of_open_secret(const std::string& path, bool may_change) {
  const auto remedy = may_change ? "chmod 600 " + path
                                 : "give it to user " + std::to_string(::geteuid()) +
                                       " with mode 0400; in a container, set uid and mode in the secret's definition";
  return refusal(path, "can be read or changed by others; a secret must be private: " + remedy);
}

base::Result<void> check_file(const SecretFile& file, int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return unread(file.path, errno);
  if (!S_ISREG(status.st_mode)) return refusal(file.path, "is not a regular file");
  const mode_t others = file.from_systemd ? 007 : 077;
  if ((status.st_mode & others) != 0) return refusal_of_open_secret(file.path, may_change_mode(status, fd));
  if (status.st_size > static_cast<off_t>(longest_secret)) return refusal(file.path, "is larger than 4 KiB");
  return {};
}

/// Reads at most one byte more than a secret may have, to detect a longer one.
base::Result<std::string> read_all(const std::string& path, int fd) {
  std::string text(longest_secret + 1, '\0');
  std::size_t length = 0;
  while (length < text.size()) {
    const auto count = ::read(fd, text.data() + length, text.size() - length);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int number = errno;
      base::wipe(text);
      return unread(path, number);
    }
    if (count == 0) break;
    length += static_cast<std::size_t>(count);
  }
  // Shrinks in place, so that no copy of the secret stays in another buffer.
  text.resize(length);
  return text;
}

void drop_newline(std::string& text) {
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
}

bool lies_in(const std::string& path, const std::string& directory) {
  const auto relative = std::filesystem::path(path).lexically_normal().lexically_relative(
      std::filesystem::path(directory).lexically_normal());
  return !directory.empty() && !relative.empty() && *relative.begin() != "..";
}

bool exists(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 || errno != ENOENT;
}

std::string missing(const SecretFile& file) {
  std::string places;
  for (const auto& place : file.looked_in) places += (places.empty() ? "" : " nor ") + place;
  return file.looked_in.size() > 1 ? "there is neither " + places : "there is no " + places;
}

}  // namespace

std::string stored_credential(std::string_view name) { return "/etc/credstore/vtmirror." + std::string(name); }

std::string credentials_directory(const Environment& environment) {
  if (const auto set = environment("CREDENTIALS_DIRECTORY"); set && !set->empty()) return *set;
  return ::access(daemons_credentials, R_OK | X_OK) == 0 ? daemons_credentials : "";
}

SecretFile kept_secret(const Config& config) {
  SecretFile file;
  file.path = config.mirror.state_directory + '/' + std::string(client_secret);
  file.exists = exists(file.path);
  file.looked_in.push_back(file.path);
  return file;
}

SecretFile find_secret(const Config& config, std::string_view name, const Environment& environment) {
  const auto& setting = name == client_secret ? config.credentials.client_secret_file : config.credentials.api_key_file;
  const auto credentials = credentials_directory(environment);
  SecretFile file;
  file.set = !setting.empty();
  file.looked_in = file.set ? std::vector{setting} : places_of(config, name, credentials);
  const auto found = std::find_if(file.looked_in.begin(), file.looked_in.end(), exists);
  file.exists = found != file.looked_in.end();
  file.path = file.exists ? *found : file.looked_in.back();
  file.from_systemd = lies_in(file.path, credentials);
  return file;
}

base::Result<base::Secret> read_secret(const SecretFile& file) {
  if (!file.exists) return base::Error{base::Errc::config, missing(file)};
  // Without O_NONBLOCK, opening a pipe would block before it can be refused.
  const base::Descriptor descriptor(::open(file.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (descriptor.get() < 0) return unread(file.path, errno);
  if (auto checked = check_file(file, descriptor.get()); checked.has_error()) return checked.error();
  auto text = read_all(file.path, descriptor.get());
  if (text.has_error()) return text.error();
  drop_newline(*text);
  const std::string wrong(core::secret_fault(*text));
  base::Secret secret(std::move(*text));
  if (!wrong.empty()) return refusal(file.path, wrong);
  return secret;
}

}  // namespace vtmirror::settings
