// The chain as the catalogue has it now, with the reason for each missing file: the manifest, `vtmirror coverage` and
// the status all show this one. Changes nothing.
#pragma once

#include "vtmirror/catalogue/catalogue.hpp"
#include "vtmirror/core/chain.hpp"
#include "vtmirror/core/problem.hpp"
#include "vtmirror/report/days.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::report {

/// "not downloaded yet", "quarantined"
std::string_view phrase(core::MissingReason reason);

struct ChainNow {
  core::Chain chain;
  std::vector<core::Held> held;  ///< all that is public and whole
  std::vector<core::Held> lost;  ///< all that is published and is not whole on disk
  core::Calendar calendar;       ///< that the chain was made of
  std::optional<base::Time> listed_at{};
  std::vector<core::FileRecord> files{};  ///< all that is published, whole or not
};

/// Errors: catalogue, io.
base::Result<ChainNow> chain_now(const catalogue::Files& catalogue);

/// Why the chain is not complete although the cycle did all that it was asked for, as failures of that cycle. Empty if
/// the chain is complete.
std::vector<core::Failure> failures_of(const core::Chain& chain);
/// Whether another cycle of the same day would fail in the same way: what is missing is not listed any more.
bool no_try_helps(const core::Failure& failure);

/// `vtmirror coverage`: the chain to load, the days it covers, and what is missing and why.
struct Coverage {
  core::Chain chain;
  std::optional<base::Time> listed_at{};             ///< empty: the service was never listed
  std::map<std::string, std::string> why_missing{};  ///< by name: "41% downloaded", "quarantined: ..."
  std::map<std::string, std::string> causes{};       ///< by name: why the last cycle could not download it
  std::vector<base::Date> waiting{};                 ///< days whose deltas are held, and follow what is missing
  std::vector<core::Unfit> unfit{};                  ///< figures of those for which the disk has no room
};

base::Result<Coverage> coverage_of(const catalogue::Catalogue& catalogue);
/// The same of a chain that was read just before.
base::Result<Coverage> coverage_of(const catalogue::Catalogue& catalogue, ChainNow now);

/// `next_try`: when the daemon asks for the listing next; empty if that is not known.
std::string coverage_text(const Coverage& coverage, std::size_t width, const UtcOffset& offset = {},
                          const std::optional<base::Time>& next_try = {});
/// The manifest's object without the members of a generation, and with `listed_at`.
std::string coverage_json(const Coverage& coverage);

}  // namespace vtmirror::report
