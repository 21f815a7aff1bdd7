#include "vtmirror/settings/edit.hpp"

#include "settings/values.hpp"
#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/settings/keys.hpp"

#include <algorithm>
#include <cstddef>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>

namespace vtmirror::settings {
namespace {

/// Where the position is in the text: lines and columns count from 1, and columns count characters of UTF-8.
std::size_t offset_of(std::string_view text, const toml::source_position& at) {
  std::size_t offset = 0;
  for (toml::source_index line = 1; line < at.line; ++line) offset = text.find('\n', offset) + 1;
  for (toml::source_index column = 1; column < at.column && offset < text.size(); ++column) {
    ++offset;
    while (offset < text.size() && (static_cast<unsigned char>(text[offset]) & 0xc0U) == 0x80U) ++offset;
  }
  return std::min(offset, text.size());
}

std::string with_line_break(std::string text) {
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  return text;
}

/// Where the value ends after which the key stands in the shipped file; empty if the table has none of the keys before
/// it.
std::optional<std::size_t> offset_before(std::string_view text, const toml::table& members, std::string_view table,
                                         std::string_view key) {
  std::optional<std::size_t> offset;
  for (const auto& each : config_keys()) {
    if (each.table != table) continue;
    if (each.name == key) return offset;
    if (const auto* node = members.get(each.name)) offset = offset_of(text, node->source().end);
  }
  return std::nullopt;
}

/// `spelled` is the value as TOML.
base::Result<std::string> with_spelled(std::string_view toml, std::string_view table, std::string_view key,
                                       const std::string& spelled) {
  std::string text(toml);
  const auto line = std::string(key) + " = " + spelled + '\n';
  try {
    const auto root = toml::parse(toml);
    const auto* found = root.get(table);
    if (found == nullptr)
      return with_line_break(text) + (text.empty() ? "[" : "\n[") + std::string(table) + "]\n" + line;
    const auto* members = found->as_table();
    if (members == nullptr) return base::Error{base::Errc::config, std::string(table) + " is not a table"};
    if (const auto* node = members->get(key)) {
      if (node->is_table() || node->is_array())
        return base::Error{base::Errc::config, std::string(table) + '.' + std::string(key) + " is a list or a table"};
      const auto begin = offset_of(text, node->source().begin);
      const auto end = offset_of(text, node->source().end);
      return text.replace(begin, end - begin, spelled);
    }
    // A table that is written within one line has no line for another key.
    const auto header = offset_of(text, members->source().begin);
    if (members->is_inline() || text[header] != '[')
      return base::Error{base::Errc::config,
                         std::string(table) + " has no header of its own: write [" + std::string(table) + "]"};
    const auto end = std::min(text.find('\n', offset_before(text, *members, table, key).value_or(header)), text.size());
    if (end == text.size()) text += '\n';
    return text.insert(end + 1, line);
  } catch (const toml::parse_error& error) {
    return base::Error{base::Errc::config, std::string(error.description())};
  }
}

}  // namespace

base::Result<std::string> with_value(std::string_view toml, std::string_view table, std::string_view key,
                                     const std::string& value) {
  return with_spelled(toml, table, key, spell(value));
}

base::Result<std::string> with_flag(std::string_view toml, std::string_view table, std::string_view key, bool flag) {
  return with_spelled(toml, table, key, spell(flag));
}

base::Result<std::string> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return base::Error{base::Errc::config, path + " cannot be read: " + std::strerror(errno)};
  return std::string{std::istreambuf_iterator<char>(in), {}};
}

namespace {

/// Everything but the name: 0, or the error's number.
int fill(const base::Descriptor& file, const std::string& replaces, std::string_view text, mode_t mode) {
  struct stat before {};
  const bool exists = ::stat(replaces.c_str(), &before) == 0;
  if (exists && ::fchown(file.get(), before.st_uid, before.st_gid) != 0) return errno;
  if (::fchmod(file.get(), exists ? before.st_mode & 07777U : mode) != 0) return errno;
  while (!text.empty()) {
    const auto count = ::write(file.get(), text.data(), text.size());
    if (count < 0 && errno != EINTR) return errno;
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
  return ::fsync(file.get()) == 0 ? 0 : errno;
}

base::Error failed(const std::string& path, const char* how, int error) {
  return {base::is_full(error) ? base::Errc::no_space : base::Errc::io, path + how + std::strerror(error)};
}

base::Error not_written(const std::string& path, int error) { return failed(path, " cannot be written: ", error); }

}  // namespace

base::Result<void> replace_file(const std::string& path, std::string_view text, mode_t mode) {
  const auto temporary = path + ".new";
  ::unlink(temporary.c_str());
  const base::Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.valid()) return not_written(path, errno);
  int error = fill(file, path, text, mode);
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  ::unlink(temporary.c_str());
  return not_written(path, error);
}

base::Result<void> make_directory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error) return {};
  return failed(path, " cannot be made: ", error.value());
}

}  // namespace vtmirror::settings
