// The system's journal: every event an entry with its level, its kind's fixed id, and its fields as VTMIRROR_*.
// Never writes what `base::printable` would hide.
#pragma once

#include "vtmirror/ports/journal.hpp"

#include <memory>

namespace vtmirror::host {

/// Events below `least` are dropped. Where the journal refuses an entry, its message goes to stderr.
std::unique_ptr<ports::Journal> make_journald_journal(ports::Level least);

/// Whether what is written to stderr ends in the journal, as in a service that systemd has started: then events belong
/// there directly.
bool stderr_is_the_journal();

}  // namespace vtmirror::host
