// A journal that keeps nothing: for finding out what a repair would do, without reporting it as done.
#pragma once

#include "vtmirror/agent/agent.hpp"

namespace vtmirror::agent {

class NoJournal final : public ports::Journal {
  void log(const ports::Event&) override {}
};

/// The same ports with that journal, which must outlive them.
inline Ports without_journal(const Ports& ports, ports::Journal& none) {
  return {ports.loop, ports.clock, ports.dice,      ports.http, ports.partials, ports.shelf,
          none,       ports.stop,  ports.catalogue, ports.pool, ports.checks,   ports.reading};
}

}  // namespace vtmirror::agent
