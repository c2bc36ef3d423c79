#include "cli/process_clock.hpp"

#include <time.h>

namespace flashwave::cli {
namespace {

double milliseconds(clockid_t clock) noexcept {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

double started = 0;

}  // namespace

// /proc tells the start in steps of 10 ms, which is too coarse. Until main a process loads its libraries and waits for
// nothing but the disk, so the processor time it has used by then is how long ago it began.
void note_process_start() noexcept { started = milliseconds(CLOCK_MONOTONIC) - milliseconds(CLOCK_PROCESS_CPUTIME_ID); }

double milliseconds_since_start() noexcept { return milliseconds(CLOCK_MONOTONIC) - started; }

}  // namespace flashwave::cli
