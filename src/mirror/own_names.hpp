// The program's own names in the mirror's directory, which no listed file may have (vtmirror(8), FILES).
// Temporary names exist only in `.vtmirror`, so the public tree never shows one.
#pragma once

#include <string>
#include <string_view>

namespace vtmirror::mirror::own {

inline constexpr std::string_view manifest = "manifest.json";
inline constexpr std::string_view sums = "SHA256SUMS";
inline constexpr std::string_view current = "current";

inline constexpr std::string_view directory = ".vtmirror";
inline constexpr std::string_view partial = ".vtmirror/partial";        // 0700
inline constexpr std::string_view quarantine = ".vtmirror/quarantine";  // 0700
inline constexpr std::string_view lock = ".vtmirror/lock";
inline constexpr std::string_view published =
    ".vtmirror/published";                                  ///< the state after the last publication, written last
inline constexpr std::string_view held = ".vtmirror/held";  ///< superseded bytes, by digest
inline constexpr std::string_view next = ".vtmirror/next";  ///< what consumers were offered, a directory each
inline constexpr std::string_view superseded = ".vtmirror/superseded";  ///< what is superseded, and since when
inline constexpr std::string_view new_link = ".vtmirror/link.new";
inline constexpr std::string_view new_text = ".vtmirror/text.new";
inline constexpr std::string_view new_current = ".vtmirror/current.new";
inline constexpr std::string_view current_prefix = "current-";  ///< .vtmirror/current-42

inline std::string below(std::string_view directory_name, std::string_view name) {
  return std::string(directory_name).append("/").append(name);
}

}  // namespace vtmirror::mirror::own
