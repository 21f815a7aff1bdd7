#include "vtmirror/simulator/program.hpp"

int main(int argc, char** argv) { return vtmirror::simulator::run_program(argc, argv); }
