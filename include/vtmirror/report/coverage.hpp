// `vtmirror coverage`: the chain to load, the days it covers, and what is missing and why.
#pragma once

#include "vtmirror/catalogue/catalogue.hpp"
#include "vtmirror/core/chain.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace vtmirror::report {

struct Coverage {
  core::Chain chain;
  std::optional<base::Time> listed_at;             ///< empty: the service was never listed
  std::map<std::string, std::string> why_missing;  ///< by name: "41% downloaded", "quarantined: ..."
};

base::Result<Coverage> coverage_of(const catalogue::Catalogue& catalogue);

std::string coverage_text(const Coverage& coverage, std::size_t width);
/// The manifest's object without the members of a generation, and with `listed_at`.
std::string coverage_json(const Coverage& coverage);

}  // namespace vtmirror::report
