// The program vtmirror-simulator: the service of the specification on loopback, for tests, the demo and benchmarks.
#pragma once

namespace vtmirror::simulator {

/// Reads the command line, serves until told to stop, and returns the exit status: 0 done, 1 failed, 2 wrong usage.
int run_program(int argc, char** argv);

}  // namespace vtmirror::simulator
