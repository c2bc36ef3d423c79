// What is made to go wrong on purpose, for tests of programs: the text of HIPEMU_FAULTS or hipemuSetFaults, understood. Pure functions.
//
// A text is a list of clauses with ';' between them:
//   fail:CALL:WHICH:ERROR            fail:hipMalloc:3:hipErrorOutOfMemory      the call does nothing and returns that error
//   delay:CALL:WHICH:TIME            delay:hipModuleLoadData:1:500ms           the call takes so long before it begins,
//                                                                              or until the faults are set anew
//   oom:BYTES                        oom:1GiB                                  device memory ends there, whatever the card has
//   hang:KERNEL[:WHICH[:block]]      hang:fwd*:2                               the launch is stopped as one without end is; with `block`
//                                                                              it has no end, until the faults are set anew
//   kill:POINT:WHICH                 kill:launch:2                             SIGKILL at a CALL's entry, at `launch` (as a kernel
//                                                                              starts), `before-copy` or `after-copy`
//   flip:KERNEL[:WHICH[:seed=N]]     flip:fwd*:1:seed=7                        one bit of what the launch wrote turns over: one drawn
//   flip:KERNEL:WHICH:buffer=I,byte=N,bit=B                                    at random, or bit B of byte N of the I-th buffer, from 0 and
//                                                                              by address, of those it changed
//   noise:SHARE[:seed=N]             noise:5%:seed=7                           each operation lasts up to that much shorter or longer
//   drift:SHARE                      drift:2%                                  the device becomes slower by that much each modelled second
// WHICH counts from 1 since the text was set: N, N+ (from the N-th on) or * (each, which is what a missing one means). The name of a
// kernel may end in *, for all that begin so. SHARE is in % or ppm; TIME in us, ms or s; BYTES plain or in KiB, MiB, GiB.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flashwave/status.hpp"
#include "hip/hip_abi.hpp"

namespace hipemu {

/// Some of the times that something happens.
struct Occasions {
    std::uint64_t first = 1;
    bool and_later = true;

    bool include(std::uint64_t nth) const { return nth == first || (and_later && nth > first); }
};

struct FailRule {
    std::string call;
    Occasions which;
    hipError_t error = hipErrorUnknown;
};
struct DelayRule {
    std::string call;
    Occasions which;
    std::chrono::microseconds time{0};
};
struct HangRule {
    std::string kernel;
    Occasions which;
    bool blocks = false;
};
struct KillRule {
    std::string point;  // a call, "launch", "before-copy", "after-copy"
    Occasions which;
};
struct FlipRule {
    std::string kernel;
    Occasions which;
    bool random = true;
    std::uint64_t seed = 0;          // random
    std::uint64_t buffer = 0, byte = 0;
    unsigned bit = 0;
};

struct Injection {
    std::vector<FailRule> fails;
    std::vector<DelayRule> delays;
    std::vector<HangRule> hangs;
    std::vector<KillRule> kills;
    std::vector<FlipRule> flips;
    std::optional<std::uint64_t> memory_limit;
    double noise = 0;              // share of an operation's time
    std::uint64_t noise_seed = 0;
    double drift_per_second = 0;   // share of an operation's time

    bool exact_clock() const { return noise == 0 && drift_per_second == 0; }
};

/// invalid_argument names the clause and says what is wrong with it. `is_call`: is there a HIP call of that name that faults can reach?
flashwave::Result<Injection> parse_injection(std::string_view text, const std::function<bool(std::string_view)>& is_call);

/// Does a rule for `pattern`, perhaps with * at its end, speak of `name`?
bool matches(std::string_view pattern, std::string_view name);

}  // namespace hipemu
