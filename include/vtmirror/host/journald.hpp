// The system's journal: each event is an entry with its level, the fixed id of its kind, and its fields as VTMIRROR_*.
// Never writes what `base::printable` would hide.
#pragma once

#include "vtmirror/ports/journal.hpp"

#include <memory>

namespace vtmirror::host {

/// Events below `least` are dropped. If the journal refuses an entry, its message goes to stderr.
std::unique_ptr<ports::Journal> make_journald_journal(ports::Level least);

/// Whether stderr is connected to the journal, as in a service that systemd has started: then events are sent to the
/// journal directly.
bool stderr_is_the_journal();

}  // namespace vtmirror::host
