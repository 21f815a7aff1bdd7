// The journal's entries with any sender, so that a test can read what would be sent.
#pragma once

#include "vtmirror/ports/journal.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace vtmirror::host {

/// One "NAME=value" each; returns what `sd_journal_sendv` does, 0 or a negative errno.
using SendEntry = std::function<int(std::span<const std::string> assignments)>;

std::unique_ptr<ports::Journal> make_journald_journal(ports::Level least, SendEntry send);

/// Whether `descriptor` is the stream that `journal_stream` names ("device:inode", as systemd sets $JOURNAL_STREAM).
bool is_the_journal(int descriptor, std::string_view journal_stream);

}  // namespace vtmirror::host
