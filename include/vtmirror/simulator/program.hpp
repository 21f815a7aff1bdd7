// The program vtmirror-simulator: the specified service for tests, the demo and benchmarks. Never listens beyond
// loopback.
#pragma once

namespace vtmirror::simulator {

/// Reads the command line, serves until it is stopped, and returns the exit status: 0 done, 1 failed, 2 wrong usage.
int run_program(int argc, char** argv);

}  // namespace vtmirror::simulator
