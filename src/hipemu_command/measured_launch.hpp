// Runs a described launch and gathers all that is known of it afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flashwave/status.hpp"
#include "hip/device.hpp"
#include "hip/hipemu_ext.hpp"
#include "hipemu_command/buffers.hpp"
#include "hipemu_command/code_file.hpp"
#include "hipemu_command/launch_description.hpp"
#include "hipemu_command/profile.hpp"

namespace hipemu::command {

struct MeasuredLaunch {
    flashwave::hip::DeviceFacts device;
    CodeFile code;
    const KernelDescription* kernel = nullptr;   // in `code`
    std::string finding;                         // what stopped it; empty: it ran to its end
    std::string warning;                         // what the hardware allows and is wrong all the same; empty: nothing
    std::vector<double> seconds;                 // modelled, of each launch
    bool repeats_differ = false;                 // two launches left different bits
    HipemuLaunchStats stats;                     // of the last launch
    Profile profile;                             // likewise
    std::vector<LaunchBuffer> buffers;           // after the last launch

    /// Only some work-groups ran: outputs are incomplete and not compared with anything.
    bool sampled() const { return stats.groups_run < stats.groups; }
    bool modelled() const { return !finding.empty() || stats.groups_timed > 0; }  // false: HIPEMU_TIMING=off

    MeasuredLaunch() = default;
    MeasuredLaunch(MeasuredLaunch&&) = default;
    MeasuredLaunch& operator=(MeasuredLaunch&&) = default;
};

/// A finding of the emulator is part of the result; a status means that nothing could be launched.
flashwave::Result<MeasuredLaunch> measure(const LaunchDescription& launch);

}  // namespace hipemu::command
