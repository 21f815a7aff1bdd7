// A secret from stdin: typed without echo on a terminal, read to its end otherwise.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/secret.hpp"

namespace vtmirror::terminal {

/// One newline at the end is dropped. Errors (config): empty, too long, not printable, cancelled with Ctrl-C.
base::Result<base::Secret> typed_secret(int descriptor);

}  // namespace vtmirror::terminal
