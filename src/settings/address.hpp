// The parts of an address that the configuration's checks look at. Not for requests: `net` has its own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace vtmirror::settings {

struct Address {
  std::string scheme;  ///< lower case
  std::string host;    ///< lower case, without brackets
  bool has_user = false;
  bool has_query = false;
};

/// "https://host[:port][/path][?query]"; empty when it is nothing of the kind, or holds a space, a control character or
/// a fragment.
std::optional<Address> parse_address(std::string_view url);

/// Host and port of "host:port" or "[v6]:port"; false when it is no such thing.
bool is_host_and_port(std::string_view text);

/// "localhost", 127.0.0.0/8 or ::1, as written: no name is resolved.
bool is_loopback(std::string_view host);

}  // namespace vtmirror::settings
