// `vtmirror changes`: what was published, superseded or removed after a generation, as a table and as JSON. Pure.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/core/history.hpp"
#include "vtmirror/report/days.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::report {

/// Where the rows are wider than `width` (0: unlimited), names are shortened and columns are left out.
std::string changes_text(const std::vector<core::Change>& changes, std::size_t width, const UtcOffset& offset = {});
/// `{"schema": 1, "session": "...", "changes": [{"generation": 42, "change": "published", "name": "v1/...zip", "at":
/// "...", "kind": "delta", "date": "2026-11-18", "size": 1, "sha256": "...", "before": null}, ...]}`, oldest first, or
/// alone `{"generation": 42, "change": "reset", "session": "...", "at": "..."}`. Also the body of GET /v1/changes.
std::string changes_json(const std::vector<core::Change>& changes, const std::string& session);
/// Parses the output of `changes_json`; skips unknown keys. Errors: protocol.
base::Result<std::vector<core::Change>> parse_changes(std::string_view json);

}  // namespace vtmirror::report
