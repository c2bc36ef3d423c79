#include "emulator/runtime/error_names.hpp"

namespace hipemu {
namespace {

#define HIPEMU_ERROR(name, text) {name, #name, text}
constexpr ErrorText kErrors[] = {
    HIPEMU_ERROR(hipSuccess, "no error"),
    HIPEMU_ERROR(hipErrorInvalidValue, "invalid argument"),
    HIPEMU_ERROR(hipErrorOutOfMemory, "out of memory"),
    HIPEMU_ERROR(hipErrorNotInitialized, "initialization error"),
    HIPEMU_ERROR(hipErrorDeinitialized, "driver shutting down"),
    HIPEMU_ERROR(hipErrorInvalidConfiguration, "invalid configuration argument"),
    HIPEMU_ERROR(hipErrorInvalidPitchValue, "invalid pitch argument"),
    HIPEMU_ERROR(hipErrorInvalidSymbol, "invalid device symbol"),
    HIPEMU_ERROR(hipErrorInvalidDevicePointer, "invalid device pointer"),
    HIPEMU_ERROR(hipErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    HIPEMU_ERROR(hipErrorInsufficientDriver, "driver version is insufficient for runtime version"),
    HIPEMU_ERROR(hipErrorMissingConfiguration, "__global__ function call is not configured"),
    HIPEMU_ERROR(hipErrorPriorLaunchFailure, "unspecified launch failure in prior launch"),
    HIPEMU_ERROR(hipErrorInvalidDeviceFunction, "invalid device function"),
    HIPEMU_ERROR(hipErrorNoDevice, "no ROCm-capable device is detected"),
    HIPEMU_ERROR(hipErrorInvalidDevice, "invalid device ordinal"),
    HIPEMU_ERROR(hipErrorInvalidImage, "device kernel image is invalid"),
    HIPEMU_ERROR(hipErrorInvalidContext, "invalid device context"),
    HIPEMU_ERROR(hipErrorContextAlreadyCurrent, "context is already current context"),
    HIPEMU_ERROR(hipErrorMapFailed, "mapping of buffer object failed"),
    HIPEMU_ERROR(hipErrorNoBinaryForGpu, "no kernel image is available for execution on the device"),
    HIPEMU_ERROR(hipErrorECCNotCorrectable, "uncorrectable ECC error encountered"),
    HIPEMU_ERROR(hipErrorUnsupportedLimit, "limit is not supported on this architecture"),
    HIPEMU_ERROR(hipErrorInvalidKernelFile, "invalid kernel file"),
    HIPEMU_ERROR(hipErrorInvalidSource, "invalid source"),
    HIPEMU_ERROR(hipErrorFileNotFound, "file not found"),
    HIPEMU_ERROR(hipErrorSharedObjectSymbolNotFound, "shared object symbol not found"),
    HIPEMU_ERROR(hipErrorSharedObjectInitFailed, "shared object initialization failed"),
    HIPEMU_ERROR(hipErrorOperatingSystem, "OS call failed or operation not supported on this OS"),
    HIPEMU_ERROR(hipErrorInvalidHandle, "invalid resource handle"),
    HIPEMU_ERROR(hipErrorIllegalState, "the operation cannot be performed in the present state"),
    HIPEMU_ERROR(hipErrorNotFound, "named symbol not found"),
    HIPEMU_ERROR(hipErrorNotReady, "device not ready"),
    HIPEMU_ERROR(hipErrorIllegalAddress, "an illegal memory access was encountered"),
    HIPEMU_ERROR(hipErrorLaunchOutOfResources, "too many resources requested for launch"),
    HIPEMU_ERROR(hipErrorLaunchTimeOut, "the launch timed out and was terminated"),
    HIPEMU_ERROR(hipErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    HIPEMU_ERROR(hipErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    HIPEMU_ERROR(hipErrorSetOnActiveProcess, "cannot set while device is active in this process"),
    HIPEMU_ERROR(hipErrorContextIsDestroyed, "context is destroyed"),
    HIPEMU_ERROR(hipErrorAssert, "device-side assert triggered"),
    HIPEMU_ERROR(hipErrorHostMemoryAlreadyRegistered, "part or all of the requested memory range is already mapped"),
    HIPEMU_ERROR(hipErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region"),
    HIPEMU_ERROR(hipErrorLaunchFailure, "unspecified launch failure"),
    HIPEMU_ERROR(hipErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    HIPEMU_ERROR(hipErrorNotSupported, "operation not supported"),
    HIPEMU_ERROR(hipErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    HIPEMU_ERROR(hipErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"),
    HIPEMU_ERROR(hipErrorStreamCaptureMerge, "operation would result in a merge of separate capture sequences"),
    HIPEMU_ERROR(hipErrorStreamCaptureUnmatched, "capture was not ended in the same stream as it began"),
    HIPEMU_ERROR(hipErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    HIPEMU_ERROR(hipErrorStreamCaptureIsolation, "dependency created on uncaptured work in another stream"),
    HIPEMU_ERROR(hipErrorStreamCaptureImplicit, "operation would make the legacy stream depend on a capturing blocking stream"),
    HIPEMU_ERROR(hipErrorCapturedEvent, "operation not permitted on an event last recorded in a capturing stream"),
    HIPEMU_ERROR(hipErrorStreamCaptureWrongThread, "attempt to terminate a thread-local capture sequence from another thread"),
    HIPEMU_ERROR(hipErrorGraphExecUpdateFailure, "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update"),
    HIPEMU_ERROR(hipErrorUnknown, "unknown error"),
    HIPEMU_ERROR(hipErrorRuntimeMemory, "runtime memory call returned error"),
    HIPEMU_ERROR(hipErrorRuntimeOther, "runtime call other than memory returned error"),
};
#undef HIPEMU_ERROR

}  // namespace

const ErrorText* find_error(hipError_t error) {
    for (const ErrorText& one : kErrors)
        if (one.error == error) return &one;
    return nullptr;
}

const ErrorText* find_error(std::string_view name) {
    for (const ErrorText& one : kErrors)
        if (one.name == name) return &one;
    return nullptr;
}

}  // namespace hipemu
