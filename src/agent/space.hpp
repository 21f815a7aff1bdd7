// Whether the disk has room for a file that turned out larger than planned. Decides as the plan does: `core::Space`.
#pragma once

#include "vtmirror/agent/agent.hpp"

#include <string>

namespace vtmirror::agent {

/// For a file that starts over with `size` bytes: its partial is removed first, so its space counts as free. What other
/// downloads have allocated is not free. Errors: no_space with the shortage and `other_version`, if the reserve would
/// not be left; io.
boost::asio::awaitable<base::Result<void>> check_space(Ports ports, std::int64_t reserve, std::string name,
                                                       std::int64_t size);

}  // namespace vtmirror::agent
