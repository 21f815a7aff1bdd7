// The grammar of the commands for consumers: next, ack, consumers, wait. Never acts on it.
#pragma once

#include "cli/arguments.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace vtmirror::cli {

/// `add` makes a command of that name, with its line of help. `read` must outlive the grammar.
void add_consumer_commands(const std::function<CLI::App*(const std::string&, const std::string&, Command)>& add,
                           Arguments& read);

}  // namespace vtmirror::cli
