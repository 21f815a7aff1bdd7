// The events of the socket's stream (GET /v1/events) and of the lines that --json prints, by their names. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace vtmirror::ports {

enum class StreamEvent {
  status,
  journal,
  cycle,         ///< one has ended
  verifying,     ///< how far a verification is
  verification,  ///< one has ended
};

/// In the order of the values.
inline constexpr std::array<std::string_view, 5> stream_event_names{"status", "journal", "cycle", "verifying",
                                                                    "verification"};
constexpr std::string_view name(StreamEvent event) noexcept {
  return stream_event_names[static_cast<std::size_t>(event)];
}

}  // namespace vtmirror::ports
