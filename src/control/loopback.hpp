// A listening TCP socket on a loopback address. Never listens where another machine could reach it.
#pragma once

#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/base/result.hpp"

#include <cstdint>
#include <string>

namespace vtmirror::control {

struct LoopbackListener {
  base::Descriptor socket{};
  std::uint16_t port = 0;  ///< the kernel's choice where 0 was asked for
};

/// "127.0.0.1:9464", "[::1]:9464"; no names. Errors: config (no such address, or no loopback one), io.
base::Result<LoopbackListener> listen_on_loopback(const std::string& address);

}  // namespace vtmirror::control
