// What the emulator (libhipemu) offers beyond HIP. A HIP library that has hipemuDeviceInfo is the emulator. All structs begin with their
// size, set by the caller: fields beyond it are left alone. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hip/hip_abi.hpp"

struct HipemuDeviceInfo {
    std::uint32_t size = sizeof(HipemuDeviceInfo);
    std::int32_t emulated = 0;              // 1
    std::int32_t deterministic_clock = 0;   // 1: the same launch has the same modelled time, always; 0 under faults of the clock
    std::uint32_t compute_units = 0;        // of the modelled card; two make one HIP multiprocessor in WGP mode
    char card[32] = {};                     // "rx7900xtx"
    char target[32] = {};                   // "gfx1100"
    char timing_table_hash[65] = {};        // SHA-256 (hex) of every constant of the timing model
};

/// Counts and modelled time of the last kernel that finished.
struct HipemuLaunchStats {
    std::uint32_t size = sizeof(HipemuLaunchStats);
    std::uint32_t waves_per_simd = 0;       // occupancy
    std::uint64_t groups = 0;               // of the grid
    std::uint64_t groups_run = 0;           // fewer where a sample ran
    std::uint64_t instructions[11] = {};    // wave instructions of the groups that ran, by unit: salu smem valu trans wmma vopd lds vmem branch wait other
    double seconds = 0;                     // modelled, of the whole grid
    double cycles = 0;                      // modelled, of the busiest SIMD
    double matrix_share = 0;                // of those cycles, what the matrix pipe was busy
    char limiter[32] = {};                  // "issue", "lds port", "memory"
};

extern "C" {

/// hipErrorInvalidDevice: no such ordinal.
hipError_t hipemuDeviceInfo(int device, HipemuDeviceInfo* info);

/// The ordinal of an emulated card, by gfx target or card name ("gfx1100", "rx7900xtx"). A card that is not among the devices yet takes
/// the place of the default device if nothing was done with that so far, and is added otherwise. hipErrorInvalidDevice: no such card.
hipError_t hipemuOpenDevice(const char* name, int* device);

/// Kernels launched by the calling thread from now on run only about so many work-groups, spread evenly over the grid, and their
/// time is scaled up: their output is incomplete. 0 runs all.
hipError_t hipemuSetSampleGroups(std::uint64_t groups);

/// The checks made of kernels launched by the calling thread from now on, in the words of HIPEMU_STRICT: "all", "none", or a list of undefined,
/// waits, lds_races, global_races, misaligned, wmma, hazards, barriers; "-waits,-hazards" means all but those. hipErrorInvalidValue: the text
/// is not understood, hipemuExplainLastError says why, and nothing changes.
hipError_t hipemuSetStrictness(const char* text);

/// Kernels launched by the calling thread from now on fail with hipErrorLaunchTimeOut once a wave has run so many instructions. 0: the default,
/// a thousand million.
hipError_t hipemuSetInstructionLimit(std::uint64_t instructions);

hipError_t hipemuLastLaunch(HipemuLaunchStats* stats);

/// Makes things go wrong on purpose from now on: fail, delay, kill, hang, flip a bit, run out of memory, a clock with noise and drift, in the
/// words of HIPEMU_FAULTS (src/emulator/injection.hpp). Replaces what was set before; "" ends it. hipErrorInvalidValue: the text is not
/// understood, hipemuExplainLastError says where, and nothing changes.
hipError_t hipemuSetFaults(const char* text);

/// Why the last call of this thread that failed did so, in words; empty where HIP's error says it all.
hipError_t hipemuExplainLastError(char* text, std::size_t size);

/// The text of the last finding (out-of-bounds access, unknown instruction, ...) of this process; empty if there was none.
hipError_t hipemuLastFault(char* text, std::size_t size);

/// How many warnings there were in this process, of what the hardware allows and is wrong all the same, such as a barrier that not every
/// thread reaches, and the text of the last one. Each place of a kernel is warned of once. `count` and `text` may be null.
hipError_t hipemuLastWarning(std::uint64_t* count, char* text, std::size_t size);
}
