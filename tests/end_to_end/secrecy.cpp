#include "end_to_end/secrecy.hpp"

#include "end_to_end/child.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string_view>

namespace vtmirror::test {

namespace fs = std::filesystem;

namespace {

/// Beyond it lies a sparse bulk file, and no text.
constexpr std::uintmax_t largest_searched = 64 << 20;

/// What each link of the simulator's carries: its key's name, and the beginning of its signature's value.
constexpr std::array<std::string_view, 2> link_marks{"VTSIMULATOR", "X-Amz-Signature="};

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

/// "X-Amz-Signature=***" is no leak.
bool holds_link(std::string_view text) {
  if (text.find(link_marks[0]) != std::string_view::npos) return true;
  for (auto at = text.find(link_marks[1]); at != std::string_view::npos; at = text.find(link_marks[1], at + 1)) {
    auto value = at + link_marks[1].size();
    if (text.substr(value).starts_with("3D")) value += 2;  // a mail's "=", quoted-printable
    if (value < text.size() && is_hex(text[value])) return true;
  }
  return false;
}

bool is_for_secrets(const fs::path& path, const fs::path& directory) {
  const auto name = path.filename().string();
  const auto where = fs::relative(path.parent_path(), directory).string();
  const bool is_place =
      where == "config" || where == "config/state" || where == "credentials" || where == "new" || where == "home";
  return is_place && (name == "api_key" || name == "client_secret" || name == "client_secret.new");
}

bool is_settings(const fs::path& path) { return path.extension() == ".toml"; }

bool is_private(const fs::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && (status.st_mode & 077) == 0;
}

/// Whether the file was looked at: those of others are left out.
bool look_at(const fs::path& path, const std::vector<std::string>& secrets, const fs::path& directory) {
  if (is_settings(path)) return false;
  if (is_for_secrets(path, directory)) {
    // What a case itself wrote may be open, to see it refused.
    const bool ours = path.parent_path() == directory / "config/state";
    CHECK_MESSAGE((!ours || is_private(path)), "a secret's file is open to others: ", path.string());
    return true;
  }
  std::error_code gone;
  if (fs::file_size(path, gone) > largest_searched || gone) return false;
  if (::access(path.c_str(), R_OK) != 0) return false;
  const auto leak = leak_in(read_file(path), secrets);
  CHECK_MESSAGE(leak.empty(), leak, " lies in ", path.string());
  return true;
}

/// Beyond it a process writes without end.
constexpr int most_searches = 1000;

/// False if a directory or a file vanished, so that its contents may lie where the search has been already.
bool search_once(const fs::path& directory, const LookAtFile& look) {
  std::error_code error;
  const auto skip_closed = fs::directory_options::skip_permission_denied;
  auto entry = fs::recursive_directory_iterator(directory, skip_closed, error);
  // After an error, the iterator is at its end.
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (entry->path() == directory / "simulator") entry.disable_recursion_pending();
    std::error_code gone;
    const auto status = entry->symlink_status(gone);
    if (status.type() == fs::file_type::not_found) return false;
    if (status.type() != fs::file_type::regular) continue;
    look(entry->path());
    if (fs::symlink_status(entry->path(), gone).type() == fs::file_type::not_found) return false;
  }
  return !error;
}

}  // namespace

bool each_file(const fs::path& directory, const LookAtFile& look) {
  for (int search = 0; search < most_searches && fs::exists(directory); ++search)
    if (search_once(directory, look)) return true;
  return false;
}

std::string leak_in(const std::string& text, const std::vector<std::string>& secrets) {
  for (std::size_t i = 0; i < secrets.size(); ++i)
    if (!secrets[i].empty() && text.find(secrets[i]) != std::string::npos) return "secret " + std::to_string(i);
  return holds_link(text) ? "the query of a link" : "";
}

void look_for(const std::vector<std::string>& secrets, const fs::path& directory, std::size_t said_before) {
  int searched = 0;
  const bool came_to_an_end =
      each_file(directory, [&](const fs::path& path) { searched += look_at(path, secrets, directory) ? 1 : 0; });
  CHECK_MESSAGE(came_to_an_end, "not all files were searched for secrets in ", directory.string());
  CHECK_MESSAGE(searched > 0, "no file was searched for secrets in ", directory.string());
  const auto& said = everything_said();
  for (auto i = said_before; i < said.size(); ++i) {
    const auto leak = leak_in(said[i], secrets);
    CHECK_MESSAGE(leak.empty(), leak, " was said: ", said[i].substr(0, 200));
  }
}

}  // namespace vtmirror::test
