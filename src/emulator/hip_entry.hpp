// What every exported call does around its work: take the lock, find the machine, remember the error.
#pragma once

#include <new>
#include <utility>

#include "emulator/machine.hpp"
#include "hip/hip_calls.hpp"

#define HIPEMU_EXPORT __attribute__((visibility("default")))

namespace hipemu {

inline hipError_t remember(hipError_t error) {
    // "Not ready" is an answer, not an error.
    if (error != hipSuccess && error != hipErrorNotReady) this_thread().last_error = error;
    return error;
}

/// Runs `work(machine)` as one HIP call. No exception leaves: the only one there can be is that the host has no memory left.
template <class Work>
hipError_t entry(Work&& work) {
    ThreadState& thread = this_thread();
    // The rule for functions that a stream calls: no HIP in there. Some of it would wait for itself.
    if (thread.in_host_function) return remember(refuse(hipErrorIllegalState, "a function called by a stream must not call HIP"));
    Machine& machine = Machine::instance();
    const std::lock_guard held(machine.lock);
    thread.explanation.clear();
    try {
        return remember(std::forward<Work>(work)(machine));
    } catch (const std::bad_alloc&) {
        return remember(hipErrorOutOfMemory);
    }
}

/// The same for calls that need a device: hipErrorNoDevice where there is none.
template <class Work>
hipError_t device_entry(Work&& work) {
    return entry([&](Machine& machine) {
        if (machine.devices.empty()) return hipErrorNoDevice;
        return work(machine, machine.current());
    });
}

/// The same for calls on a stream.
template <class Work>
hipError_t stream_entry(hipStream_t handle, Work&& work) {
    return entry([&](Machine& machine) {
        if (machine.devices.empty()) return hipErrorNoDevice;
        const StreamHandle found = machine.find_stream(handle);
        if (!found.stream) return refuse(hipErrorContextIsDestroyed, "there is no such stream; was it destroyed?");
        return work(machine, *found.device, *found.stream);
    });
}

/// After waiting: the failure of work on a stream, now reported, with its explanation.
inline hipError_t reported(Machine& machine, hipError_t failure) {
    if (failure != hipSuccess) this_thread().explanation = machine.last_fault;
    return failure;
}

}  // namespace hipemu
