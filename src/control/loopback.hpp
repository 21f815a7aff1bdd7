// A listening TCP socket on a loopback address. Never listens on an address that another machine could reach.
#pragma once

#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/base/result.hpp"

#include <cstdint>
#include <string>

namespace vtmirror::control {

struct LoopbackListener {
  base::Descriptor socket{};
  std::uint16_t port = 0;  ///< the port that the kernel chose if 0 was requested
};

/// Listens at an address such as "127.0.0.1:9464" or "[::1]:9464"; names are refused. Errors: config (no such address,
/// or not a loopback one), io.
base::Result<LoopbackListener> listen_on_loopback(const std::string& address);

}  // namespace vtmirror::control
