#include "hipemu_command/emulator_calls.hpp"

#include <dlfcn.h>

#include <fmt/format.h>

namespace hipemu::command {

using flashwave::Code;
using flashwave::Result;
using flashwave::Status;

Result<EmulatorCalls> EmulatorCalls::of(const flashwave::hip::Api& api) {
    void* const library = dlopen(api.path.c_str(), RTLD_NOW | RTLD_NOLOAD);
    EmulatorCalls calls;
    const char* missing = nullptr;
    const auto find = [&]<class Function>(Function*& function, const char* name) {
        function = library != nullptr ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
        if (function == nullptr) missing = name;
    };
    find(calls.set_strictness, "hipemuSetStrictness");
    find(calls.set_instruction_limit, "hipemuSetInstructionLimit");
    find(calls.last_fault, "hipemuLastFault");
    find(calls.last_warning, "hipemuLastWarning");
    find(calls.last_launch_profile, "hipemuLastLaunchProfile");
    if (missing != nullptr)
        return Status(Code::unavailable, fmt::format("{} has no {}; it is of another version", api.path, missing));
    return calls;
}

std::string EmulatorCalls::last_finding() const {
    char text[4096] = "";
    return last_fault(text, sizeof text) == hipSuccess ? text : std::string();
}

std::string EmulatorCalls::warnings() const {
    std::uint64_t count = 0;
    char text[4096] = "";
    if (last_warning(&count, text, sizeof text) != hipSuccess || count == 0) return {};
    return count == 1 ? text : fmt::format("{} (and {} more, which HIPEMU_QUIET=0 prints)", text, count - 1);
}

Profile EmulatorCalls::profile() const {
    Profile profile;
    const auto take = [](const HipemuInstruction* one, void* into) {
        static_cast<Profile*>(into)->instructions.push_back({.offset = one->address,
                                                             .text = one->text,
                                                             .count = one->count,
                                                             .issue_cycles = one->issue_cycles,
                                                             .stall_cycles = one->stall_cycles});
    };
    return last_launch_profile(take, &profile) == hipSuccess ? profile : Profile();
}

}  // namespace hipemu::command
