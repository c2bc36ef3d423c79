// Initialisation, versions and errors.
#include "emulator/hip/entry.hpp"
#include "emulator/runtime/error_names.hpp"

using namespace hipemu;

namespace {

// What ROCm 6.4 answers. Programs compare it with the version they were built with.
constexpr int kHipVersion = 60443484;

}  // namespace

HIPEMU_EXPORT hipError_t hipInit(unsigned flags) {
    return entry([&](Machine& machine) {
        if (flags != 0) return hipErrorInvalidValue;
        return machine.devices.empty() ? no_device() : hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipDriverGetVersion(int* version) {
    return entry([&](Machine&) {
        if (!version) return hipErrorInvalidValue;
        *version = kHipVersion;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipRuntimeGetVersion(int* version) {
    return entry([&](Machine&) {
        if (!version) return hipErrorInvalidValue;
        *version = kHipVersion;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipGetLastError() { return std::exchange(this_thread().last_error, hipSuccess); }
HIPEMU_EXPORT hipError_t hipPeekAtLastError() { return this_thread().last_error; }
HIPEMU_EXPORT hipError_t hipExtGetLastError() { return std::exchange(this_thread().last_error, hipSuccess); }

HIPEMU_EXPORT const char* hipGetErrorName(hipError_t error) {
    const ErrorText* found = find_error(error);
    return found ? found->name : "hipErrorUnknown";
}

HIPEMU_EXPORT const char* hipGetErrorString(hipError_t error) {
    const ErrorText* found = find_error(error);
    return found ? found->text : "unknown error";
}

HIPEMU_EXPORT hipError_t hipDrvGetErrorName(hipError_t error, const char** name) {
    const ErrorText* found = find_error(error);
    if (!name || !found) return hipErrorInvalidValue;
    *name = found->name;
    return hipSuccess;
}

HIPEMU_EXPORT hipError_t hipDrvGetErrorString(hipError_t error, const char** text) {
    const ErrorText* found = find_error(error);
    if (!text || !found) return hipErrorInvalidValue;
    *text = found->text;
    return hipSuccess;
}
