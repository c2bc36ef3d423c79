#include "emulator/state/lane_access.hpp"

#include <atomic>

#include <fmt/format.h>

namespace hipemu {

namespace {

/// Other threads may be setting bits of the same byte.
std::uint8_t bits_at(const std::uint8_t* bitmap, std::uint64_t byte) { return __atomic_load_n(bitmap + byte, __ATOMIC_RELAXED); }

}  // namespace

bool all_defined(const std::uint8_t* bitmap, std::uint64_t offset, unsigned bytes) {
    if ((offset | bytes) % 8 == 0) {
        for (unsigned i = 0; i < bytes / 8; ++i) {
            if (bits_at(bitmap, offset / 8 + i) != 0xff) return false;
        }
        return true;
    }
    for (unsigned i = 0; i < bytes; ++i) {
        if ((bits_at(bitmap, (offset + i) / 8) >> ((offset + i) % 8) & 1) == 0) return false;
    }
    return true;
}

void mark_defined(std::uint8_t* bitmap, std::uint64_t offset, unsigned bytes) {
    while (bytes > 0) {
        const unsigned shift = static_cast<unsigned>(offset % 8);
        const unsigned count = bytes < 8 - shift ? bytes : 8 - shift;
        const auto bits = static_cast<std::uint8_t>(((1u << count) - 1) << shift);
        std::atomic_ref<std::uint8_t> target(bitmap[offset / 8]);
        const bool done = (target.load(std::memory_order_relaxed) & bits) == bits;
        // All bits at once need not keep what others set meanwhile.
        if (!done && count == 8) target.store(bits, std::memory_order_relaxed);
        if (!done && count != 8) target.fetch_or(bits, std::memory_order_relaxed);
        offset += count;
        bytes -= count;
    }
}

void mark_undefined(std::uint8_t* bitmap, std::uint64_t offset) {
    std::atomic_ref<std::uint8_t>(bitmap[offset / 8]).fetch_and(static_cast<std::uint8_t>(~(1u << (offset % 8))), std::memory_order_relaxed);
}

void undefined_bytes(const Place& place, unsigned bytes, std::byte* to) {
    if (place.undefined != nullptr) {
        std::memcpy(to, place.undefined, bytes);
        return;
    }
    for (unsigned i = 0; i < bytes; ++i) {
        const std::uint64_t at = place.offset + i;
        const bool defined = place.bitmap == nullptr || (bits_at(place.bitmap, at / 8) >> (at % 8) & 1) != 0;
        to[i] = defined ? std::byte{0} : std::byte{0xff};
    }
}

bool global_place(Wave& wave, std::uint64_t address, unsigned bytes, int lane, bool a_write, Place& place) {
    const Allocation* allocation = wave.last_allocation;
    if (allocation == nullptr || address < allocation->base || address - allocation->base > allocation->size ||
        bytes > allocation->size - (address - allocation->base)) {
        allocation = wave.group->memory->find(address, bytes);
        if (allocation == nullptr && wave.group->dispatch_packet.base != 0) {
            const Allocation& packet = wave.group->dispatch_packet;
            if (address >= packet.base && address + bytes <= packet.base + packet.size) allocation = &packet;
        }
        if (allocation == nullptr) {
            const Allocation* const start = wave.group->memory->find(address, 1);
            const std::string beyond = start != nullptr ? fmt::format("; {} of them lie past its end", address + bytes - start->base - start->size) : "";
            wave.stop_with_fault(FaultKind::out_of_bounds,
                                 fmt::format("{} {} byte{} at {:#x}: {}{}", a_write ? "writes" : "reads", bytes, bytes == 1 ? "" : "s", address,
                                             wave.group->memory->describe(address), beyond),
                                 lane, address);
            return false;
        }
        wave.last_allocation = allocation;
    }
    if (a_write && !allocation->writable) {
        wave.stop_with_fault(FaultKind::out_of_bounds, fmt::format("writes to {}, which kernels may only read", allocation->label), lane, address);
        return false;
    }
    // Each host thread has a dispatch packet of its own, which must not count as often as there are threads: none counts.
    if (allocation != &wave.group->dispatch_packet) note_span(*wave.group, allocation, address, address + bytes);
    place.offset = address - allocation->base;
    place.data = allocation->host + place.offset;
    place.bitmap = allocation->defined;
    place.undefined = nullptr;
    return true;
}

bool lds_place(Wave& wave, std::uint32_t address, unsigned bytes, int lane, Place& place) {
    Workgroup& group = *wave.group;
    if (address > group.lds_bytes || bytes > group.lds_bytes - address) {
        wave.stop_with_fault(FaultKind::lds_out_of_bounds,
                             fmt::format("accesses {} bytes at byte {} of LDS, but the work-group has {} bytes", bytes, address, group.lds_bytes),
                             lane, address);
        return false;
    }
    place.data = group.lds.data() + address;
    place.undefined = group.lds_undefined.data() + address;
    place.bitmap = nullptr;
    return true;
}

bool scratch_place(Wave& wave, std::uint32_t offset, unsigned bytes, int lane, Place& place) {
    Workgroup& group = *wave.group;
    if (offset > group.private_bytes || bytes > group.private_bytes - offset) {
        wave.stop_with_fault(FaultKind::out_of_bounds,
                             fmt::format("accesses {} bytes at byte {} of private memory, but a work-item has {} bytes", bytes, offset,
                                         group.private_bytes),
                             lane, offset);
        return false;
    }
    const std::size_t at = (std::size_t{wave.index} * kLanes + static_cast<std::size_t>(lane)) * group.private_bytes + offset;
    place.data = group.scratch.data() + at;
    place.undefined = group.scratch_undefined.data() + at;
    place.bitmap = nullptr;
    return true;
}

void expect_defined_load(Wave& wave, const Inst& inst) {
    const LaneBits none{};
    Operand target = inst.dst[0];
    if (inst.info->reads_destination && target.half == Half::whole) {
        target.half = inst.info->mnemonic.find("_hi") != std::string_view::npos ? Half::high : Half::low;
    }
    for (unsigned word = 0; word < target.count; ++word) set_undefined(wave, target, word, none);
}

void require_defined_address(Wave& wave, const Operand& address) {
    if (address.kind == OperandKind::sgpr) {
        for (unsigned word = 0; word < address.count; ++word) {
            if (scalar_undefined_bits(wave, address.index + word) == 0) continue;
            wave.stop_with_fault(FaultKind::undefined_address, "the base address holds undefined bits");
            return;
        }
        return;
    }
    for (unsigned word = 0; word < address.count; ++word) {
        LaneBits bits;
        undefined_bits(wave, address, word, bits);
        for (int lane = 0; lane < kLanes; ++lane) {
            if (bits[lane] == 0 || (wave.exec() >> lane & 1) == 0) continue;
            wave.stop_with_fault(FaultKind::undefined_address, "the address is computed from undefined bits", lane);
            return;
        }
    }
}

}  // namespace hipemu
