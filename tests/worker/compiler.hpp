// What tests of compiling share: small kernels, and the compiler of this machine.
#pragma once

#include <doctest/doctest.h>

#include <chrono>
#include <optional>
#include <string>

#include "base/file.hpp"
#include "base/worker_channel.hpp"

namespace flashwave {

/// How the worker is started here. Where ROCm's compiler lies on the machine its absence is a failure; where there is
/// none the test that asked is skipped with a message.
inline std::optional<WorkerLaunch> compiler_here() {
    Result<WorkerLaunch> launch = find_worker();
    if (launch.ok()) return *launch;
    const bool rocm_is_here = is_directory("/opt/rocm") || is_directory(std::string(FLASHWAVE_SOURCE_DIR) + "/.rocm");
    if (rocm_is_here) FAIL("ROCm is installed and its compiler was not found: ", launch.status().to_string());
    MESSAGE("skipped, for there is no compiler: ", launch.status().message());
    return std::nullopt;
}

/// A launch that needs no ROCm, for requests that reach no compiler.
inline WorkerLaunch launch_without_rocm() {
    WorkerLaunch launch;
    launch.program = std::string(FLASHWAVE_BUILD_DIR) + "/bin/flashwave-worker";
    launch.hiprtc = "/no/such/libhiprtc.so";
    launch.comgr = "/no/such/libamd_comgr.so";
    launch.origin = "nowhere";
    return launch;
}

inline CompileJob small_job(std::string target = "gfx1100") {
    return {.target = std::move(target),
            .main_file = "small.hip",
            .files = {{.name = "small.hip",
                       .text = "#include \"part/square.h\"\n"
                               "extern \"C\" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(1, "
                               "128))) void small(float* out) {\n"
                               "    __attribute__((shared)) static float kept[64];\n"
                               "    const unsigned lane = __builtin_amdgcn_workitem_id_x();\n"
                               "    kept[lane & 63] = square(out[lane]);\n"
                               "    __builtin_amdgcn_s_barrier();\n"
                               "    out[lane] = kept[(lane + 1) & 63];\n"
                               "}\n"},
                      {.name = "part/square.h",
                       .text = "__attribute__((device)) inline float square(float x) { return x * x; }\n"}},
            .options = {"-O3", "-std=c++17", "--hiprtc-no-builtin-header", "-nogpuinc"}};
}

/// Nothing in these tests takes that long unless it hangs.
inline Deadline soon() { return deadline_after(std::chrono::seconds(60)); }

}  // namespace flashwave
