// The partials and the quarantine below `.vtmirror`.
// Never touches anything else in the directory.
#pragma once

#include "mirror/place.hpp"
#include "vtmirror/ports/partials.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::mirror {

class Scratch final : public ports::Partials {
 public:
  Scratch(std::shared_ptr<Place> place, bool direct_io) : place_(std::move(place)), direct_io_(direct_io) {}

  base::Result<std::vector<core::LocalFile>> files() override;
  base::Result<std::unique_ptr<ports::PartialFile>> open(const ports::WantedPartial& wanted) override;
  base::Result<void> drop(const std::string& name) override;
  base::Result<std::unique_ptr<ports::PartialCheck>> begin_check(const std::string& name, std::int64_t size,
                                                                 ports::CheckRules rules) override;
  base::Result<std::vector<core::LocalFile>> quarantined() override;
  base::Result<void> quarantine(const std::string& name, const std::string& reason) override;
  base::Result<void> clear(const std::string& name) override;
  base::Result<std::int64_t> free_space() override;

 private:
  std::shared_ptr<Place> place_;
  bool direct_io_;
};

}  // namespace vtmirror::mirror
