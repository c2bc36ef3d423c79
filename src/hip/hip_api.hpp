// A HIP library, opened at run time: its calls as a table, and the one place where a HIP error becomes a Status.
// Immutable once opened; may be used from any thread. A library is never unloaded: HIP runtimes do not survive it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "flashwave/status.hpp"
#include "hip/hip_calls.hpp"
#include "hip/hipemu_ext.hpp"

namespace flashwave::hip {

// clang-format off
/// Every HIP call that the library makes. A HIP library without one of them is refused by name.
#define FLASHWAVE_HIP_CALLS(CALL)                                                                                            \
    CALL(hipInit) CALL(hipDriverGetVersion) CALL(hipRuntimeGetVersion) CALL(hipGetErrorName) CALL(hipGetErrorString)         \
    CALL(hipGetLastError)                                                                                                    \
    CALL(hipGetDeviceCount) CALL(hipGetDevice) CALL(hipSetDevice) CALL(hipDeviceGetAttribute) CALL(hipDeviceSynchronize)     \
    CALL(hipMalloc) CALL(hipFree) CALL(hipMemGetInfo) CALL(hipPointerGetAttributes)                                          \
    CALL(hipMemcpyHtoD) CALL(hipMemcpyDtoH) CALL(hipMemcpyAsync) CALL(hipMemsetAsync) CALL(hipMemsetD32Async)                \
    CALL(hipStreamCreateWithFlags) CALL(hipStreamDestroy) CALL(hipStreamSynchronize) CALL(hipStreamQuery)                    \
    CALL(hipStreamWaitEvent) CALL(hipStreamIsCapturing)                                                                      \
    CALL(hipEventCreateWithFlags) CALL(hipEventDestroy) CALL(hipEventRecord) CALL(hipEventSynchronize) CALL(hipEventQuery)   \
    CALL(hipEventElapsedTime)                                                                                                \
    CALL(hipModuleLoadData) CALL(hipModuleUnload) CALL(hipModuleGetFunction) CALL(hipFuncGetAttribute)                       \
    CALL(hipModuleLaunchKernel) CALL(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor)
// clang-format on

struct Api {
#define FLASHWAVE_HIP_MEMBER(call) decltype(&::call) call = nullptr;
    FLASHWAVE_HIP_CALLS(FLASHWAVE_HIP_MEMBER)
#undef FLASHWAVE_HIP_MEMBER
    /// The properties of a device in the layout of HIP 6; nullptr in an older library, which has the other one.
    decltype(&::hipGetDevicePropertiesR0600) hipGetDevicePropertiesR0600 = nullptr;
    decltype(&::hipGetDeviceProperties) hipGetDeviceProperties = nullptr;

    /// The emulator's own calls; nullptr in every other HIP library.
    decltype(&::hipemuDeviceInfo) hipemuDeviceInfo = nullptr;
    decltype(&::hipemuOpenDevice) hipemuOpenDevice = nullptr;
    decltype(&::hipemuSetSampleGroups) hipemuSetSampleGroups = nullptr;
    decltype(&::hipemuLastLaunch) hipemuLastLaunch = nullptr;
    decltype(&::hipemuExplainLastError) hipemuExplainLastError = nullptr;
    decltype(&::hipemuSetFaults) hipemuSetFaults = nullptr;

    std::string path;  // the file that was opened, as the loader resolved it

    bool emulator() const noexcept { return hipemuDeviceInfo != nullptr; }

    /// ok for hipSuccess; otherwise a Status that names the call and HIP's own name of the error. hipErrorOutOfMemory becomes
    /// Code::out_of_memory, a missing device Code::unavailable, all else Code::device_error. What the emulator found wrong in a kernel is
    /// part of the message.
    Status status(hipError_t error, std::string_view call) const;
};

/// Opens the library at `path` (a bare name is searched as the dynamic loader does) and initialises HIP.
/// Code::unavailable: it cannot be opened, lacks a call, or hipInit fails.
Result<std::shared_ptr<const Api>> open_api(const std::string& path);

/// The first AMD HIP library there is: libamdhip64 by the loader's search, then in /opt/rocm/lib. Code::unavailable where
/// there is none; the message says how to ask for the emulator.
Result<std::shared_ptr<const Api>> open_gpu_api();

/// The emulator that belongs to this build or installation. Code::unavailable: it is not beside the library.
Result<std::shared_ptr<const Api>> open_emulator_api();

}  // namespace flashwave::hip
