// What is wrong with the mirror, judged after each cycle and, by the daemon, now and then; kept in the catalogue.
// Promises that each problem is told when it begins and when it is over, once each, whatever ends the process: a
// problem is told by the process that keeps it. Never asks the network or the disk.
#pragma once

#include "vtmirror/agent/agent.hpp"
#include "vtmirror/core/health.hpp"
#include "vtmirror/core/schedule.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace vtmirror::agent {

struct HealthSettings {
  core::Schedule schedule;
  std::shared_ptr<const core::Zone> zone;
  /// Looks whether a damaged catalogue lies beside the new one. Must not take long; may be empty.
  std::function<std::optional<core::Problem>()> catalogue_rebuilt{};
};

class Health {
 public:
  Health(Parts parts, HealthSettings settings);
  ~Health();
  Health(const Health&) = delete;
  Health& operator=(const Health&) = delete;

  /// Reads what the catalogue knows: at the start, and after each cycle. Errors: catalogue, io; what was known stays.
  boost::asio::awaitable<base::Result<void>> recall();

  /// Judges what is known by the clock of now; what has changed is kept and told. What cannot be kept is wrong all the
  /// same, and is kept later.
  boost::asio::awaitable<void> judge();

  /// The last cycle, for the schedule; empty when there was none, or when one was cut or stopped and is to be taken up.
  const std::optional<core::LastCycle>& last() const;
  const std::vector<core::Problem>& problems() const;

  void take(HealthSettings settings);
  /// A cycle that the catalogue could not keep.
  void note_end(const core::LastCycle& last, std::string error);

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace vtmirror::agent
