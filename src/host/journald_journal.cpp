#include "host/journald_journal.hpp"

#include "host/libsystemd.hpp"
#include "host/message_ids.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/host/host.hpp"

#include <sys/stat.h>
#include <sys/uio.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace vtmirror::host {
namespace {

constexpr std::size_t longest_value = 4096;

/// syslog's numbers.
char priority(ports::Level level) {
  switch (level) {
    case ports::Level::debug:
      return '7';
    case ports::Level::info:
      return '6';
    case ports::Level::notice:
      return '5';
    case ports::Level::warning:
      return '4';
    case ports::Level::error:
      break;
  }
  return '3';
}

/// "file" becomes VTMIRROR_FILE. The journal drops a field whose name contains anything except A-Z, 0-9 and _.
std::string field_name(std::string_view key) {
  std::string name = "VTMIRROR_";
  for (const char sign : key) {
    const auto byte = static_cast<unsigned char>(sign);
    name += std::isalnum(byte) != 0 ? static_cast<char>(std::toupper(byte)) : '_';
  }
  return name;
}

/// A value may quote a peer: it must stay one line, and a link's signature is hidden.
std::string assignment(std::string_view name, std::string_view value) {
  return std::string(name) + '=' + base::printable(value, longest_value);
}

std::vector<std::string> entry_of(const ports::Event& event) {
  std::vector<std::string> entry{assignment("MESSAGE", event.message), std::string("PRIORITY=") + priority(event.level),
                                 "SYSLOG_IDENTIFIER=vtmirror", assignment("MESSAGE_ID", message_id(event.kind)),
                                 assignment("VTMIRROR_EVENT", ports::name(event.kind))};
  for (const auto& field : event.fields) entry.push_back(assignment(field_name(field.key), field.value));
  return entry;
}

int send_to_journald(std::span<const std::string> assignments) {
  std::vector<iovec> parts;
  parts.reserve(assignments.size());
  for (const auto& each : assignments) {
    parts.push_back({.iov_base = const_cast<char*>(each.data()), .iov_len = each.size()});  // journald only reads it
  }
  return libsystemd::journal_sendv(parts.data(), static_cast<int>(parts.size()));
}

class JournaldJournal : public ports::Journal {
 public:
  JournaldJournal(ports::Level least, SendEntry send) : least_(least), send_(std::move(send)) {}

  void log(const ports::Event& event) override {
    if (event.level < least_) return;
    const auto entry = entry_of(event);
    if (send_(entry) >= 0) return;
    // systemd reads the level from the start of the line if stderr is a stream to the journal after all.
    const auto line = base::printable(event.message, longest_value);
    std::fprintf(stderr, "<%c>%s\n", priority(event.level), line.c_str());
  }

 private:
  ports::Level least_;
  SendEntry send_;
};

}  // namespace

std::unique_ptr<ports::Journal> make_journald_journal(ports::Level least, SendEntry send) {
  return std::make_unique<JournaldJournal>(least, std::move(send));
}

std::unique_ptr<ports::Journal> make_journald_journal(ports::Level least) {
  return make_journald_journal(least, send_to_journald);
}

bool is_the_journal(int descriptor, std::string_view journal_stream) {
  const auto colon = journal_stream.find(':');
  if (colon == std::string_view::npos) return false;
  const auto device = base::parse_int(journal_stream.substr(0, colon));
  const auto inode = base::parse_int(journal_stream.substr(colon + 1));
  struct stat status {};
  if (!device || !inode || ::fstat(descriptor, &status) != 0) return false;
  return static_cast<dev_t>(*device) == status.st_dev && static_cast<ino_t>(*inode) == status.st_ino;
}

bool stderr_is_the_journal() {
  const char* stream = std::getenv("JOURNAL_STREAM");
  return stream != nullptr && is_the_journal(fileno(stderr), stream);
}

}  // namespace vtmirror::host
