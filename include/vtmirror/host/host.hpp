// The machine: the real clock, real dice, and the journal on stderr. One factory each.
#pragma once

#include "vtmirror/ports/clock.hpp"
#include "vtmirror/ports/journal.hpp"
#include "vtmirror/ports/stop.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>

namespace vtmirror::host {

/// Both are borrowed. `stop` must outlive `loop`, because the loop destroys the waits that never ended, and these
/// unregister from `stop`.
std::unique_ptr<ports::Clock> make_clock(boost::asio::io_context& loop, ports::Stop& stop);
std::unique_ptr<ports::Dice> make_dice();

enum class Colour { automatic, always, never };
/// For people: time, level and message on stderr, coloured on a terminal. Events below `least` are dropped.
std::unique_ptr<ports::Journal> make_terminal_journal(ports::Level least, Colour colour);

}  // namespace vtmirror::host
