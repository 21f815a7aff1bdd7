// A whole cycle while another process, a backup for example, holds the catalogue's lock.
#include "support/agent_rig.hpp"
#include "support/shared_catalogue.hpp"

#include <doctest/doctest.h>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

using ports::EventKind;

/// Whether a cycle or a download reports with this event that the catalogue is busy.
bool logs_busy(const ports::Event& event) {
  return event.kind == EventKind::catalogue_busy ||
         (event.kind == EventKind::fetch_retried && event.fields.back().value == "catalogue_busy");
}

/// The lock is taken at the first event of a kind, and freed after two tries that found the catalogue busy.
struct Rig : AgentRig {
  explicit Rig(EventKind at) {
    catalogue = std::move(shared.catalogue);
    list_wednesday(*this);
    journal.heard = [this, at](const ports::Event& event) {
      if (event.kind == at && journal.count(at) == 1) shared.lock();
      if (logs_busy(event) && ++busy == 2) shared.unlock();
    };
  }
  SharedCatalogue shared;
  int busy = 0;
};

}  // namespace

TEST_CASE("a catalogue that is locked at any moment of a cycle is waited for, and no byte is downloaded twice") {
  const auto moments = {EventKind::cycle_started, EventKind::listed, EventKind::planned, EventKind::checked,
                        EventKind::published};
  for (const auto at : moments) {
    CAPTURE(ports::name(at));
    Rig rig(at);
    const auto report = rig.cycle();
    REQUIRE(report.has_value());
    CHECK(report->outcome == core::Outcome::complete);
    CHECK(rig.holds_everything());
    CHECK(rig.service.requests.size() == rig.service.files.size());
    CHECK(rig.busy >= 2);
  }
}

TEST_CASE("a catalogue that stays locked ends the cycle after some minutes, and the next one resumes") {
  Rig rig(EventKind::checked);
  rig.journal.heard = [&](const ports::Event& event) {
    if (event.kind == EventKind::checked && rig.journal.count(EventKind::checked) == 1) rig.shared.lock();
  };
  const auto began = rig.clock.now();
  const auto report = rig.cycle();
  CHECK_FALSE(report.has_value());
  CHECK(rig.clock.now() - began < std::chrono::minutes(60));
  rig.shared.unlock();
  rig.journal.heard = {};
  REQUIRE(rig.cycle().has_value());
  CHECK(rig.holds_everything());
}
