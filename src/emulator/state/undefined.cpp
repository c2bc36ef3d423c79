#include "emulator/state/undefined.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include <fmt/format.h>

namespace hipemu {
namespace {

constexpr std::uint32_t kAll = 0xffffffffu;
constexpr unsigned kVccz = 251, kExecz = 252, kScc = 253;

bool active(const Wave& wave, int lane) { return wave.exec() >> lane & 1; }

void clear(LaneBits& bits) { std::memset(bits, 0, sizeof(LaneBits)); }

void fill(LaneBits& bits, std::uint32_t value) { std::fill(bits, bits + kLanes, value); }

/// Merges `bits` into a destination register in the lanes of `mask`.
void merge(Wave& wave, const Operand& destination, unsigned word, const LaneBits& bits, std::uint32_t mask) {
    const unsigned r = destination.index + word;
    if (destination.kind != OperandKind::vgpr || r > 255) return;
    std::uint32_t(&row)[kLanes] = wave.undefined[r];
    if (wave.defined.contains(r)) clear(row);
    std::uint32_t left = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
        if (mask >> lane & 1) {
            switch (destination.half) {
                case Half::whole: row[lane] = bits[lane]; break;
                case Half::low: row[lane] = (row[lane] & 0xffff0000u) | (bits[lane] & 0xffffu); break;
                case Half::high: row[lane] = (row[lane] & 0xffffu) | bits[lane] << 16; break;
            }
        }
        left |= row[lane];
    }
    const std::uint64_t bit = 1ull << (r % 64);
    if (left == 0) {
        wave.defined.bits[r / 64] |= bit;
    } else {
        wave.defined.bits[r / 64] &= ~bit;
    }
}

}  // namespace

void undefined_bits(const Wave& wave, const Operand& source, unsigned word, LaneBits& bits) {
    clear(bits);
    if (source.kind == OperandKind::sgpr) {
        fill(bits, scalar_undefined_bits(wave, source.index + word));
        return;
    }
    const unsigned r = source.index + word;
    if (source.kind != OperandKind::vgpr || r > 255 || wave.defined.contains(r)) return;
    for (int lane = 0; lane < kLanes; ++lane) {
        const std::uint32_t all = wave.undefined[r][lane];
        bits[lane] = source.half == Half::whole ? all : source.half == Half::low ? all & 0xffffu : all >> 16;
    }
}

void undefined_mask_bits(const Wave& wave, const Operand& lane_mask, LaneBits& bits) {
    clear(bits);
    if (lane_mask.kind != OperandKind::sgpr) return;
    const std::uint32_t undefined = scalar_undefined_bits(wave, lane_mask.index);
    for (int lane = 0; lane < kLanes; ++lane) bits[lane] = undefined >> lane & 1 ? kAll : 0;
}

bool any_undefined(const Wave& wave, const Operand& source) {
    for (unsigned word = 0; word < source.count; ++word) {
        LaneBits bits;
        undefined_bits(wave, source, word, bits);
        for (int lane = 0; lane < kLanes; ++lane) {
            if (bits[lane] != 0 && (source.kind == OperandKind::sgpr || active(wave, lane))) return true;
        }
    }
    return false;
}

int first_undefined_lane(const Wave& wave, const Operand& source) {
    if (source.kind != OperandKind::vgpr) return -1;
    std::uint32_t lanes = 0;
    for (unsigned word = 0; word < source.count; ++word) {
        LaneBits bits;
        undefined_bits(wave, source, word, bits);
        for (int lane = 0; lane < kLanes; ++lane) lanes |= (bits[lane] != 0 ? 1u : 0u) << lane;
    }
    lanes &= wave.exec();
    return lanes != 0 ? __builtin_ctz(lanes) : -1;
}

void set_undefined(Wave& wave, const Operand& destination, unsigned word, const LaneBits& bits) {
    if (wave.group == nullptr || wave.group->tracks_undefined) merge(wave, destination, word, bits, wave.exec());
}

void set_undefined_all(Wave& wave, const Operand& destination, unsigned word, const LaneBits& bits) {
    if (wave.group == nullptr || wave.group->tracks_undefined) merge(wave, destination, word, bits, kAll);
}

std::uint32_t scalar_undefined_bits(const Wave& wave, unsigned r) {
    if (r == kScc) return wave.scalar_defined.contains(kSccBit) ? 0 : 1;
    if (r == kVccz) r = kVccLo;
    if (r == kExecz || r == kNull || r >= 128) return 0;
    return wave.scalar_defined.contains(r) ? 0 : wave.scalar_undefined[r];
}

void set_scalar_undefined(Wave& wave, unsigned r, std::uint32_t bits) {
    if (r >= 128 || r == kNull) return;
    if (bits != 0 && (r == kExecLo || r == kExecHi)) {
        wave.stop_with_fault(FaultKind::undefined_branch, "EXEC is set from undefined bits", r == kExecLo ? __builtin_ctz(bits) : -1);
        return;
    }
    wave.scalar_undefined[r] = bits;
    const std::uint64_t bit = 1ull << (r % 64);
    if (bits == 0) {
        wave.scalar_defined.bits[r / 64] |= bit;
    } else {
        wave.scalar_defined.bits[r / 64] &= ~bit;
    }
}

std::uint64_t deposit(std::uint64_t value, std::uint64_t mask) {
    std::uint64_t result = 0;
    for (; mask != 0; mask &= mask - 1, value >>= 1) {
        if ((value & 1) != 0) result |= mask & (0 - mask);
    }
    return result;
}

bool scc_undefined(const Wave& wave) { return !wave.scalar_defined.contains(kSccBit); }

void set_scc_undefined(Wave& wave, bool undefined) {
    const std::uint64_t bit = 1ull << (kSccBit % 64);
    if (undefined) {
        wave.scalar_defined.bits[kSccBit / 64] &= ~bit;
    } else {
        wave.scalar_defined.bits[kSccBit / 64] |= bit;
    }
}

}  // namespace hipemu
