#include "hipemu_command/measured_launch.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "hip/module.hpp"
#include "hipemu_command/argument_block.hpp"
#include "hipemu_command/emulator_calls.hpp"

namespace hipemu::command {

using flashwave::Code;
using flashwave::Result;
using flashwave::Status;
namespace hip = flashwave::hip;

namespace {

Result<CodeFile> code_of(const LaunchDescription& launch, const std::string& target) {
    if (!launch.object.empty()) return read_code(launch.object, target);
    return compile_code({.path = launch.source, .headers = launch.headers, .options = launch.options}, target);
}

std::uint64_t address_of(const std::vector<LaunchBuffer>& buffers, const std::string& name) {
    const auto buffer = std::find_if(buffers.begin(), buffers.end(), [&](const LaunchBuffer& one) { return one.name() == name; });
    return buffer == buffers.end() ? 0 : buffer->address();
}

/// The checks and limits of the launch.
Status set_up(const EmulatorCalls& calls, const hip::Api& api, const LaunchDescription& launch) {
    if (launch.sample) FLASHWAVE_RETURN_IF_ERROR(api.status(api.hipemuSetSampleGroups(*launch.sample), "hipemuSetSampleGroups"));
    if (!launch.strict.empty() && calls.set_strictness(launch.strict.c_str()) != hipSuccess) {
        char why[1024] = "";
        (void)api.hipemuExplainLastError(why, sizeof why);
        return {Code::invalid_argument, fmt::format("\"strict\" of the launch: {}", why)};
    }
    if (!launch.instruction_limit) return {};
    return api.status(calls.set_instruction_limit(*launch.instruction_limit), "hipemuSetInstructionLimit");
}

class Session {
public:
    Session(const LaunchDescription& launch, const hip::Device& device, const EmulatorCalls& calls, MeasuredLaunch& result)
        : launch_(launch), device_(device), calls_(calls), result_(result) {}

    Status run() {
        const hip::Api& api = device_.api();
        for (LaunchBuffer& buffer : result_.buffers) FLASHWAVE_RETURN_IF_ERROR(buffer.allocate(device_));
        auto block = argument_block(*result_.kernel, launch_.arguments,
                                    [&](const std::string& name) { return address_of(result_.buffers, name); });
        if (!block.ok()) return block.status();
        auto module = hip::Module::load(device_, result_.code.image());
        if (!module.ok()) return module.status();
        const auto kernel = module->kernel(result_.kernel->name);
        if (!kernel.ok()) return kernel.status();
        FLASHWAVE_RETURN_IF_ERROR(set_up(calls_, api, launch_));

        const hip::LaunchShape shape{.grid = launch_.grid, .block = launch_.block, .dynamic_shared_bytes = launch_.dynamic_lds};
        for (std::uint32_t i = 0; i < launch_.repeat; ++i) {
            for (LaunchBuffer& buffer : result_.buffers) FLASHWAVE_RETURN_IF_ERROR(buffer.upload());
            FLASHWAVE_RETURN_IF_ERROR(kernel->launch(shape, nullptr, block->data(), block->size()));
            const Status done = device_.synchronize();
            result_.warning = calls_.warnings();
            if (!done.ok()) {
                result_.finding = calls_.last_finding();
                return result_.finding.empty() ? done : Status();
            }
            FLASHWAVE_RETURN_IF_ERROR(fetch(i > 0));
        }
        result_.profile = calls_.profile();
        return {};
    }

private:
    Status fetch(bool compare) {
        const hip::Api& api = device_.api();
        FLASHWAVE_RETURN_IF_ERROR(api.status(api.hipemuLastLaunch(&result_.stats), "hipemuLastLaunch"));
        result_.seconds.push_back(result_.stats.seconds);
        for (LaunchBuffer& buffer : result_.buffers) {
            const std::string before = compare ? buffer.bytes() : std::string();
            FLASHWAVE_RETURN_IF_ERROR(buffer.download());
            if (compare && buffer.bytes() != before) result_.repeats_differ = true;
        }
        return {};
    }

    const LaunchDescription& launch_;
    const hip::Device& device_;
    const EmulatorCalls& calls_;
    MeasuredLaunch& result_;
};

}  // namespace

Result<MeasuredLaunch> measure(const LaunchDescription& launch) {
    // As flashwave's --device takes it, too.
    const std::string prefix = launch.device.starts_with("emulated:") ? "" : "emulated:";
    const auto device = hip::Device::open(prefix + launch.device);
    if (!device.ok()) return device.status();
    const auto calls = EmulatorCalls::of(device->api());
    if (!calls.ok()) return calls.status();
    MeasuredLaunch result;
    result.device = device->facts();
    auto code = code_of(launch, result.device.target);
    if (!code.ok()) return code.status();
    result.code = std::move(*code);
    const auto kernel = select_kernel(result.code.object, launch.kernel);
    if (!kernel.ok()) return kernel.status();
    result.kernel = *kernel;
    for (const ArgumentDescription* argument : buffers_of(launch.arguments)) {
        auto buffer = LaunchBuffer::make(*argument);
        if (!buffer.ok()) return buffer.status();
        result.buffers.push_back(std::move(*buffer));
    }
    FLASHWAVE_RETURN_IF_ERROR(Session(launch, *device, *calls, result).run());
    return result;
}

}  // namespace hipemu::command
