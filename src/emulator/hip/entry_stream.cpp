// Streams and events. Captures of streams are in hip/entry_capture.cpp.
#include <fmt/format.h>

#include "emulator/hip/work.hpp"

using namespace hipemu;

namespace {

constexpr unsigned kKnownEventFlags = hipEventBlockingSync | hipEventDisableTiming | 4u /* hipEventInterprocess */ | 0x20000000u |
                                      0x40000000u | 0x80000000u /* fences at the end of a kernel */;
constexpr double kPicosecondsPerMillisecond = 1e9;

hipError_t create_stream(hipStream_t* handle, unsigned flags, int priority, const char* call = __builtin_FUNCTION()) {
    return device_entry([&](Machine& machine, Device& device) {
        if (!handle || (flags & ~hipStreamNonBlocking)) return hipErrorInvalidValue;
        std::shared_ptr<Stream> stream = device.queue.create(flags, priority);
        *handle = reinterpret_cast<hipStream_t>(stream.get());
        machine.streams[*handle] = {std::move(stream), &device};
        return hipSuccess;
    }, call);
}

hipError_t create_event(hipEvent_t* handle, unsigned flags, const char* call = __builtin_FUNCTION()) {
    return device_entry([&](Machine& machine, Device& device) {
        if (!handle || (flags & ~kKnownEventFlags)) return hipErrorInvalidValue;
        auto event = std::make_shared<Event>();
        event->flags = flags;
        event->device = device.ordinal;
        *handle = reinterpret_cast<hipEvent_t>(event.get());
        machine.events[*handle] = std::move(event);
        return hipSuccess;
    }, call);
}

/// Runs `work(machine, event)`.
template <class Work>
hipError_t event_entry(hipEvent_t handle, Work&& work, const char* call = __builtin_FUNCTION()) {
    return entry([&](Machine& machine) {
        Event* event = machine.find_event(handle);
        if (!event) return refuse(hipErrorInvalidHandle, "there is no such event; was it destroyed?");
        return work(machine, *event);
    }, call);
}

/// Runs `work(machine, device, stream)` where a stream is asked or waited for, which a capture does not allow.
template <class Work>
hipError_t waiting_entry(hipStream_t handle, Work&& work, const char* call = __builtin_FUNCTION()) {
    return stream_entry(handle, [&](Machine& machine, Device& device, Stream& stream) {
        if (const hipError_t error = verdict(machine.captures.check_wait(stream, device.queue.streams(), this_thread().capture_mode))) return error;
        return work(machine, device, stream);
    }, call);
}

}  // namespace

HIPEMU_EXPORT hipError_t hipStreamCreate(hipStream_t* stream) { return create_stream(stream, hipStreamDefault, 0); }
HIPEMU_EXPORT hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) { return create_stream(stream, flags, 0); }
HIPEMU_EXPORT hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int priority) {
    return create_stream(stream, flags, priority < -1 ? -1 : priority > 1 ? 1 : priority);
}

HIPEMU_EXPORT hipError_t hipStreamDestroy(hipStream_t stream) {
    if (!stream || stream == hipStreamLegacy || stream == hipStreamPerThread)
        return entry([](Machine&) { return refuse(hipErrorInvalidHandle, "a default stream cannot be destroyed"); });
    return stream_entry(stream, [&](Machine& machine, Device&, Stream&) {
        machine.destroy_stream(stream);
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipStreamSynchronize(hipStream_t stream) {
    return waiting_entry(stream, [](Machine&, Device& device, Stream& found) {
        device.queue.finish(found.shared_from_this());
        return reported(device.queue.take_failure(found));
    });
}

HIPEMU_EXPORT hipError_t hipStreamQuery(hipStream_t stream) {
    return waiting_entry(stream, [](Machine&, Device& device, Stream& found) {
        for (const auto& one : device.queue.streams()) {
            const bool asked = one.get() == &found || (found.is_default && one->blocking());
            if (!asked || !one->tail || one->tail->done) continue;
            device.queue.poll(std::shared_ptr<Point>(one->tail));
            return hipErrorNotReady;
        }
        return reported(device.queue.take_failure(found));
    });
}

HIPEMU_EXPORT hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t handle, unsigned flags) {
    return stream_entry(stream, [&](Machine& machine, Device& device, Stream& found) {
        const Event* event = machine.find_event(handle);
        if (!event) return refuse(hipErrorInvalidHandle, "there is no such event; was it destroyed?");
        if (flags != 0) return hipErrorInvalidValue;
        bool done = false;
        if (const hipError_t error = verdict(machine.captures.wait(found, *event, done)); error != hipSuccess || done) return error;
        if (const hipError_t error = verdict(machine.captures.check_use(found, device.queue.streams()))) return error;
        const std::shared_ptr<Point> point = point_to_wait_for(machine, device, *event);
        if (!point) return hipSuccess;  // never recorded: nothing to wait for
        device.queue.add(found, {.even_after_failure = true, .after = {point}});
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipStreamGetFlags(hipStream_t stream, unsigned* flags) {
    return stream_entry(stream, [&](Machine&, Device&, Stream& found) {
        if (!flags) return hipErrorInvalidValue;
        *flags = found.flags;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipStreamGetPriority(hipStream_t stream, int* priority) {
    return stream_entry(stream, [&](Machine&, Device&, Stream& found) {
        if (!priority) return hipErrorInvalidValue;
        *priority = found.priority;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* device) {
    return stream_entry(stream, [&](Machine&, Device& found, Stream&) {
        if (!device) return hipErrorInvalidValue;
        *device = found.ordinal;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void* user_data, unsigned flags) {
    return stream_entry(stream, [&](Machine& machine, Device& device, Stream& found) {
        if (!callback || flags != 0) return hipErrorInvalidValue;
        if (const hipError_t error = verdict(machine.captures.check_callback(found, device.queue.streams()))) return error;
        return submit(machine, device, found, HostTask{.function = [=](hipError_t status) { callback(stream, status, user_data); }});
    });
}

HIPEMU_EXPORT hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* user_data) {
    return stream_entry(stream, [&](Machine& machine, Device& device, Stream& found) {
        if (!function) return hipErrorInvalidValue;
        return submit(machine, device, found, host_task({.fn = function, .userData = user_data}));
    });
}

HIPEMU_EXPORT hipError_t hipEventCreate(hipEvent_t* event) { return create_event(event, hipEventDefault); }
HIPEMU_EXPORT hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) { return create_event(event, flags); }

HIPEMU_EXPORT hipError_t hipEventDestroy(hipEvent_t handle) {
    return event_entry(handle, [&](Machine& machine, Event&) {
        machine.events.erase(handle);
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipEventRecord(hipEvent_t handle, hipStream_t stream) {
    return stream_entry(stream, [&](Machine& machine, Device& device, Stream& found) {
        Event* event = machine.find_event(handle);
        if (!event) return refuse(hipErrorInvalidHandle, "there is no such event; was it destroyed?");
        if (event->device != device.ordinal)
            return refuse(hipErrorInvalidHandle, fmt::format("the event is of device {}, the stream of device {}", event->device, device.ordinal));
        if (const hipError_t error = verdict(machine.captures.check_use(found, device.queue.streams()))) return error;
        if (found.capture) {
            machine.captures.record(*event, found);
            return hipSuccess;
        }
        event->capture.reset();
        event->captured_after.clear();
        const std::shared_ptr<Point> point = device.queue.add(found, {.even_after_failure = true});
        // While it waited for its turn, another thread may have destroyed the event.
        if (Event* still = machine.find_event(handle)) still->point = point;
        return hipSuccess;
    });
}

HIPEMU_EXPORT hipError_t hipEventSynchronize(hipEvent_t handle) {
    return event_entry(handle, [](Machine& machine, Event& event) {
        if (const hipError_t error = verdict(machine.captures.check_event(event))) return error;
        Device* device = device_of(machine, event);
        if (!device) return hipSuccess;
        const std::shared_ptr<Point> point = event.point;
        if (const auto stream = point->stream.lock(); stream && !stream->is_default)
            if (const hipError_t error = verdict(machine.captures.check_wait(*stream, device->queue.streams(), this_thread().capture_mode))) return error;
        device->queue.finish(point);
        return reported(device->queue.take_failure(*point));
    });
}

HIPEMU_EXPORT hipError_t hipEventQuery(hipEvent_t handle) {
    return event_entry(handle, [](Machine& machine, Event& event) {
        if (const hipError_t error = verdict(machine.captures.check_event(event))) return error;
        Device* device = device_of(machine, event);
        if (!device) return hipSuccess;
        const std::shared_ptr<Point> point = event.point;
        if (point->done) return reported(device->queue.take_failure(*point));
        device->queue.poll(point);
        return hipErrorNotReady;
    });
}

HIPEMU_EXPORT hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop) {
    return event_entry(start, [&](Machine& machine, Event& first) {
        const Event* last = machine.find_event(stop);
        if (!last) return refuse(hipErrorInvalidHandle, "there is no such event; was it destroyed?");
        if (!milliseconds) return hipErrorInvalidValue;
        for (const Event* event : {static_cast<const Event*>(&first), last})
            if (const hipError_t error = verdict(machine.captures.check_event(*event))) return error;
        if (first.device != last->device) return refuse(hipErrorInvalidHandle, "the events are of different devices");
        if ((first.flags | last->flags) & hipEventDisableTiming)
            return refuse(hipErrorInvalidHandle, "the event was created with hipEventDisableTiming");
        if (!first.point || !last->point) return refuse(hipErrorInvalidHandle, "the event was never recorded");
        if (!first.point->done || !last->point->done) return hipErrorNotReady;
        *milliseconds = static_cast<float>(static_cast<double>(last->point->time - first.point->time) / kPicosecondsPerMillisecond);
        return hipSuccess;
    });
}
