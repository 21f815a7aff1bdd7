// Errors for paths and addresses that cannot be used: they name the setting and say what to do.
#pragma once

#include "vtmirror/base/result.hpp"

#include <string>

namespace vtmirror::wiring {

/// Whether the error is about a path inside a place, and not about the place itself: its subject is relative.
bool is_inside(const base::Error& error);

/// Turns an `io` error at the start into `config` if the path in the setting `key` cannot be used as things are: trying
/// again does not help, and an administrator must change the settings or the permissions. What may pass, such as a
/// failure of the disk or too many open files, stays `io`, with the key. Any other error is returned unchanged. A
/// relative subject lies below `place`, and that of `mirror.catalogue` beside it.
base::Error unusable(const std::string& key, const std::string& place, const base::Error& error);

/// The same for a catalogue that is only read, by a user who may not: says who may. Any other error is returned
/// unchanged.
base::Error unreadable_catalogue(const std::string& path, const base::Error& error);

/// The same for the control socket at `socket`, and for the address that `address_setting` names. An `io` error of the
/// address that has a subject may pass.
base::Error unusable_socket(const base::Error& error, const std::string& socket,
                            const std::string& address_setting = "control.metrics");

}  // namespace vtmirror::wiring
