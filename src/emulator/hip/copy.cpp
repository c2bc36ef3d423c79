#include "emulator/hip/copy.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "emulator/hip/work.hpp"
#include "emulator/runtime/injector.hpp"

namespace hipemu {
namespace {

// A PCIe 4.0 x16 link as copies see it; what a copy costs before its first byte. Not measured by us: order of magnitude only.
constexpr double kLinkBytesPerSecond = 25e9;
constexpr double kCopyLatencySeconds = 8e-6;
constexpr double kPicosecondsPerSecond = 1e12;
constexpr std::byte kUndefinedOnHost{0xa5};

Picoseconds picoseconds(double seconds) { return static_cast<Picoseconds>(seconds * kPicosecondsPerSecond); }

Picoseconds on_device(const Device& device, double traffic) {
    return picoseconds(device.chip->launch_overhead_us * 1e-6 + traffic / (device.chip->memory_gbs * 1e9));
}

/// Overwrites those of `count` copied bytes whose bits are not set.
void spoil_undefined(std::byte* copied, const std::uint8_t* defined, std::uint64_t first, std::uint64_t count) {
    if (!defined) return;
    for (std::uint64_t i = 0; i < count;) {
        if ((first + i) % 8 == 0 && count - i >= 8 && defined[(first + i) / 8] == 0xff) {
            i += 8;
            continue;
        }
        if (!is_defined(defined, first + i)) copied[i] = kUndefinedOnHost;
        ++i;
    }
}

const char* name_of(CopyRange::Kind kind) { return kind == CopyRange::Kind::device ? "device memory" : "host memory"; }

}  // namespace

CopyRange find_copy_range(Machine& machine, const void* pointer, std::size_t bytes, Moment moment) {
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    CopyRange place;
    Block* block = machine.memory.find_any(address);
    if (block && block->hidden && (moment == Moment::now || (moment == Moment::after_queue && !is_in_use(*block)))) block = nullptr;
    if (block) {
        place.offset = address - block->whole.base;
        if (bytes > block->whole.size - place.offset) {
            place.trouble = fmt::format("it runs {} bytes past the end of {} ({} bytes at {:#x})", bytes - (block->whole.size - place.offset),
                                        block->whole.label, block->whole.size, block->whole.base);
            return place;
        }
        place.kind = block->on_host() ? CopyRange::Kind::pinned : CopyRange::Kind::device;
        place.block = block;
        place.bytes = block->whole.host + place.offset;
    } else if (machine.memory.is_device_address(address)) {
        place.trouble = fmt::format("it is {}", machine.memory.describe(address));
    } else if (!pointer) {
        place.trouble = "it is null";
    } else {
        place.kind = CopyRange::Kind::pageable;
        place.bytes = reinterpret_cast<std::byte*>(address);
    }
    return place;
}

hipError_t read_parameters(const hipMemcpy3DParms* parameters, const char* call, CopyPlaces& places) {
    if (!parameters) return hipErrorInvalidValue;
    const hipMemcpy3DParms& p = *parameters;
    if (p.srcArray || p.dstArray) return refuse(hipErrorNotSupported, fmt::format("{}: the emulator has no arrays", call));
    if (!p.srcPtr.ptr || !p.dstPtr.ptr) return refuse(hipErrorInvalidValue, fmt::format("{}: an end of the copy is null", call));
    const hipExtent& size = p.extent;
    places = {};
    if (size.width == 0 || size.height == 0 || size.depth == 0) return hipSuccess;
    for (const auto& [end, at] : {std::pair{&p.srcPtr, &p.srcPos}, {&p.dstPtr, &p.dstPos}}) {
        const bool in_row = end->pitch >= at->x && size.width <= end->pitch - at->x;
        if (!in_row && (size.height > 1 || size.depth > 1 || end->pitch != 0))
            return refuse(hipErrorInvalidPitchValue, fmt::format("{}: {} bytes at {} of rows of {}", call, size.width, at->x, end->pitch));
        if ((size.depth > 1 || at->z > 0) && (end->ysize < at->y || size.height > end->ysize - at->y))
            return refuse(hipErrorInvalidValue, fmt::format("{}: {} rows at {} of slices of {}", call, size.height, at->y, end->ysize));
    }
    const auto slice = [](const hipPitchedPtr& end) { return end.pitch * end.ysize; };
    const auto first = [&](const hipPitchedPtr& end, const hipPos& at) { return static_cast<char*>(end.ptr) + at.z * slice(end) + at.y * end.pitch + at.x; };
    places = {.to = first(p.dstPtr, p.dstPos), .from = first(p.srcPtr, p.srcPos),
              .shape = {.width = size.width, .height = size.height, .depth = size.depth, .to_pitch = p.dstPtr.pitch, .from_pitch = p.srcPtr.pitch,
                        .to_slice = slice(p.dstPtr), .from_slice = slice(p.srcPtr)}};
    return places.shape.countable() ? hipSuccess : refuse(hipErrorInvalidValue, fmt::format("{}: it is larger than memory can be", call));
}

hipError_t check_copy(const CopyRange& to, const CopyRange& from, hipMemcpyKind kind, const char* call) {
    if (to.kind == CopyRange::Kind::invalid) return refuse(hipErrorInvalidValue, fmt::format("{}: the destination is wrong: {}", call, to.trouble));
    if (from.kind == CopyRange::Kind::invalid) return refuse(hipErrorInvalidValue, fmt::format("{}: the source is wrong: {}", call, from.trouble));
    bool to_host = false, from_host = false;
    switch (kind) {
        case hipMemcpyDefault: return hipSuccess;
        case hipMemcpyHostToHost: to_host = from_host = true; break;
        case hipMemcpyHostToDevice: from_host = true; break;
        case hipMemcpyDeviceToHost: to_host = true; break;
        case hipMemcpyDeviceToDevice:
        case hipMemcpyDeviceToDeviceNoCU: break;
        default: return refuse(hipErrorInvalidMemcpyDirection, fmt::format("{}: {} is no kind of copy", call, static_cast<int>(kind)));
    }
    // Pinned memory is both: kernels reach it as well.
    const auto agrees = [](CopyRange::Kind is, bool host) { return is == CopyRange::Kind::pinned || (is == CopyRange::Kind::pageable) == host; };
    if (!agrees(to.kind, to_host))
        return refuse(hipErrorInvalidValue, fmt::format("{}: the destination is {}, which the kind of the copy denies", call, name_of(to.kind)));
    if (!agrees(from.kind, from_host))
        return refuse(hipErrorInvalidValue, fmt::format("{}: the source is {}, which the kind of the copy denies", call, name_of(from.kind)));
    return hipSuccess;
}

Outcome copy_rows(const Device& device, const CopyRange& to, const CopyRange& from, const CopyShape& shape) {
    Injector::instance().before_copy();
    const std::uint8_t* from_bits = from.block ? from.block->whole.defined : nullptr;
    for (std::size_t row = 0; row < shape.height * shape.depth; ++row) {
        const std::size_t slice = row / shape.height, in_slice = row % shape.height;
        const std::size_t to_at = slice * shape.to_slice + in_slice * shape.to_pitch;
        const std::size_t from_at = slice * shape.from_slice + in_slice * shape.from_pitch;
        std::memmove(to.bytes + to_at, from.bytes + from_at, shape.width);
        if (to.block) copy_defined(to.block->whole.defined, to.offset + to_at, from_bits, from.offset + from_at, shape.width);
        if (to.on_host()) spoil_undefined(to.bytes + to_at, from_bits, from.offset + from_at, shape.width);
    }
    Injector::instance().after_copy();
    const double count = static_cast<double>(shape.bytes());
    const bool between_devices = to.block && from.block && to.block->device != from.block->device;
    if (to.on_host() || from.on_host() || between_devices) return {.duration = picoseconds(kCopyLatencySeconds + count / kLinkBytesPerSecond)};
    return {.duration = on_device(device, 2 * count)};
}

Outcome fill_rows(const Device& device, const CopyRange& to, std::uint32_t value, unsigned unit, const CopyShape& shape) {
    for (std::size_t row = 0; row < shape.height; ++row) {
        std::byte* const first = to.bytes + row * shape.to_pitch;
        if (unit == 1) {
            std::memset(first, static_cast<int>(value & 0xff), shape.width);
        } else {
            for (std::size_t i = 0; i < shape.width; i += unit) std::memcpy(first + i, &value, unit);
        }
        if (to.block) mark_defined(to.block->whole.defined, to.offset + row * shape.to_pitch, shape.width);
    }
    return {.duration = on_device(device, static_cast<double>(shape.bytes()))};
}

}  // namespace hipemu
