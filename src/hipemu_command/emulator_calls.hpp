// Calls that only the emulator has and flashwave does not need (hip/hipemu_ext.hpp). Immutable once found.
#pragma once

#include <string>

#include "flashwave/status.hpp"
#include "hip/hip_api.hpp"
#include "hipemu_command/profile.hpp"

namespace hipemu::command {

struct EmulatorCalls {
    decltype(&::hipemuSetStrictness) set_strictness = nullptr;
    decltype(&::hipemuSetInstructionLimit) set_instruction_limit = nullptr;
    decltype(&::hipemuLastFault) last_fault = nullptr;
    decltype(&::hipemuLastWarning) last_warning = nullptr;
    decltype(&::hipemuLastLaunchProfile) last_launch_profile = nullptr;

    /// unavailable: an emulator of another version, without one of them.
    static flashwave::Result<EmulatorCalls> of(const flashwave::hip::Api& api);

    /// What stopped the last kernel, in words; empty if nothing did.
    std::string last_finding() const;
    /// How many warnings there were, and the last of them; empty if there was none.
    std::string warnings() const;
    /// The kernel that finished last.
    Profile profile() const;
};

}  // namespace hipemu::command
