// An answer to `vtmirror config init` in the text of a settings file, and what is wrong with it there.
// Never writes a file.
#pragma once

#include "vtmirror/base/result.hpp"

#include <string>
#include <string_view>

namespace vtmirror::cli {

/// `toml` with the value, as settings/edit.hpp sets it. The address of a service on this machine without TLS also sets
/// service.allow_http. Errors: config.
base::Result<std::string> with_answer(std::string_view toml, std::string_view table, std::string_view key,
                                      const std::string& value);

/// What the file's check says of the key, such as "service.scope"; empty if it accepts the value.
std::string mistake_of(const std::string& toml, const std::string& key);

}  // namespace vtmirror::cli
