#include "vtmirror/mirror/secrets.hpp"

#include "mirror/issues.hpp"
#include "mirror/tree.hpp"
#include "vtmirror/base/encoding.hpp"

#include <openssl/evp.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <utility>

namespace vtmirror::mirror {
namespace {

using base::Descriptor;
using base::error_of;
using base::Result;
using base::uninterrupted;
using core::SecretIssue;

constexpr char issues_file[] = "client_secret.issues";
constexpr char new_issues_file[] = "client_secret.issues.new";
constexpr char key_file[] = "fingerprint.key";
constexpr char lock_file[] = "secret.lock";
constexpr mode_t ours = 0600;
constexpr std::size_t longest_secret = 4096;
constexpr std::size_t largest_text = 64 << 10;
constexpr std::size_t key_size = 32;
constexpr std::size_t most_issues = 16;

class FileTurn final : public ports::Secrets::Turn {
 public:
  explicit FileTurn(Descriptor file) : file_(std::move(file)) {}

 private:
  Descriptor file_;
};

/// Files that root creates must belong to the daemon's user.
int give_to_owner(const Tree& tree, const Descriptor& file) {
  struct stat directory {};
  if (::geteuid() != 0) return 0;
  if (::fstat(tree.root().get(), &directory) != 0) return errno;
  return error_of(::fchown(file.get(), directory.st_uid, directory.st_gid));
}

Result<Descriptor> open_ours(const Tree& tree, std::string_view name, int flags) {
  auto file = tree.open(name, flags | O_CREAT, ours);
  if (!file) return file.error();
  int error = error_of(::fchmod(file->get(), ours));
  if (error == 0) error = give_to_owner(tree, *file);
  if (error != 0) return failure(error, name, "open");
  return file;
}

int write_at_start(const Descriptor& file, std::string_view text) {
  off_t at = 0;
  while (!text.empty()) {
    const auto written = uninterrupted([&] { return ::pwrite(file.get(), text.data(), text.size(), at); });
    if (written < 0) return errno;
    at += written;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

/// Written in place: a process that is killed half-way leaves the secret under its name, followed by zeros.
Result<void> fill(const Tree& tree, std::string_view name, std::string_view text, std::size_t length) {
  auto file = open_ours(tree, name, O_WRONLY);
  if (!file) return file.error();
  int error = write_at_start(*file, text);
  if (error == 0) error = error_of(uninterrupted([&] { return ::ftruncate(file->get(), static_cast<off_t>(length)); }));
  if (error == 0) error = error_of(uninterrupted([&] { return ::fsync(file->get()); }));
  if (error == 0) error = sync_directory(tree.root());
  if (error != 0) return failure(error, name, "write");
  return {};
}

/// The file's contents up to a zero byte; empty if there is no file. A file that others may access is refused.
Result<std::string> read_ours(const Tree& tree, std::string_view name) {
  const Opened file = tree.try_open(name, O_RDONLY);
  if (file.error == ENOENT) return std::string();
  if (file.error != 0) return failure(file.error, name, "open");
  struct stat status {};
  if (::fstat(file.descriptor.get(), &status) != 0) return failure(errno, name, "read");
  if ((status.st_mode & 077) != 0)
    return base::Error{base::Errc::config, std::string(name) + " in the state directory can be read or changed by " +
                                               "others: chmod 600 it"};
  std::string text(largest_text, '\0');
  const auto got = uninterrupted([&] { return ::pread(file.descriptor.get(), text.data(), text.size(), 0); });
  if (got < 0) {
    base::wipe(text);
    return failure(errno, name, "read");
  }
  text.resize(static_cast<std::size_t>(got));
  return text;
}

class StateSecrets final : public ports::Secrets {
 public:
  StateSecrets(std::string directory, bool only_looks) : directory_(std::move(directory)), only_looks_(only_looks) {}

  Result<std::unique_ptr<Turn>> acquire_turn() override;
  Result<std::string> fingerprint(const base::Secret& text) override;
  Result<void> make_room() override;
  Result<void> keep_new(const base::Secret& secret) override;
  Result<void> keep_issue(const SecretIssue& issue) override;
  Result<std::optional<base::Secret>> unproved() override;
  Result<void> drop_new() override;
  Result<void> adopt(const SecretIssue& issue) override;
  Result<std::vector<SecretIssue>> issues() override;
  Result<void> keep_given(const std::string& fingerprint, const std::string& given) override;

 private:
  Result<Tree> tree() const { return only_looks_ ? Tree::look(directory_) : Tree::open_root(directory_); }
  Result<base::Secret> key();
  Result<base::Secret> passing_key();
  static Result<void> write_issues(const Tree& tree, std::vector<SecretIssue> issues);
  Result<void> add(const Tree& tree, const SecretIssue& issue);

  std::string directory_;
  bool only_looks_;
  std::optional<base::Secret> passing_key_;  ///< made by a process that only looks, and stored nowhere
};

Result<base::Secret> fresh_key() {
  std::string fresh(key_size, '\0');
  if (::getrandom(fresh.data(), fresh.size(), 0) != static_cast<ssize_t>(fresh.size()))
    return failure(errno, key_file, "make");
  return base::Secret(std::move(fresh));
}

Result<std::unique_ptr<ports::Secrets::Turn>> StateSecrets::acquire_turn() {
  const auto opened = tree();
  if (!opened) return opened.error();
  auto file = open_ours(*opened, lock_file, O_RDWR);
  if (!file) return file.error();
  const int error = error_of(uninterrupted([&] { return ::flock(file->get(), LOCK_EX | LOCK_NB); }));
  if (error == EWOULDBLOCK)
    return base::Error{base::Errc::locked, "being changed by another process: wait for it to end"};
  if (error != 0) return failure(error, lock_file, "lock");
  return std::unique_ptr<Turn>(std::make_unique<FileTurn>(std::move(*file)));
}

/// Two processes that need the first key at once must agree on one: it is created under a lock.
Result<base::Secret> StateSecrets::key() {
  const auto opened = tree();
  if (!opened) return opened.error();
  auto text = read_ours(*opened, key_file);
  if (!text) return text.error();
  if (text->size() == key_size) return base::Secret(std::move(*text));
  if (only_looks_) return passing_key();
  const auto file = open_ours(*opened, key_file, O_RDWR);
  if (!file) return file.error();
  const int error = error_of(uninterrupted([&] { return ::flock(file->get(), LOCK_EX); }));
  if (error != 0) return failure(error, key_file, "lock");
  text = read_ours(*opened, key_file);
  if (!text) return text.error();
  if (text->size() == key_size) return base::Secret(std::move(*text));
  auto made = fresh_key();
  if (!made) return made.error();
  if (auto written = fill(*opened, key_file, made->reveal(), key_size); !written) return written.error();
  return made;
}

Result<base::Secret> StateSecrets::passing_key() {
  if (!passing_key_) {
    auto made = fresh_key();
    if (!made) return made.error();
    passing_key_ = std::move(*made);
  }
  return *passing_key_;
}

Result<std::string> StateSecrets::fingerprint(const base::Secret& text) {
  const auto with = key();
  if (!with) return with.error();
  std::array<unsigned char, 32> digest{};
  std::size_t length = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.reveal().data());
  const auto* made = EVP_Q_mac(nullptr, "HMAC", nullptr, "SHA256", nullptr, with->reveal().data(), key_size, bytes,
                               text.reveal().size(), digest.data(), digest.size(), &length);
  if (made == nullptr) return base::Error{base::Errc::io, "cannot compute a keyed digest"};
  return base::hex({reinterpret_cast<const char*>(digest.data()), length / 2});
}

Result<void> StateSecrets::make_room() {
  const auto opened = tree();
  if (!opened) return opened.error();
  return fill(*opened, unproved_secret, std::string(longest_secret, '\0'), longest_secret);
}

Result<void> StateSecrets::keep_new(const base::Secret& secret) {
  const auto opened = tree();
  if (!opened) return opened.error();
  return fill(*opened, unproved_secret, secret.reveal(), secret.reveal().size());
}

Result<void> StateSecrets::keep_issue(const SecretIssue& issue) {
  const auto opened = tree();
  if (!opened) return opened.error();
  return add(*opened, issue);
}

Result<std::optional<base::Secret>> StateSecrets::unproved() {
  const auto opened = tree();
  if (!opened) return opened.error();
  auto text = read_ours(*opened, unproved_secret);
  if (!text) return text.error();
  text->resize(std::min(text->find('\0'), text->size()));
  base::Secret secret(std::move(*text));
  if (secret.empty()) return std::optional<base::Secret>();
  return std::optional(std::move(secret));
}

Result<void> StateSecrets::drop_new() {
  const auto opened = tree();
  if (!opened) return opened.error();
  const auto removed = opened->remove(unproved_secret);
  if (!removed) return removed.error();
  return {};
}

Result<void> StateSecrets::adopt(const SecretIssue& issue) {
  const auto opened = tree();
  if (!opened) return opened.error();
  // The record is added before the rename: a kept secret without a record is ignored if a secret is given, so the one
  // that it replaces would be used again.
  if (auto added = add(*opened, issue); !added) return added;
  return opened->rename(unproved_secret, kept_secret);
}

Result<std::vector<SecretIssue>> StateSecrets::issues() {
  const auto opened = tree();
  if (!opened) return opened.error();
  const auto text = read_ours(*opened, issues_file);
  if (!text) return text.error();
  return read_issues(*text);
}

Result<void> StateSecrets::keep_given(const std::string& fingerprint, const std::string& given) {
  auto known = issues();
  if (!known) return known.error();
  const auto opened = tree();
  if (!opened) return opened.error();
  for (auto& issue : *known)
    if (issue.fingerprint == fingerprint && !issue.given) issue.given = given;
  return write_issues(*opened, std::move(*known));
}

Result<void> StateSecrets::add(const Tree& tree, const SecretIssue& issue) {
  auto known = issues();
  if (!known) return known.error();
  const auto same = [&](const SecretIssue& each) { return each.fingerprint == issue.fingerprint; };
  if (std::any_of(known->begin(), known->end(), same)) return {};
  known->push_back(issue);
  if (known->size() > most_issues) known->erase(known->begin());
  return write_issues(tree, std::move(*known));
}

Result<void> StateSecrets::write_issues(const Tree& tree, std::vector<SecretIssue> issues) {
  const auto text = issues_text(issues);
  if (auto written = fill(tree, new_issues_file, text, text.size()); !written) return written;
  return tree.rename(new_issues_file, issues_file);
}

}  // namespace

std::unique_ptr<ports::Secrets> open_secrets(std::string state_directory) {
  return std::make_unique<StateSecrets>(std::move(state_directory), false);
}

std::unique_ptr<ports::Secrets> look_at_secrets(std::string state_directory) {
  return std::make_unique<StateSecrets>(std::move(state_directory), true);
}

}  // namespace vtmirror::mirror
