#include "emulator/exec/valu_undefined.hpp"

#include <bit>
#include <cstring>
#include <string_view>

#include "emulator/state/scalar.hpp"
#include "emulator/state/undefined.hpp"

namespace hipemu {

namespace {

constexpr std::uint32_t kAll = 0xffffffffu;

/// The undefined bits of a source as the lanes receive them, those of another lane under DPP included: then any of any lane counts.
void received(const Wave& wave, const Inst& inst, unsigned i, LaneBits& bits) {
    undefined_bits(wave, inst.src[i], 0, bits);
    if (i != 0 || inst.mod.dpp == DppControl::none) return;
    std::uint32_t any = 0;
    for (const std::uint32_t b : bits) any |= b;
    for (std::uint32_t& b : bits) b = any;
}

std::uint32_t whole_half(std::uint32_t bits, int half) { return (bits >> (16 * half) & 0xffffu) != 0 ? 0xffffu << (16 * half) : 0; }

}  // namespace

void taint_nothing(Wave&, const Inst&) {}

// The compiler adds a 32-bit value as the low half of a register pair whose other half it never wrote, and uses the low half of the sum.
void taint_mad64(Wave& wave, const Inst& inst) {
    LaneBits a, b, c[2], low, high;
    undefined_bits(wave, inst.src[0], 0, a);
    undefined_bits(wave, inst.src[1], 0, b);
    undefined_bits(wave, inst.src[2], 0, c[0]);
    undefined_bits(wave, inst.src[2], 1, c[1]);
    std::uint32_t carries = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
        const auto value = [&](unsigned i) {
            const Operand& source = inst.src[i];
            return source.kind == OperandKind::vgpr ? wave.v[source.index & 255][lane] : scalar_word(wave, source);
        };
        // What is multiplied by zero does not matter.
        const bool zero = (value(0) | a[lane]) == 0 || (value(1) | b[lane]) == 0;
        const std::uint64_t any = (zero ? 0 : a[lane] | b[lane]) | c[0][lane] | static_cast<std::uint64_t>(c[1][lane]) << 32;
        const std::uint64_t reached = any == 0 ? 0 : ~std::uint64_t{0} << std::countr_zero(any);
        low[lane] = static_cast<std::uint32_t>(reached);
        high[lane] = static_cast<std::uint32_t>(reached >> 32);
        carries |= (any != 0 ? 1u : 0u) << lane;
    }
    set_undefined(wave, inst.dst[0], 0, low);
    set_undefined(wave, inst.dst[0], 1, high);
    if (inst.destinations > 1 && inst.dst[1].kind == OperandKind::sgpr)
        set_scalar_undefined(wave, inst.dst[1].index, carries & wave.exec());
}

void taint_swap(Wave& wave, const Inst& inst) {
    LaneBits first, second;
    undefined_bits(wave, inst.dst[0], 0, first);
    undefined_bits(wave, inst.dst[1], 0, second);
    set_undefined(wave, inst.dst[0], 0, second);
    set_undefined(wave, inst.dst[1], 0, first);
}

void taint_pack(Wave& wave, const Inst& inst) {
    LaneBits low, high, result;
    received(wave, inst, 0, low);
    received(wave, inst, 1, high);
    for (int lane = 0; lane < kLanes; ++lane) result[lane] = (low[lane] != 0 ? 0xffffu : 0) | (high[lane] != 0 ? 0xffff0000u : 0);
    set_undefined(wave, inst.dst[0], 0, result);
}

void taint_pack_byte(Wave& wave, const Inst& inst) {
    LaneBits value, place, result;
    received(wave, inst, 0, value);
    undefined_bits(wave, inst.src[1], 0, place);
    undefined_bits(wave, inst.src[2], 0, result);
    for (int lane = 0; lane < kLanes; ++lane) {
        const Operand& selector = inst.src[1];
        const std::uint32_t selected = selector.kind == OperandKind::vgpr ? wave.v[selector.index][lane] : scalar_word(wave, selector);
        const std::uint32_t byte = 0xffu << (8 * (selected & 3));
        if ((place[lane] & 3) != 0) result[lane] = kAll;
        else result[lane] = value[lane] != 0 ? result[lane] | byte : result[lane] & ~byte;
    }
    set_undefined(wave, inst.dst[0], 0, result);
}

void taint_pack_halves_to_bytes(Wave& wave, const Inst& inst) {
    LaneBits bits, result;
    received(wave, inst, 0, bits);
    for (int lane = 0; lane < kLanes; ++lane) {
        result[lane] = (whole_half(bits[lane], 0) != 0 ? 0xffu : 0) | (whole_half(bits[lane], 1) != 0 ? 0xff00u : 0);
    }
    set_undefined(wave, inst.dst[0], 0, result);
}

void taint_packed(Wave& wave, const Inst& inst) {
    LaneBits bits, result = {};
    for (unsigned i = 0; i < inst.sources; ++i) {
        received(wave, inst, i, bits);
        const int low = inst.mod.op_sel >> i & 1, high = inst.mod.op_sel_hi >> i & 1;
        for (int lane = 0; lane < kLanes; ++lane) {
            if (whole_half(bits[lane], low) != 0) result[lane] |= 0xffffu;
            if (whole_half(bits[lane], high) != 0) result[lane] |= 0xffff0000u;
        }
    }
    if (inst.info->reads_destination) {
        undefined_bits(wave, inst.dst[0], 0, bits);
        for (int lane = 0; lane < kLanes; ++lane) result[lane] |= whole_half(bits[lane], 0) | whole_half(bits[lane], 1);
    }
    set_undefined(wave, inst.dst[0], 0, result);
}

void taint_mixed(Wave& wave, const Inst& inst) {
    LaneBits bits, result = {};
    for (unsigned i = 0; i < inst.sources; ++i) {
        received(wave, inst, i, bits);
        const bool is_half = (inst.mod.op_sel_hi >> i & 1) != 0;
        const int half = inst.mod.op_sel >> i & 1;
        for (int lane = 0; lane < kLanes; ++lane) {
            if ((is_half ? whole_half(bits[lane], half) : bits[lane]) != 0) result[lane] = kAll;
        }
    }
    Operand destination = inst.dst[0];
    if (inst.info->mnemonic.find("mixhi") != std::string_view::npos) destination.half = Half::high;
    set_undefined(wave, destination, 0, result);
}

void taint_permlane(Wave& wave, const Inst& inst) {
    LaneBits from, to, result;
    undefined_bits(wave, inst.src[0], 0, from);
    undefined_bits(wave, inst.dst[0], 0, to);
    const bool other_row = inst.info->mnemonic.find("permlanex") != std::string_view::npos;
    const bool any_selector = any_undefined(wave, inst.src[1]) || any_undefined(wave, inst.src[2]);
    const std::uint64_t selectors = scalar_word(wave, inst.src[1]) | static_cast<std::uint64_t>(scalar_word(wave, inst.src[2])) << 32;
    for (int lane = 0; lane < kLanes; ++lane) {
        const int source = ((lane & 16) ^ (other_row ? 16 : 0)) + static_cast<int>(selectors >> (4 * (lane & 15)) & 15);
        const bool readable = (inst.mod.op_sel & 1) != 0 || (wave.exec() >> source & 1) != 0;
        result[lane] = readable ? from[source] : (inst.mod.op_sel & 2) != 0 ? 0 : to[lane];
        if (any_selector) result[lane] = kAll;
    }
    set_undefined(wave, inst.dst[0], 0, result);
}

void taint_readlane(Wave& wave, const Inst& inst) {
    LaneBits bits;
    undefined_bits(wave, inst.src[0], 0, bits);
    int lane = wave.exec() == 0 ? 0 : std::countr_zero(wave.exec());
    bool unknown_lane = false;
    if (inst.sources > 1) {
        lane = static_cast<int>(scalar_word(wave, inst.src[1]) & 31);
        unknown_lane = any_undefined(wave, inst.src[1]);
    }
    set_scalar_undefined(wave, inst.dst[0].index, unknown_lane ? kAll : bits[lane]);
}

void taint_writelane(Wave& wave, const Inst& inst) {
    LaneBits value, bits;
    undefined_bits(wave, inst.src[0], 0, value);
    undefined_bits(wave, inst.dst[0], 0, bits);
    bits[scalar_word(wave, inst.src[1]) & 31] = value[0];
    if (any_undefined(wave, inst.src[1])) {
        for (std::uint32_t& b : bits) b = kAll;
    }
    set_undefined_all(wave, inst.dst[0], 0, bits);
}

/// Element (i, j) depends on lane i of A, lane j of B and its own old value. Undefined bits of A's or B's copies in lanes 16 to 31 are not
/// read here, but the hardware may read them, so they count.
void taint_matrix(Wave& wave, const Inst& inst) {
    LaneBits bits;
    std::uint32_t rows = 0, columns = 0;
    for (unsigned side = 0; side < 2; ++side) {
        std::uint32_t lanes = 0;
        for (unsigned word = 0; word < inst.src[side].count; ++word) {
            undefined_bits(wave, inst.src[side], word, bits);
            for (int lane = 0; lane < kLanes; ++lane) lanes |= (bits[lane] != 0 ? 1u : 0u) << (lane & 15);
        }
        (side == 0 ? rows : columns) = lanes;
    }
    const bool half = inst.info->reads_destination;  // 16-bit sums keep the other half
    const std::uint32_t part = !half ? kAll : (inst.mod.op_sel >> 2 & 1) != 0 ? 0xffff0000u : 0xffffu;
    LaneBits results[8];
    for (unsigned word = 0; word < 8; ++word) {
        LaneBits old;
        undefined_bits(wave, inst.dst[0], word, old);
        if (inst.src[2].kind == OperandKind::vgpr) {
            undefined_bits(wave, inst.src[2], word, bits);
        } else {
            std::memset(bits, 0, sizeof(bits));
        }
        for (int lane = 0; lane < kLanes; ++lane) {
            const int row = 2 * static_cast<int>(word) + lane / 16, column = lane & 15;
            const bool any = (rows >> row & 1) != 0 || (columns >> column & 1) != 0 || (bits[lane] & part) != 0;
            results[word][lane] = (any ? part : 0) | (half ? old[lane] & ~part : 0);
        }
    }
    for (unsigned word = 0; word < 8; ++word) set_undefined_all(wave, inst.dst[0], word, results[word]);
}

}  // namespace hipemu
