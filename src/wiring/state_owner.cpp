#include "vtmirror/wiring/state_owner.hpp"

#include "vtmirror/host/user.hpp"
#include "vtmirror/settings/load.hpp"
#include "vtmirror/wiring/machine.hpp"

#include <unistd.h>

namespace vtmirror::wiring {
namespace {

/// The package's user (systemd/vtmirror.sysusers).
constexpr char daemons_user[] = "vtmirror";

constexpr char check_it[] = "check this directory, or set another mirror.state_directory";
constexpr char key[] = "mirror.state_directory";

/// What may pass is no mistake of the settings.
base::Error refused(const base::Error& error, const std::string& advice) {
  if (error.code != base::Errc::config) return {error.code, key + (" could not be used: " + error.detail)};
  return {base::Errc::config, key + (" cannot be used: " + error.detail + "\n" + advice)};
}

/// Empty if root itself is the owner, or will be.
base::Result<std::optional<host::User>> find_or_make_owner(const std::string& directory, Missing missing) {
  auto owner = host::owner_of(directory);
  if (!owner || *owner || directory != settings::default_state_directory) return owner;
  auto user = host::user_named(daemons_user);
  if (!user || !*user || missing == Missing::left) return user;
  if (auto made = host::make_directory_for(**user, directory); !made) return made.error();
  return user;
}

}  // namespace

base::Result<std::optional<std::string>> become_state_owner(const std::string& state_directory, Missing missing) {
  if (::geteuid() != 0) return std::optional<std::string>();
  const auto owner = find_or_make_owner(state_directory, missing);
  if (!owner) return refused(owner.error(), check_it);
  if (!*owner || (*owner)->id == 0) return std::optional<std::string>();
  const auto name = host::name_of(**owner);
  if (const auto became = host::become_user(**owner); !became)
    return refused(became.error(), state_directory + " belongs to user " + name + ": run this command as that user");
  // The kernel allows them again when a process changes its user.
  forbid_core_dumps();
  return std::optional(name);
}

base::Result<std::optional<host::User>> user_of_state(const std::string& state_directory) {
  if (::geteuid() != 0) return std::optional<host::User>();
  auto owner = find_or_make_owner(state_directory, Missing::left);
  if (!owner) return refused(owner.error(), check_it);
  if (*owner && (*owner)->id == 0) owner->reset();
  return owner;
}

base::Result<void> may_run_here(const std::string& state_directory) {
  if (::geteuid() != 0) return {};
  const auto owner = find_or_make_owner(state_directory, Missing::left);
  if (!owner) return refused(owner.error(), check_it);
  if (!*owner || (*owner)->id == 0) return {};
  const auto name = host::name_of(**owner);
  return base::Error{base::Errc::config,
                     "root would leave files in " + state_directory + " that user " + name +
                         ", to whom it belongs, cannot use\nstart the service with `sudo systemctl start vtmirror`, or "
                         "run it as that user: `sudo -u " +
                         name + " vtmirror run`"};
}

}  // namespace vtmirror::wiring
