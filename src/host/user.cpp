#include "vtmirror/host/user.hpp"

#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/core/shortage.hpp"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <vector>

namespace vtmirror::host {
namespace {

constexpr mode_t private_to_the_group = 0750;

/// A shortage, a full disk or a disk's error may pass. Everything else lasts until somebody changes something.
base::Error failure(const std::string& what, int error) {
  const auto code = base::is_full(error)    ? base::Errc::no_space
                    : base::may_pass(error) ? base::Errc::io
                                            : base::Errc::config;
  return {.code = code,
          .detail = what + ": " + std::generic_category().message(error),
          .diagnosis = core::lack_of_files(error)};
}

/// `find` is getpwnam_r or getpwuid_r, with its key. Several numbers besides ENOENT mean that there is no account.
template <class Find>
base::Result<std::optional<User>> look_up(const std::string& what, Find find) {
  std::vector<char> texts(1024);
  passwd entry{};
  passwd* found = nullptr;
  int error = find(&entry, texts, &found);
  while (error == ERANGE) {
    texts.resize(texts.size() * 2);
    error = find(&entry, texts, &found);
  }
  if (found != nullptr)
    return std::optional(User{entry.pw_uid, entry.pw_gid, entry.pw_name, entry.pw_dir, entry.pw_shell});
  const bool none = error == 0 || error == ENOENT || error == ESRCH || error == EBADF || error == EPERM;
  if (!none) return failure("cannot look up " + what, error);
  return std::optional<User>();
}

/// A variable that leads to a directory in which the new user may not write.
void drop_unusable(const char* variable) {
  const char* place = std::getenv(variable);
  if (place != nullptr && ::access(place, W_OK | X_OK) != 0) ::unsetenv(variable);
}

void set_surroundings(const User& user) {
  const auto name = name_of(user);
  ::setenv("HOME", user.home.c_str(), 1);
  ::setenv("USER", name.c_str(), 1);
  ::setenv("LOGNAME", name.c_str(), 1);
  ::setenv("SHELL", user.shell.c_str(), 1);
  for (const auto* variable : {"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "MAIL"})
    ::unsetenv(variable);
  for (const auto* variable : {"XDG_RUNTIME_DIR", "TMPDIR"}) drop_unusable(variable);
  // Programs such as find(1) fail if they cannot return to the working directory.
  if (::access(".", R_OK | X_OK) != 0) static_cast<void>(::chdir("/") == 0);
}

int set_groups(const User& user) {
  const int set = user.name.empty() ? ::setgroups(1, &user.group) : ::initgroups(user.name.c_str(), user.group);
  return base::error_of(set);
}

bool is(const User& user) {
  std::array<uid_t, 3> users{};
  std::array<gid_t, 3> groups{};
  if (::getresuid(&users[0], &users[1], &users[2]) != 0 || ::getresgid(&groups[0], &groups[1], &groups[2]) != 0)
    return false;
  for (const auto id : users)
    if (id != user.id) return false;
  for (const auto id : groups)
    if (id != user.group) return false;
  return true;
}

}  // namespace

std::string name_of(const User& user) {
  return user.name.empty() ? std::to_string(user.id) : base::printable(user.name);
}

base::Result<std::optional<User>> user_named(const std::string& name) {
  return look_up("user " + base::printable(name), [&](passwd* entry, std::vector<char>& texts, passwd** found) {
    return ::getpwnam_r(name.c_str(), entry, texts.data(), texts.size(), found);
  });
}

base::Result<std::optional<User>> owner_of(const std::string& directory) {
  struct stat status {};
  if (::stat(directory.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::optional<User>();
    return failure(directory, errno);
  }
  auto user =
      look_up("user " + std::to_string(status.st_uid), [&](passwd* entry, std::vector<char>& texts, passwd** found) {
        return ::getpwuid_r(status.st_uid, entry, texts.data(), texts.size(), found);
      });
  if (user && !*user) return std::optional(User{.id = status.st_uid, .group = status.st_gid});
  return user;
}

base::Result<void> make_directory_for(const User& user, const std::string& directory) {
  const auto refused = [&](int error) { return failure(directory + ": cannot make the directory", error); };
  // Root's alone until it has its owner, who then finds it with the right mode.
  if (::mkdir(directory.c_str(), 0700) != 0) return refused(errno);
  const base::Descriptor made(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!made.valid() || ::fchmod(made.get(), private_to_the_group) != 0) return refused(errno);
  if (::fchown(made.get(), user.id, user.group) != 0) return refused(errno);
  if (const int error = base::sync_directory(made); error != 0) return refused(error);
  if (const int error = base::sync_above(directory); error != 0) return refused(error);
  return {};
}

base::Result<void> become_user(const User& user) {
  const auto what = "cannot become user " + name_of(user);
  // Root's group would be kept: of a user without an account, a directory's group is all that is known.
  if (user.name.empty() && user.group == 0) return failure(what + ": its group is root's", EPERM);
  if (const int error = set_groups(user); error != 0) return failure(what + ": its groups", error);
  if (::setgid(user.group) != 0) return failure(what + ": its group", errno);
  if (::setuid(user.id) != 0) return failure(what, errno);
  if (!is(user) || (user.id != 0 && ::setuid(0) == 0)) return failure(what, EPERM);
  set_surroundings(user);
  return {};
}

std::optional<int> access_error(const User& user, const std::string& file, int mode) {
  constexpr int not_known = 255;
  const pid_t child = ::fork();
  if (child < 0) return std::nullopt;
  if (child == 0) ::_exit(!become_user(user) ? not_known : ::access(file.c_str(), mode) == 0 ? 0 : errno);
  int status = 0;
  if (base::uninterrupted([&] { return ::waitpid(child, &status, 0); }) != child || !WIFEXITED(status))
    return std::nullopt;
  return WEXITSTATUS(status) == not_known ? std::nullopt : std::optional(WEXITSTATUS(status));
}

}  // namespace vtmirror::host
