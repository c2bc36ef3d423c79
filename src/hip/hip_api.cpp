#include "hip/hip_api.hpp"

#include <dlfcn.h>

#include <atomic>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "base/file_system.hpp"
#include "base/settings.hpp"

namespace flashwave::hip {
namespace {

constexpr std::string_view kAskForEmulator =
    "to run without a GPU ask for the built-in emulator: device \"emulated:gfx1100\" (--device, Options::device or FLASHWAVE_DEVICE)";

// The emulator is in this process because a device of it was asked for by name, not because the application brought it.
std::atomic<bool> emulator_is_ours{false};

Code code_of(hipError_t error) {
    switch (error) {
        case hipErrorOutOfMemory: return Code::out_of_memory;
        case hipErrorNoDevice:
        case hipErrorInvalidDevice:
        case hipErrorInsufficientDriver: return Code::unavailable;
        case hipErrorNotFound: return Code::not_found;
        default: return Code::device_error;
    }
}

}  // namespace

Status Api::status(hipError_t error, std::string_view call) const {
    if (error == hipSuccess) return {};
    const char* name = hipGetErrorName ? hipGetErrorName(error) : nullptr;
    const char* text = hipGetErrorString ? hipGetErrorString(error) : nullptr;
    std::string message = fmt::format("{}: {} ({})", call, name ? name : "unknown HIP error", text ? text : std::to_string(error));
    if (hipemuExplainLastError) {
        char why[4096] = "";
        if (hipemuExplainLastError(why, sizeof why) == hipSuccess && why[0]) message += fmt::format(": {}", why);
    }
    // HIP keeps the last error of a thread; it has been reported now and must not surface in somebody else's hipGetLastError.
    if (hipGetLastError) (void)hipGetLastError();
    return {code_of(error), std::move(message)};
}

Result<std::shared_ptr<const Api>> open_api(const std::string& path) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char* why = dlerror();
        return Status(Code::unavailable, fmt::format("cannot open the HIP library {}: {}", path, why ? why : "unknown reason"));
    }
    auto api = std::make_shared<Api>();
    const auto find = [library]<class Function>(Function*& function, const char* name) {
        function = reinterpret_cast<Function*>(dlsym(library, name));
        return function != nullptr;
    };
#define FLASHWAVE_HIP_FIND(call) \
    if (!find(api->call, #call)) return Status(Code::unavailable, fmt::format("the HIP library {} has no {}; HIP 5 or later is needed", path, #call));
    FLASHWAVE_HIP_CALLS(FLASHWAVE_HIP_FIND)
#undef FLASHWAVE_HIP_FIND
    find(api->hipGetDevicePropertiesR0600, "hipGetDevicePropertiesR0600");
    find(api->hipGetDeviceProperties, "hipGetDeviceProperties");
    find(api->hipemuDeviceInfo, "hipemuDeviceInfo");
    find(api->hipemuOpenDevice, "hipemuOpenDevice");
    find(api->hipemuSetSampleGroups, "hipemuSetSampleGroups");
    find(api->hipemuLastLaunch, "hipemuLastLaunch");
    find(api->hipemuExplainLastError, "hipemuExplainLastError");
    find(api->hipemuSetFaults, "hipemuSetFaults");

    Dl_info info{};
    api->path = dladdr(reinterpret_cast<void*>(api->hipInit), &info) && info.dli_fname ? info.dli_fname : path;
    if (hipError_t error = api->hipInit(0); error != hipSuccess)
        return api->status(error, fmt::format("hipInit of {}", api->path)).with_context("HIP cannot start");
    return std::shared_ptr<const Api>(std::move(api));
}

Result<std::shared_ptr<const Api>> open_gpu_api() {
    if (const std::string& path = settings().hip_library; !path.empty()) return open_api(path);
    std::vector<std::string> places{"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};
    places.push_back("/opt/rocm/lib/libamdhip64.so");
    for (const std::string& place : places) {
        void* library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!library) continue;
        auto api = open_api(place);
        if (!api.ok()) return Status(api.status().code(), fmt::format("{}; {}", api.status().message(), kAskForEmulator));
        // Once open_emulator_api has loaded the emulator, its soname answers to these names too; a GPU was asked for. An application
        // that loaded it as its HIP library has asked for it.
        if ((*api)->emulator() && emulator_is_ours) continue;
        return api;
    }
    return Status(Code::unavailable, fmt::format("there is no HIP library (libamdhip64.so) on this machine; {}", kAskForEmulator));
}

Result<std::shared_ptr<const Api>> open_emulator_api() {
    if (const std::string& path = settings().hip_library; !path.empty()) {
        auto api = open_api(path);
        if (api.ok() && !(*api)->emulator())
            return Status(Code::unavailable, fmt::format("FLASHWAVE_HIP_LIBRARY names {}, which is not the emulator", path));
        return api;
    }
    const std::filesystem::path folder = own_directory();
    // In a build tree, beside the library or from a program in bin/; installed, from lib/, bin/ and libexec/flashwave/. It is
    // installed in a folder of its own, for in lib/ its soname would make ldconfig offer it to every HIP program.
    for (const char* way : {".", "../lib", "flashwave", "../" FLASHWAVE_LIBDIR "/flashwave", "../../" FLASHWAVE_LIBDIR "/flashwave"}) {
        const std::filesystem::path file = folder / way / "libhipemu.so";
        std::error_code ignored;
        if (!std::filesystem::exists(file, ignored)) continue;
        const std::string path = std::filesystem::canonical(file, ignored).string();
        if (dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD) == nullptr) emulator_is_ours = true;
        return open_api(path);
    }
    return Status(Code::unavailable, fmt::format("the emulator (libhipemu.so) is not beside {}; FLASHWAVE_HIP_LIBRARY can name it",
                                                 folder.string()));
}

}  // namespace flashwave::hip
