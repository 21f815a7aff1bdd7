// The grammar of the commands that have options, in groups: of the mirror, of what there is to see, of consumers, of
// the settings. Also which values an option takes, and how the help of each command ends. Never acts on it.
#pragma once

#include "cli/arguments.hpp"
#include "vtmirror/base/text.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <limits>
#include <string>

namespace vtmirror::cli {

// Which values of an option are valid: numbers in a range, or words of a list. A refused value is described by the
// whole text after the option's name: "must be ..., not x".

/// The upper bound is the largest value of `T`.
template <class T>
CLI::Validator number_from(T least) {
  const auto wrong_number = [least](const std::string& text) {
    const auto number = base::parse_int(text);
    constexpr auto most = std::numeric_limits<T>::max();
    if (number && *number >= least && *number <= most) return std::string();
    return "must be a number from " + std::to_string(least) + " to " + std::to_string(most) + ", not " +
           base::printable(text, 80);
  };
  return CLI::Validator([wrong_number](std::string& text) { return wrong_number(text); }, "");
}

/// `listed` are the keys of `words`.
template <class Words>
CLI::Validator one_of(const Words& words, const std::string& listed) {
  const auto wrong_word = [&words, listed](const std::string& text) {
    return words.contains(text) ? std::string() : "must be " + listed + ", not " + base::printable(text, 80);
  };
  return CLI::Validator([wrong_word](std::string& text) { return wrong_word(text); }, "");
}

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

/// The end of a command's help: examples and exit statuses. The rest of it comes from the grammar.
std::string help_end(Command command);
/// The end of the program's own help.
extern const char* const program_help_end;

}  // namespace vtmirror::cli
