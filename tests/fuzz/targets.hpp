// What reads bytes from outside, one function for each: it gives them to the program's code and demands what that
// code promises of its result. `./dev fuzz` looks for bytes that break a promise; the test `fuzz` tries those of
// tests/fuzz/corpus again.
// Promises that a target needs no network and no clock, so that the same bytes always lead to the same end.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace vtmirror::fuzz {

struct Target {
  std::string_view name;  ///< the directory of its corpus
  void (*run)(std::string_view input);
};

std::span<const Target> targets();

/// Ends the input as a finding.
inline void demand(bool holds, const char* promise) {
  if (!holds) throw std::logic_error(promise);
}

void listing(std::string_view input);   ///< the service's list of files
void link(std::string_view input);      ///< addresses: of links, redirects, proxies
void token(std::string_view input);     ///< the issuer's answer, and that to a request for a new secret
void refusal(std::string_view input);   ///< the body of an answer that is an error
void answer(std::string_view input);    ///< an HTTP answer: its head, and a body in chunks
void settings(std::string_view input);  ///< vtmirror.toml
void request(std::string_view input);   ///< what a client of the control socket sends
void zip(std::string_view input);       ///< a downloaded file
void notice(std::string_view input);    ///< what waits in the catalogue for a channel
void manifest(std::string_view input);  ///< manifest.json and SHA256SUMS, from which a lost catalogue is rebuilt

}  // namespace vtmirror::fuzz
