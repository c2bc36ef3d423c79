// What every exported call does around its work: take the lock, find the machine, remember the error, fail where it was told to.
// Helpers pass on the name of the exported call that they work for: __builtin_FUNCTION() as a default argument names the caller.
#pragma once

#include <new>
#include <string_view>
#include <utility>

#include "emulator/runtime/injector.hpp"
#include "emulator/runtime/machine.hpp"
#include "hip/hip_calls.hpp"

#define HIPEMU_EXPORT __attribute__((visibility("default")))

namespace hipemu {

/// For hipGetLastError, which up to HIP 6.4 tells what the last call returned, success included.
inline hipError_t remember(hipError_t error) { return this_thread().last_error = error; }

/// Runs `work()`, which may consist of several calls, as the one call that the program made.
template <class Work>
hipError_t whole_call(Work&& work, const char* call = __builtin_FUNCTION()) {
    ThreadState& thread = this_thread();
    // The rule for functions that a stream calls: no HIP in there. Some of it would wait for itself.
    if (thread.in_host_function) return remember(refuse(hipErrorIllegalState, "a function called by a stream must not call HIP"));
    if (thread.call_depth == 0) {
        thread.explanation.clear();
        if (const hipError_t error = Injector::instance().at_call(call))
            return remember(refuse(error, std::string(call) + ": made to fail on purpose"));
    }
    struct Depth {
        int& calls;
        explicit Depth(int& count) : calls(count) { ++calls; }
        ~Depth() { --calls; }
    } const depth(thread.call_depth);
    const hipError_t result = std::forward<Work>(work)();
    // What programs have of HIP is not disturbed by the calls that only the emulator has.
    return thread.call_depth == 1 && !std::string_view(call).starts_with("hipemu") ? remember(result) : result;
}

/// Runs `work(machine)` as one HIP call, under the lock. No exception leaves: the only one there can be is that the host has no memory left.
template <class Work>
hipError_t entry(Work&& work, const char* call = __builtin_FUNCTION()) {
    return whole_call(
        [&] {
            Machine& machine = Machine::instance();
            const HeldLock held(machine);
            try {
                return work(machine);
            } catch (const std::bad_alloc&) {
                return hipErrorOutOfMemory;
            }
        },
        call);
}

/// There is no device: says why, where the environment is to blame.
inline hipError_t no_device() {
    const std::string& trouble = Injector::instance().trouble();
    return trouble.empty() ? hipErrorNoDevice : refuse(hipErrorNoDevice, trouble);
}

/// The same for calls that need a device: hipErrorNoDevice where there is none.
template <class Work>
hipError_t device_entry(Work&& work, const char* call = __builtin_FUNCTION()) {
    return entry(
        [&](Machine& machine) {
            if (machine.devices.empty()) return no_device();
            return work(machine, machine.current());
        },
        call);
}

/// The same for calls on a stream.
template <class Work>
hipError_t stream_entry(hipStream_t handle, Work&& work, const char* call = __builtin_FUNCTION()) {
    return entry(
        [&](Machine& machine) {
            if (machine.devices.empty()) return no_device();
            const StreamHandle found = machine.find_stream(handle);
            if (!found.stream) return refuse(hipErrorContextIsDestroyed, "there is no such stream; was it destroyed?");
            return work(machine, *found.device, *found.stream);
        },
        call);
}

/// After waiting: the failure of work on a stream, now reported, with its explanation.
inline hipError_t reported(Failure failure) {
    if (failure.error != hipSuccess) this_thread().explanation = std::move(failure.explanation);
    return failure.error;
}

}  // namespace hipemu
