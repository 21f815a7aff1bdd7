// The effective settings, as TOML that can be read back. Pure. Never shows a secret part: these are masked.
#pragma once

#include "vtmirror/settings/config.hpp"
#include "vtmirror/settings/load.hpp"

#include <map>
#include <string>
#include <vector>

namespace vtmirror::settings {

/// A line for each key, in the order of the shipped file; keys that are not in `given` are marked as defaults. Of a
/// hook's command only the program is shown, with "***" for each argument. Of a key with a mistake only the name is
/// shown, as a comment.
std::string show_config(Config config, const std::map<std::string, Position>& given,
                        const std::vector<Mistake>& mistakes = {});

/// The address with user, password, path and query masked: "https://hooks.example/***". The path of a webhook's address
/// is a secret.
std::string masked(const std::string& url);

}  // namespace vtmirror::settings
