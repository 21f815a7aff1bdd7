// Second names of public files, for the consumers that were offered them: `.vtmirror/next/CONSUMER/NAME`, hard links.
// Promises that a file that was lent is readable with the same bytes until it is taken back, whatever happens to its
// public name. Never touches a public file.
#pragma once

#include "mirror/tree.hpp"
#include "vtmirror/ports/shelf.hpp"

#include <optional>
#include <string>
#include <vector>

namespace vtmirror::mirror {

/// As `ports::Shelf::lend`, with paths relative to the mirror's directory.
base::Result<ports::Loan> lend(const Tree& tree, const std::string& consumer,
                               const std::vector<ports::VerifiedFile>& files);

/// As `ports::Shelf::lent`.
base::Result<std::optional<ports::Loan>> lent(const Tree& tree, const std::string& consumer,
                                              const std::vector<ports::VerifiedFile>& files);

/// As `ports::Shelf::withdraw`.
base::Result<void> withdraw(const Tree& tree, const std::vector<std::string>& all_but);

}  // namespace vtmirror::mirror
