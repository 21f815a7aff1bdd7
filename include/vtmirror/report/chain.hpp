// `vtmirror coverage`: the chain to load, the days that it covers, and what is missing and why, as text and as JSON.
// Changes nothing.
#pragma once

#include "vtmirror/catalogue/catalogue.hpp"
#include "vtmirror/catalogue/chain_now.hpp"
#include "vtmirror/core/chain.hpp"
#include "vtmirror/report/days.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::report {

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
base::Result<Coverage> coverage_of(const catalogue::Catalogue& catalogue, catalogue::ChainNow now);

/// `next_try`: when the daemon asks for the listing next; empty if that is not known.
std::string coverage_text(const Coverage& coverage, std::size_t width, const UtcOffset& offset = {},
                          const std::optional<base::Time>& next_try = {});
/// The manifest's object without the members of a generation, and with `listed_at`.
std::string coverage_json(const Coverage& coverage);

}  // namespace vtmirror::report
