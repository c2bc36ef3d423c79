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

/// Where the SIMD cycles of the whole chip went during a kernel, as parts that add up to 1. A cycle in which a SIMD issues no vector
/// instruction counts for what kept its waves from issuing one.
struct HipemuCycleParts {
    double matrix = 0;        // matrix instructions were issued
    double valu = 0;          // other vector instructions
    double trans = 0;         // transcendental ones
    double lds = 0;           // the LDS port was taken, or LDS data moved into registers
    double memory_wait = 0;   // waiting for global or scalar memory
    double lds_wait = 0;      // for LDS
    double barrier = 0;       // for other waves of the work-group
    double scalar = 0;        // scalar instructions, branches, hints
    double dependency = 0;    // an operand was not ready yet
    double fetch = 0;         // the instruction was not there yet
    double idle = 0;          // no wave was there: too few work-groups, or the tail of the launch
};

/// Counts and modelled time of the last kernel that finished.
struct HipemuLaunchStats {
    std::uint32_t size = sizeof(HipemuLaunchStats);
    std::uint32_t waves_per_simd = 0;       // occupancy
    std::uint64_t groups = 0;               // of the grid
    std::uint64_t groups_run = 0;           // fewer where a sample ran
    std::uint64_t instructions[11] = {};    // wave instructions of the groups that ran, by unit: salu smem valu trans wmma vopd lds vmem branch wait other
    double seconds = 0;                     // modelled, of the whole grid
    double cycles = 0;                      // modelled, from the first wave to the last
    double matrix_share = 0;                // of the chip's cycles, what the matrix pipes were busy: as parts.matrix
    char limiter[32] = {};                  // the largest of `parts` but idle: "matrix", "memory wait", ...
    HipemuCycleParts parts;
    char occupancy_limit[32] = {};          // what keeps more waves from fitting: "registers", "lds", "wave slots", "group slots"
    std::uint32_t groups_per_wgp = 0;       // that fit one WGP (four SIMDs) at a time
    std::uint32_t reserved = 0;
    std::uint64_t groups_timed = 0;         // of those that ran, how many the timing model followed cycle by cycle
};

/// One instruction of the kernel that finished last.
struct HipemuInstruction {
    std::uint32_t size = sizeof(HipemuInstruction);
    std::uint32_t timed_groups = 0;         // work-groups simulated, the same one several times where few were traced
    std::uint64_t address = 0;              // offset in the text section of the code object
    const char* text = nullptr;             // as listed; valid during the call
    std::uint64_t count = 0;                // times that a wave ran it, in the groups that ran
    double issue_cycles = 0;                // modelled, of the simulated groups: that its pipe was taken, in all waves together
    double stall_cycles = 0;                // likewise: that waves waited at it
};
using HipemuInstructionVisitor = void (*)(const HipemuInstruction* instruction, void* user);

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

/// Calls `visit` for every instruction of the kernel that finished last, in address order. `visit` must not call HIP.
hipError_t hipemuLastLaunchProfile(HipemuInstructionVisitor visit, void* user);

/// Makes things go wrong on purpose from now on: fail, delay, kill, hang, flip a bit, run out of memory, a clock with noise and drift, in the
/// words of HIPEMU_FAULTS (src/emulator/runtime/injection.hpp). Replaces what was set before; "" ends it. hipErrorInvalidValue: the text is not
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
