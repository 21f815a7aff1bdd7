// `vtmirror changes`: what was published, superseded or removed after a generation, as a table and as JSON.
#pragma once

#include "vtmirror/catalogue/catalogue.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::report {

std::string changes_text(const std::vector<catalogue::Change>& changes, std::size_t width);
/// `[{"generation": 42, "kind": "published", "name": "v1/...zip", "at": "..."}, ...]`, oldest first. Also the body of
/// GET /v1/changes.
std::string changes_json(const std::vector<catalogue::Change>& changes);
/// Parses the output of `changes_json`; skips unknown keys. Errors: protocol.
base::Result<std::vector<catalogue::Change>> parse_changes(std::string_view json);

}  // namespace vtmirror::report
