// Copies and fills. Copies between pageable host memory and the device follow HIP's rules: the source of an asynchronous copy to the device is
// read during the call, and an asynchronous copy to pageable memory waits. In a stream that is capturing they become nodes, read at each replay.
#include <cstring>
#include <initializer_list>

#include <fmt/format.h>

#include "emulator/hip/copy.hpp"
#include "emulator/hip/work.hpp"

using namespace hipemu;

namespace {

/// How the host takes part in a call.
enum class Waits : std::uint8_t { no, yes };

/// Captures and calls that wait: those of the default stream are not allowed, in another stream they become nodes.
hipError_t check_waits(Machine& machine, const Stream& stream, Waits waits) {
    if (waits == Waits::no || stream.capture) return hipSuccess;
    return stream.is_default ? verdict(machine.captures.check_synchronous()) : check_unsafe(machine);
}

/// Copies of the default stream come after what the default streams of other devices do to their memory. It is done first: each device has an
/// order of its own.
std::vector<std::shared_ptr<Point>> work_of_others(Machine& machine, const Device& device, std::initializer_list<const CopyRange*> ends) {
    std::vector<std::shared_ptr<Point>> work;
    for (const CopyRange* end : ends) {
        if (end->kind != CopyRange::Kind::device || end->block->device == device.ordinal) continue;
        Queue& queue = machine.devices[static_cast<std::size_t>(end->block->device)]->queue;
        const std::shared_ptr<Stream> stream = queue.default_stream();
        queue.finish(stream);
        for (const auto& one : queue.streams())
            if (one->tail && (one == stream || one->blocking())) work.push_back(one->tail);
    }
    return work;
}

hipError_t copy(hipStream_t handle, void* to, const void* from, const CopyShape& shape, hipMemcpyKind kind, Waits waits,
                const char* call = __builtin_FUNCTION()) {
    return stream_entry(handle, [&](Machine& machine, Device& device, Stream& stream) {
        if (shape.bytes() == 0) return hipSuccess;
        const bool captured = stream.capture != nullptr;
        const Moment moment = captured ? Moment::in_replay : Moment::after_queue;
        const CopyRange target = find_copy_range(machine, to, shape.to_span(), moment);
        const CopyRange source = find_copy_range(machine, from, shape.from_span(), moment);
        if (const hipError_t error = check_copy(target, source, kind, call)) return error;
        if (const hipError_t error = check_waits(machine, stream, waits)) return error;
        CopyTask task{.to = to, .from = from, .shape = shape, .kind = kind};
        if (source.kind == CopyRange::Kind::pageable && target.kind == CopyRange::Kind::device && waits == Waits::no && !captured)
            task.staged = std::make_shared<const std::vector<std::byte>>(source.bytes, source.bytes + shape.from_span());
        std::vector<std::shared_ptr<Point>> after;
        if (stream.is_default) after = work_of_others(machine, device, {&target, &source});
        std::shared_ptr<Point> point;
        if (const hipError_t error = submit(machine, device, stream, std::move(task), &point, after)) return error;
        // A copy within the device does not hold up the host, whatever call it comes from.
        const bool touches_host = target.on_host() || source.on_host();
        if (!point || (!(waits == Waits::yes && touches_host) && target.kind != CopyRange::Kind::pageable)) return hipSuccess;
        device.queue.finish(point);
        return reported(device.queue.take_failure(stream));
    }, call);
}

hipError_t copy(hipStream_t handle, void* to, const void* from, std::size_t bytes, hipMemcpyKind kind, Waits waits,
                const char* call = __builtin_FUNCTION()) {
    return copy(handle, to, from, CopyShape{.width = bytes}, kind, waits, call);
}

/// Rows that cannot overlap; no row reaches beyond its pitch.
hipError_t copy_2d(hipStream_t handle, void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                   std::size_t height, hipMemcpyKind kind, Waits waits, const char* call = __builtin_FUNCTION()) {
    return whole_call([&] {
        if (width == 0 || height == 0) return entry([](Machine&) { return hipSuccess; });
        if (width > to_pitch || width > from_pitch)
            return entry([&](Machine&) {
                return refuse(hipErrorInvalidPitchValue, fmt::format("{}: rows of {} bytes with pitches of {} and {}", call, width, to_pitch, from_pitch));
            });
        if (height - 1 > (SIZE_MAX - width) / std::max(to_pitch, from_pitch)) return entry([](Machine&) { return hipErrorInvalidValue; });
        return copy(handle, to, from, CopyShape{.width = width, .height = height, .to_pitch = to_pitch, .from_pitch = from_pitch}, kind, waits, call);
    }, call);
}

hipError_t fill(hipStream_t handle, void* to, std::uint32_t value, unsigned unit, std::size_t width, std::size_t height, std::size_t pitch,
                Waits waits, const char* call) {
    return stream_entry(handle, [&](Machine& machine, Device& device, Stream& stream) {
        if (width == 0 || height == 0) return hipSuccess;
        const std::size_t row = width * unit;
        if (row / unit != width || (pitch != 0 && height - 1 > (SIZE_MAX - row) / pitch)) return hipErrorInvalidValue;
        if (height > 1 && row > pitch)
            return refuse(hipErrorInvalidPitchValue, fmt::format("{}: rows of {} bytes with a pitch of {}", call, row, pitch));
        const CopyRange target = find_copy_range(machine, to, pitch * (height - 1) + row, stream.capture ? Moment::in_replay : Moment::after_queue);
        if (target.kind == CopyRange::Kind::invalid)
            return refuse(hipErrorInvalidValue, fmt::format("{}: the destination is wrong: {}", call, target.trouble));
        if (target.kind == CopyRange::Kind::pageable)
            return refuse(hipErrorInvalidValue, fmt::format("{}: the destination is host memory", call));
        if (reinterpret_cast<std::uintptr_t>(to) % unit != 0)
            return refuse(hipErrorInvalidValue, fmt::format("{}: the destination is not aligned to {} bytes", call, unit));
        if (const hipError_t error = check_waits(machine, stream, waits)) return error;
        return submit(machine, device, stream, FillTask{.to = to, .value = value, .unit = unit, .width = width, .height = height, .pitch = pitch, .call = call});
    }, call);
}

hipError_t fill(void* to, std::uint32_t value, unsigned unit, std::size_t count, const char* call = __builtin_FUNCTION()) {
    return fill(nullptr, to, value, unit, count, 1, 0, Waits::yes, call);
}
hipError_t fill(hipStream_t stream, void* to, std::uint32_t value, unsigned unit, std::size_t count, const char* call = __builtin_FUNCTION()) {
    return fill(stream, to, value, unit, count, 1, 0, Waits::no, call);
}

hipError_t copy_3d(hipStream_t handle, const hipMemcpy3DParms* parameters, Waits waits, const char* call = __builtin_FUNCTION()) {
    return whole_call([&] {
        CopyPlaces places;
        if (const hipError_t error = read_parameters(parameters, call, places)) return error;
        return copy(handle, places.to, places.from, places.shape, parameters->kind, waits, call);
    }, call);
}

/// Both ordinals have to be devices; where the memory lies, its address says.
hipError_t copy_peer(hipStream_t handle, void* to, int to_device, const void* from, int from_device, std::size_t bytes, Waits waits,
                     const char* call = __builtin_FUNCTION()) {
    return whole_call([&] {
        const hipError_t error = entry([&](Machine& machine) {
            for (const int device : {to_device, from_device})
                if (device < 0 || static_cast<std::size_t>(device) >= machine.devices.size())
                    return refuse(hipErrorInvalidDevice, fmt::format("{}: there is no device {}", call, device));
            const auto lies_at = [&](const void* pointer, int device) {
                const Block* block = machine.memory.find(reinterpret_cast<std::uint64_t>(pointer));
                return !block || block->kind != BlockKind::device || block->device == device;
            };
            if (!lies_at(to, to_device) || !lies_at(from, from_device))
                return refuse(hipErrorInvalidValue, fmt::format("{}: the memory is of another device than the call says", call));
            return hipSuccess;
        });
        return error != hipSuccess ? error : copy(handle, to, from, bytes, hipMemcpyDeviceToDevice, waits, call);
    }, call);
}

}  // namespace

HIPEMU_EXPORT hipError_t hipMemcpy(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind) {
    return copy(nullptr, to, from, bytes, kind, Waits::yes);
}
HIPEMU_EXPORT hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind, hipStream_t stream) {
    return copy(stream, to, from, bytes, kind, Waits::no);
}
HIPEMU_EXPORT hipError_t hipMemcpyWithStream(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind, hipStream_t stream) {
    return copy(stream, to, from, bytes, kind, Waits::yes);
}
HIPEMU_EXPORT hipError_t hipMemcpyHtoD(hipDeviceptr_t to, void* from, std::size_t bytes) {
    return copy(nullptr, to, from, bytes, hipMemcpyHostToDevice, Waits::yes);
}
HIPEMU_EXPORT hipError_t hipMemcpyDtoH(void* to, hipDeviceptr_t from, std::size_t bytes) {
    return copy(nullptr, to, from, bytes, hipMemcpyDeviceToHost, Waits::yes);
}
HIPEMU_EXPORT hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, std::size_t bytes) {
    return copy(nullptr, to, from, bytes, hipMemcpyDeviceToDevice, Waits::yes);
}
HIPEMU_EXPORT hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, void* from, std::size_t bytes, hipStream_t stream) {
    return copy(stream, to, from, bytes, hipMemcpyHostToDevice, Waits::no);
}
HIPEMU_EXPORT hipError_t hipMemcpyDtoHAsync(void* to, hipDeviceptr_t from, std::size_t bytes, hipStream_t stream) {
    return copy(stream, to, from, bytes, hipMemcpyDeviceToHost, Waits::no);
}
HIPEMU_EXPORT hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, std::size_t bytes, hipStream_t stream) {
    return copy(stream, to, from, bytes, hipMemcpyDeviceToDevice, Waits::no);
}

HIPEMU_EXPORT hipError_t hipMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                                     std::size_t height, hipMemcpyKind kind) {
    return copy_2d(nullptr, to, to_pitch, from, from_pitch, width, height, kind, Waits::yes);
}
HIPEMU_EXPORT hipError_t hipMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                                          std::size_t height, hipMemcpyKind kind, hipStream_t stream) {
    return copy_2d(stream, to, to_pitch, from, from_pitch, width, height, kind, Waits::no);
}
HIPEMU_EXPORT hipError_t hipMemcpy3D(const hipMemcpy3DParms* parameters) { return copy_3d(nullptr, parameters, Waits::yes); }
HIPEMU_EXPORT hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms* parameters, hipStream_t stream) { return copy_3d(stream, parameters, Waits::no); }
HIPEMU_EXPORT hipError_t hipMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes) {
    return copy_peer(nullptr, to, to_device, from, from_device, bytes, Waits::yes);
}
HIPEMU_EXPORT hipError_t hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes, hipStream_t stream) {
    return copy_peer(stream, to, to_device, from, from_device, bytes, Waits::no);
}

HIPEMU_EXPORT hipError_t hipMemset(void* to, int value, std::size_t bytes) { return fill(to, static_cast<std::uint32_t>(value), 1, bytes); }
HIPEMU_EXPORT hipError_t hipMemsetAsync(void* to, int value, std::size_t bytes, hipStream_t stream) {
    return fill(stream, to, static_cast<std::uint32_t>(value), 1, bytes);
}
HIPEMU_EXPORT hipError_t hipMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
    return fill(nullptr, to, static_cast<std::uint32_t>(value), 1, width, height, pitch, Waits::yes, "hipMemset2D");
}
HIPEMU_EXPORT hipError_t hipMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height, hipStream_t stream) {
    return fill(stream, to, static_cast<std::uint32_t>(value), 1, width, height, pitch, Waits::no, "hipMemset2DAsync");
}
HIPEMU_EXPORT hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, std::size_t count) { return fill(to, value, 1, count); }
HIPEMU_EXPORT hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, std::size_t count, hipStream_t stream) {
    return fill(stream, to, value, 1, count);
}
HIPEMU_EXPORT hipError_t hipMemsetD16(hipDeviceptr_t to, unsigned short value, std::size_t count) { return fill(to, value, 2, count); }
HIPEMU_EXPORT hipError_t hipMemsetD16Async(hipDeviceptr_t to, unsigned short value, std::size_t count, hipStream_t stream) {
    return fill(stream, to, value, 2, count);
}
HIPEMU_EXPORT hipError_t hipMemsetD32(hipDeviceptr_t to, int value, std::size_t count) { return fill(to, static_cast<std::uint32_t>(value), 4, count); }
HIPEMU_EXPORT hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, std::size_t count, hipStream_t stream) {
    return fill(stream, to, static_cast<std::uint32_t>(value), 4, count);
}
