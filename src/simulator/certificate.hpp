// The simulator's own certificate authority and a certificate for localhost, new at each start and valid for 30 days.
#pragma once

#include "vtmirror/base/result.hpp"

#include <string>

namespace vtmirror::simulator {

/// Writes ca.pem, server.pem and server.key below `directory`. Errors: io, tls.
base::Result<void> make_certificates(const std::string& directory);

}  // namespace vtmirror::simulator
