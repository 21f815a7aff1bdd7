// The grammar of the commands that have options, in groups: of the mirror, of what there is to see, of consumers, of
// the settings. Never acts on it.
#pragma once

#include "cli/arguments.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace vtmirror::cli {

/// Makes a command of that name, with its line of help.
using AddCommand = std::function<CLI::App*(const std::string& name, const std::string& about, Command command)>;

// In each, `read` must outlive the grammar.

/// run, sync, verify, adopt, prune.
void add_mirror_commands(const AddCommand& add, Arguments& read);
/// status, files, coverage, history, changes.
void add_views(const AddCommand& add, Arguments& read);
/// cat, next, ack, consumers, wait.
void add_consumer_commands(const AddCommand& add, Arguments& read);
/// Below `config`: init, check, show.
void add_config_commands(const AddCommand& add, Arguments& read);
/// Below `secret`: status, rotate, set.
void add_secret_commands(const AddCommand& add, Arguments& read);

}  // namespace vtmirror::cli
