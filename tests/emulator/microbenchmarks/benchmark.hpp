// Microbenchmarks: HIP kernels of this folder, launched as any HIP program does, and the times that the emulator models
// for them. What they are held against are the constants of the card in the chip table, read from its own file:
// libhipemu shows none. One thread.
#pragma once

#include <cstdint>
#include <string>

#include "emulator/hip_program.hpp"
#include "emulator/timing/chips.hpp"

namespace hip_test {

struct BenchmarkCard {
    const char *name, *target;
};
// A large card and a processor's own GPU.
inline constexpr BenchmarkCard kLarge{"rx7900xtx", "gfx1100"}, kIntegrated{"strixhalo", "gfx1151"};

struct LaunchShape {
    unsigned groups = 1;
    unsigned waves = 1;        // of a work-group
    unsigned lds = 0;          // bytes of a work-group
    std::uint64_t sample = 0;  // work-groups that run; 0: all
};

class Benchmark {
  public:
    /// Compiles a file of this folder, opens the card and makes it current. No checks are made of what is launched from
    /// now on: registers that are timed hold what they happen to hold.
    Benchmark(const std::string& file, const BenchmarkCard& card);

    const hipemu::Chip& chip() const { return *chip_; }

    template <class... Arguments>
    HipemuLaunchStats run(const std::string& kernel, const LaunchShape& shape, Arguments... arguments) const {
        HIP_OK(hipemuSetSampleGroups(shape.sample));
        HIP_OK(launch(module_.kernel(kernel.c_str()), {shape.groups}, {shape.waves * 32}, shape.lds, nullptr,
                      arguments...));
        HIP_OK(hipDeviceSynchronize());
        HIP_OK(hipemuSetSampleGroups(0));
        HipemuLaunchStats stats;
        HIP_OK(hipemuLastLaunch(&stats));
        return stats;
    }

    /// Cycles that more rounds of a kernel take, for one round.
    template <class... Arguments>
    double cycles_of_round(const std::string& kernel, const LaunchShape& shape, Arguments... arguments) const {
        return (run(kernel, shape, 2 * kRounds, arguments...).cycles -
                run(kernel, shape, kRounds, arguments...).cycles) /
               kRounds;
    }

    /// Cycles of one line of KERNEL, which has `lines` of them a round, where KERNEL_twice has twice as many: loops,
    /// launches and the first fetch of instructions fall out of the difference.
    template <class... Arguments>
    double cycles_each(const std::string& kernel, int lines, const LaunchShape& shape = {},
                       Arguments... arguments) const {
        return (cycles_of_round(kernel + "_twice", shape, arguments...) -
                cycles_of_round(kernel, shape, arguments...)) /
               lines;
    }

    static constexpr int kRounds = 4;

  private:
    const hipemu::Chip* chip_;
    Module module_;
};

/// Checks that a measured value is within a tenth of what is expected.
void check_near(double measured, double expected, const std::string& what);

}  // namespace hip_test
