// The calls that only the emulator has (hip/hipemu_ext.hpp).
#include <algorithm>
#include <cstring>

#include "emulator/hip/entry.hpp"
#include "hip/hipemu_ext.hpp"

using namespace hipemu;

namespace {

/// Hands out no more of a struct than its caller knows of.
template <class Struct>
hipError_t give(Struct value, Struct* to) {
    if (!to || to->size < sizeof to->size) return hipErrorInvalidValue;
    value.size = to->size;
    std::memcpy(to, &value, std::min<std::size_t>(to->size, sizeof value));
    return hipSuccess;
}

template <std::size_t N>
void put_text(char (&field)[N], std::string_view text) {
    std::memcpy(field, text.data(), std::min(text.size(), N - 1));
}

hipError_t give_text(const std::string& from, char* to, std::size_t size) {
    if (!to || size == 0) return hipErrorInvalidValue;
    const std::size_t count = std::min(from.size(), size - 1);
    std::memcpy(to, from.data(), count);
    to[count] = 0;
    return hipSuccess;
}

}  // namespace

HIPEMU_EXPORT hipError_t hipemuDeviceInfo(int device, HipemuDeviceInfo* info) {
    return entry([&](Machine& machine) {
        machine.in_use = true;
        if (device < 0 || static_cast<std::size_t>(device) >= machine.devices.size()) return hipErrorInvalidDevice;
        const Chip& chip = *machine.devices[static_cast<std::size_t>(device)]->chip;
        HipemuDeviceInfo value;
        value.emulated = 1;
        value.deterministic_clock = Injector::instance().exact_clock() ? 1 : 0;
        value.compute_units = chip.compute_units;
        put_text(value.card, chip.name);
        put_text(value.target, chip.target);
        put_text(value.timing_table_hash, timing_table_hash(chip, config().timing));
        return give(value, info);
    });
}

HIPEMU_EXPORT hipError_t hipemuOpenDevice(const char* name, int* ordinal) {
    return entry([&](Machine& machine) {
        if (!name || !ordinal) return hipErrorInvalidValue;
        const Device* device = machine.open_device(name);
        if (!device) return hipErrorInvalidDevice;
        *ordinal = device->ordinal;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipemuSetSampleGroups(std::uint64_t groups) {
    return entry([&](Machine&) {
        this_thread().sample_groups = groups;
        this_thread().sample_groups_set = true;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipemuSetStrictness(const char* text) {
    return entry([&](Machine&) {
        if (!text) return hipErrorInvalidValue;
        const auto strictness = parse_strictness(text);
        if (!strictness.ok()) return refuse(hipErrorInvalidValue, strictness.status().message());
        this_thread().strict = *strictness;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipemuSetInstructionLimit(std::uint64_t instructions) {
    return entry([&](Machine&) {
        this_thread().instruction_limit = instructions;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipemuLastLaunch(HipemuLaunchStats* stats) {
    return entry([&](Machine& machine) { return give(machine.last_launch, stats); });
}

HIPEMU_EXPORT hipError_t hipemuLastLaunchProfile(HipemuInstructionVisitor visit, void* user) {
    return entry([&](Machine& machine) {
        if (!visit) return hipErrorInvalidValue;
        const LaunchProfile& profile = machine.last_profile;
        for (std::size_t i = 0; profile.program && i < profile.instructions.size(); ++i) {
            if (profile.program->code[i].info == nullptr) continue;  // the end of the text section
            const HipemuInstruction instruction{.timed_groups = profile.timed_groups,
                                                .address = profile.program->code[i].address,
                                                .text = profile.program->text[i].c_str(),
                                                .count = profile.counts[i],
                                                .issue_cycles = profile.instructions[i].issue_cycles,
                                                .stall_cycles = profile.instructions[i].stall_cycles};
            visit(&instruction, user);
        }
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipemuExplainLastError(char* text, std::size_t size) { return give_text(this_thread().explanation, text, size); }

HIPEMU_EXPORT hipError_t hipemuLastFault(char* text, std::size_t size) {
    return entry([&](Machine& machine) { return give_text(machine.last_fault, text, size); });
}

HIPEMU_EXPORT hipError_t hipemuLastWarning(std::uint64_t* count, char* text, std::size_t size) {
    return entry([&](Machine& machine) {
        if (count) *count = machine.warning_count;
        return text ? give_text(machine.last_warning, text, size) : hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipemuSetFaults(const char* text) {
    // Without the machine's lock: a launch that blocks on purpose may hold up the others.
    const flashwave::Status status = Injector::instance().set(text ? text : "");
    return status.ok() ? hipSuccess : refuse(hipErrorInvalidValue, status.message());
}
