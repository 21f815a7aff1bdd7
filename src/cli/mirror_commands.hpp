// The commands that only read the catalogue: files, coverage, history. They work while another process writes it.
#pragma once

#include "cli/arguments.hpp"
#include "vtmirror/settings/config.hpp"

namespace vtmirror::cli {

ExitStatus answer(const Arguments& arguments, const settings::Config& config);

}  // namespace vtmirror::cli
