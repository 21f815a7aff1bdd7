// The public tree of the mirror's directory, with manifest.json, SHA256SUMS and `current`.
#pragma once

#include "mirror/place.hpp"
#include "vtmirror/ports/shelf.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::mirror {

class DirectoryShelf final : public ports::Shelf {
 public:
  explicit DirectoryShelf(std::shared_ptr<Place> place) : place_(std::move(place)) {}

  base::Result<void> in_place() override;
  using ports::Shelf::files;
  base::Result<std::vector<core::LocalFile>> files(std::vector<core::Cause>& unread) override;
  base::Result<void> accepts(const std::string& name) override;

  /// A partial is private to its owner; a public file is readable by everybody. The bytes and the mode must be on disk
  /// before the public name is.
  base::Result<void> stage(const ports::VerifiedFile& file, const ports::Watch& watch) override;

  /// The order ensures that a power cut at any point leaves the public name absent, old or whole: first every directory
  /// down to the file's, each synced into its parent; then the rename; then the directory that gained the name; last
  /// the one that lost it.
  base::Result<void> publish(const ports::VerifiedFile& file) override;

  /// A hard link, so that the bytes keep a name while the public one changes.
  base::Result<bool> hold(const ports::VerifiedFile& promised) override;
  base::Result<void> release(base::Time now) override;
  base::Result<std::int64_t> releasable(base::Time now) override;

  std::string path_of(const std::string& name) const override;
  base::Result<ports::Loan> lend(const std::string& consumer, const std::vector<ports::VerifiedFile>& files) override;
  base::Result<std::optional<ports::Loan>> lent(const std::string& consumer,
                                                const std::vector<ports::VerifiedFile>& files) override;
  base::Result<void> withdraw(const std::vector<std::string>& all_but) override;

  base::Result<ports::Checked> check(const std::string& name, std::int64_t size, ports::CheckRules rules,
                                     const ports::Watch& watch) override;
  base::Result<void> remove(const std::string& name) override;
  base::Result<std::vector<core::Cause>> write_manifest(const ports::Manifest& manifest,
                                                        const std::vector<core::Held>& held) override;
  base::Result<std::optional<std::int64_t>> generation() override;
  base::Result<ports::Remains> remains() override;

 private:
  std::shared_ptr<Place> place_;
};

}  // namespace vtmirror::mirror
