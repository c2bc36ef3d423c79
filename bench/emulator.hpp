// The parts of bench_emulator.
#pragma once

#include <cstddef>

namespace bench {

/// Loops of single instructions. Prints; gives the number of those that did not run.
int run_loops();

/// One problem of the forward kernel, as it ran in this process's setting of checks, timing, lanes and threads.
struct ForwardRate {
    char problem[32] = {};
    double instructions = 0, matrix = 0;            // wave instructions of one launch; of those, WMMA
    double wall_seconds = 0, processor_seconds = 0; // of the fastest launch
    double small_wall_seconds = 0;                  // of a launch of one work-group's rows: what every launch costs
    char failure[256] = {};                         // why there are no figures; empty: there are
};
inline constexpr std::size_t kForwardProblems = 4;
void run_forward(ForwardRate (&rates)[kForwardProblems]);

}  // namespace bench
