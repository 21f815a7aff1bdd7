// Strings for messages and parsers: sizes, time spans, safe lines, nearest words.
// Pure. Never depends on the locale: letters are those of ASCII.
#pragma once

#include "vtmirror/base/result.hpp"

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::base {

/// "37.7 GB", "95.8 MB", "812 B": decimal units, three figures.
std::string human_size(std::int64_t bytes);
/// "1h 12m", "3m 05s", "12s".
std::string human_duration(std::chrono::seconds duration);

/// "2GiB", "20MB", "512B", "0": bytes. Units B, KB MB GB TB (1000) and KiB MiB GiB TiB (1024); only 0 needs none.
/// Letter case does not matter; spaces are allowed around the text and before the unit. Errors: config, also for a size
/// that does not fit an int64.
Result<std::int64_t> parse_size(std::string_view text);
/// "20MB/s", "20MB", "0": bytes a second, as `parse_size` reads them; a number with a unit that does not fit an int64
/// is the largest one. Errors: config.
Result<std::int64_t> parse_rate(std::string_view text);
/// No line and no disk is faster, and what is computed from it does not overflow. In bytes a second.
inline constexpr std::int64_t largest_rate = 1'000'000'000'000;
/// "30s", "10m", "6h", "2d", "0", of at most a hundred years. Errors: config.
Result<std::chrono::seconds> parse_duration(std::string_view text);

/// "1 file", "2 files".
std::string counted(std::int64_t count, std::string_view noun);
/// The last part of a path: "a.zip" of "v1/a.zip".
std::string_view leaf_of(std::string_view path) noexcept;

/// A peer's text made safe for one log line: control characters are replaced, the text is cut to `limit` bytes, and the
/// values of signing parameters ("X-Amz-Signature=...", "X-Amz-Credential=...") are replaced by "***".
std::string printable(std::string_view text, std::size_t limit = 300);

/// The candidate with the smallest edit distance; empty when none is near (more than a third of the letters differ).
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

/// Whether both are equal, apart from the case of ASCII letters.
bool iequals(std::string_view a, std::string_view b) noexcept;
/// With ASCII letters in lower case.
std::string lower(std::string_view text);
/// Without the blanks of ASCII (space, tab, line ends) at both ends. A view of the same bytes.
std::string_view trim(std::string_view text) noexcept;
/// A decimal number without sign or blanks. Errors: protocol, for anything else and for a number beyond an int64.
Result<std::int64_t> parse_int(std::string_view text);

}  // namespace vtmirror::base
