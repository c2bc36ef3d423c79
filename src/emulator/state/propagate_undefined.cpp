// The general rules by which undefined bits pass from an instruction's sources to its results.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>

#include "emulator/state/read_bits.hpp"
#include "emulator/state/scalar.hpp"
#include "emulator/state/undefined.hpp"

namespace hipemu {
namespace {

constexpr std::uint32_t kAll = 0xffffffffu;

Type type_of(const Inst& inst, unsigned source) {
    const OpInfo& info = *inst.info;
    const Type own = source < info.source_types.size() ? info.source_types[source] : Type::none;
    return own == Type::none ? info.source_type : own;
}

std::uint32_t lane_value(const Wave& wave, const Operand& source, int lane) {
    return source.kind == OperandKind::vgpr ? wave.v[source.index & 255][lane] : scalar_word(wave, source);
}

/// Adds a one to every lane in which a register of the operand has an undefined bit.
void gather_lanes(const Wave& wave, const Operand& operand, std::uint32_t& lanes) {
    LaneBits bits;
    for (unsigned word = 0; word < operand.count; ++word) {
        if (operand.kind == OperandKind::vgpr && wave.defined.contains(operand.index + word)) continue;
        undefined_bits(wave, operand, word, bits);
        for (int lane = 0; lane < kLanes; ++lane) lanes |= (bits[lane] != 0 ? 1u : 0u) << lane;
    }
}

/// The lane that `lane` reads under DPP, or -1 if it reads none (then it keeps its old value or takes 0).
int dpp_source(const Modifiers& mod, int lane) {
    const int row = lane & ~15, in_row = lane & 15;
    const int count = static_cast<int>(mod.dpp_value & 15);
    int from = in_row;
    switch (mod.dpp) {
        case DppControl::none: return lane;
        case DppControl::quad_perm: return (lane & ~3) | static_cast<int>(mod.dpp_value >> (2 * (lane & 3)) & 3);
        case DppControl::dpp8: return (lane & ~7) | static_cast<int>(mod.dpp_value >> (3 * (lane & 7)) & 7);
        case DppControl::row_shl: from = in_row + count; break;
        case DppControl::row_shr: from = in_row - count; break;
        case DppControl::row_ror: from = (in_row - count) & 15; break;
        case DppControl::row_mirror: from = 15 - in_row; break;
        case DppControl::row_half_mirror: from = (in_row & 8) | (7 - (in_row & 7)); break;
        case DppControl::row_share: from = count; break;
        case DppControl::row_xmask: from = in_row ^ count; break;
    }
    return from < 0 || from > 15 ? -1 : row + from;
}

bool dpp_writes(const Modifiers& mod, int lane) {
    return (mod.row_mask >> (lane / 16) & 1) != 0 && (mod.bank_mask >> (lane / 4 % 4) & 1) != 0;
}

/// The undefined bits of a source as each lane receives them: of another lane's under DPP.
void received_bits(const Wave& wave, const Inst& inst, const Operand& source, unsigned word, LaneBits& bits) {
    undefined_bits(wave, source, word, bits);
    if (inst.mod.dpp == DppControl::none || source.kind != OperandKind::vgpr) return;
    LaneBits own;
    std::memcpy(own, bits, sizeof(own));
    for (int lane = 0; lane < kLanes; ++lane) {
        const int from = dpp_source(inst.mod, lane);
        const bool readable = from >= 0 && ((wave.exec() >> from & 1) != 0 || inst.mod.fetch_inactive);
        bits[lane] = readable ? own[from] : 0;
    }
}

/// Adds to `met` the undefined bits of source i that the instruction reads, where they count in its result. Of a 64-bit source the words are
/// laid over each other; a lane mask counts at bit 0.
void gather_bits(const Wave& wave, const Inst& inst, unsigned i, const ReadBits& reads, LaneBits& met) {
    const Operand& source = inst.src[i];
    if (type_of(inst, i) == Type::lane_mask) {
        const std::uint32_t lanes = source.kind == OperandKind::sgpr ? scalar_undefined_bits(wave, source.index) : 0;
        for (int lane = 0; lane < kLanes; ++lane) met[lane] |= lanes >> lane & 1;
        return;
    }
    LaneBits bits;
    for (unsigned word = 0; word < source.count; ++word) {
        if (source.kind == OperandKind::vgpr && wave.defined.contains(source.index + word)) continue;
        if (i == 0) received_bits(wave, inst, source, word, bits);
        else undefined_bits(wave, source, word, bits);
        for (int lane = 0; lane < kLanes; ++lane) {
            bits[lane] &= reads.used[i];
            if (i < reads.shift) bits[lane] <<= lane_value(wave, inst.src[reads.shift], lane) & 31;
            met[lane] |= i == reads.shift && reads.shift != 0 && bits[lane] != 0 ? 1u : bits[lane];
        }
    }
}

/// Lanes whose result the instruction really replaces: active, and not left alone by DPP's masks or an unreadable source.
std::uint32_t written_lanes(const Wave& wave, const Inst& inst) {
    if (inst.unit == Unit::wmma) return kAll;
    std::uint32_t lanes = wave.exec();
    if (inst.mod.dpp == DppControl::none) return lanes;
    for (int lane = 0; lane < kLanes; ++lane) {
        const int from = dpp_source(inst.mod, lane);
        const bool readable = from >= 0 && ((wave.exec() >> from & 1) != 0 || inst.mod.fetch_inactive);
        const bool zero = inst.mod.bound_ctrl || inst.mod.dpp == DppControl::dpp8;  // what a lane gets that cannot read: else it is not written
        if (!dpp_writes(inst.mod, lane) || (!readable && !zero)) lanes &= ~(1u << lane);
    }
    return lanes;
}

/// Gives the written lanes of a destination their bits; the others keep theirs.
void set_written(Wave& wave, const Inst& inst, const Operand& destination, unsigned word, LaneBits& bits) {
    const std::uint32_t lanes = written_lanes(wave, inst);
    if (lanes == wave.exec()) {
        set_undefined(wave, destination, word, bits);
        return;
    }
    LaneBits old;
    undefined_bits(wave, destination, word, old);
    for (int lane = 0; lane < kLanes; ++lane) {
        if ((lanes >> lane & 1) == 0) bits[lane] = old[lane];
    }
    set_undefined_all(wave, destination, word, bits);
}

/// The undefined bits that two factors bring into their product: none where the other is zero.
void gather_product(const Wave& wave, const Inst& inst, const ReadBits& reads, LaneBits& met) {
    LaneBits undefined[2] = {};
    for (unsigned i = 0; i < 2; ++i) gather_bits(wave, inst, i, reads, undefined[i]);
    for (int lane = 0; lane < kLanes; ++lane) {
        const auto may_count = [&](unsigned i) { return ((lane_value(wave, inst.src[i], lane) | undefined[i][lane]) & reads.used[i]) != 0; };
        if (may_count(1)) met[lane] |= undefined[0][lane];
        if (may_count(0)) met[lane] |= undefined[1][lane];
    }
}

/// Any undefined bit of a lane's sources makes that lane's whole result undefined, or all bits above it, as the instruction's row says; for
/// exchanges, any active lane's all results.
void propagate_lanes(Wave& wave, const Inst& inst) {
    const OpInfo& info = *inst.info;
    const ReadBits reads = read_bits(info.mnemonic);
    LaneBits met = {};  // of all sources together
    const bool product = reads.product && inst.mod.dpp == DppControl::none;
    if (product) gather_product(wave, inst, reads, met);
    for (unsigned i = product ? 2 : 0; i < inst.sources; ++i) gather_bits(wave, inst, i, reads, met);
    std::uint32_t lanes = 0;
    for (int lane = 0; lane < kLanes; ++lane) lanes |= (met[lane] != 0 ? 1u : 0u) << lane;
    if (info.reads_destination && inst.destinations > 0) gather_lanes(wave, inst.dst[0], lanes);
    if (info.reads_vcc) lanes |= scalar_undefined_bits(wave, kVccLo);
    if (inst.crosses_lanes && inst.mod.dpp == DppControl::none && (lanes & wave.exec()) != 0) lanes = kAll;
    const bool upward = reads.upward && !inst.mod.clamp && !info.reads_destination;

    LaneBits bits;
    for (unsigned d = 0; d < inst.destinations; ++d) {
        const Operand& destination = inst.dst[d];
        if (destination.kind == OperandKind::sgpr) {
            set_scalar_undefined(wave, destination.index, lanes & wave.exec());
            if (destination.count > 1) set_scalar_undefined(wave, destination.index + 1, 0);
            continue;
        }
        for (unsigned word = 0; word < destination.count; ++word) {
            for (int lane = 0; lane < kLanes; ++lane) {
                bits[lane] = (lanes >> lane & 1) == 0 ? 0 : upward && met[lane] != 0 ? kAll << std::countr_zero(met[lane]) : kAll;
            }
            set_written(wave, inst, destination, word, bits);
        }
    }
    if (info.writes_exec && (lanes & wave.exec()) != 0) {
        wave.stop_with_fault(FaultKind::undefined_branch, "EXEC is set by a comparison of undefined bits",
                             static_cast<int>(__builtin_ctz(lanes & wave.exec())));
    }
}

void propagate_copy(Wave& wave, const Inst& inst) {
    if (inst.destinations == 0 || inst.sources == 0) return;
    for (unsigned word = 0; word < inst.dst[0].count; ++word) {
        LaneBits bits;
        received_bits(wave, inst, inst.src[0], std::min<unsigned>(word, inst.src[0].count ? inst.src[0].count - 1u : 0u), bits);
        set_written(wave, inst, inst.dst[0], word, bits);
    }
}

/// A source whose bits decide where other bits go; every value that its undefined bits can have is tried, not only zeros and ones.
struct Selector {
    std::string_view mnemonic;
    unsigned source;
    std::uint32_t used;    // its bits that matter; of a half, counted from its own lowest bit
    unsigned fields = 1;   // v_perm: four bytes, each the selector of one byte of the result
};
constexpr std::array kSelectors{
    Selector{"v_lshlrev_b32", 0, 31}, Selector{"v_lshrrev_b32", 0, 31}, Selector{"v_ashrrev_i32", 0, 31}, Selector{"v_dual_lshlrev_b32", 0, 31},
    Selector{"v_lshlrev_b16", 0, 15}, Selector{"v_lshrrev_b16", 0, 15}, Selector{"v_ashrrev_i16", 0, 15}, Selector{"v_lshlrev_b64", 0, 63},
    Selector{"v_lshrrev_b64", 0, 63}, Selector{"v_ashrrev_i64", 0, 63},
    Selector{"v_lshl_or_b32", 1, 31}, Selector{"v_bfe_u32", 1, 31},     Selector{"v_bfe_u32", 2, 31},     Selector{"v_bfe_i32", 1, 31},
    Selector{"v_bfe_i32", 2, 31},     Selector{"v_alignbit_b32", 2, 31}, Selector{"v_alignbyte_b32", 2, 3}, Selector{"v_perm_b32", 2, ~0u, 4},
};

/// A register with undefined bits, and how it is tried.
struct Tried {
    bool scalar = false;
    unsigned index = 0;
    std::uint32_t selector = 0;   // bits that are tried in every combination
    unsigned fields = 1;
    unsigned bits = 1;            // of the pattern: one for "all zeros or all ones", and as many as any lane's selector has
    std::uint32_t saved[kLanes];  // of a scalar the first alone

    std::uint32_t undefined(const Wave& wave, int lane) const { return scalar ? scalar_undefined_bits(wave, index) : wave.undefined[index][lane]; }
    void save(const Wave& wave) { std::memcpy(saved, scalar ? &wave.s[index] : wave.v[index], scalar ? sizeof(saved[0]) : sizeof(saved)); }
    void restore(Wave& wave) const { std::memcpy(scalar ? &wave.s[index] : wave.v[index], saved, scalar ? sizeof(saved[0]) : sizeof(saved)); }
};

unsigned selector_bits(const Wave& wave, const Tried& tried) {
    unsigned most = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
        if ((wave.exec() >> lane & 1) == 0) continue;
        const std::uint32_t undefined = tried.undefined(wave, lane) & tried.selector;
        for (unsigned field = 0; field < tried.fields; ++field) {
            const std::uint32_t mask = tried.fields == 1 ? ~0u : 0xffu << (8 * field);
            most = std::max(most, static_cast<unsigned>(std::popcount(undefined & mask)));
        }
    }
    return most;
}

/// The register's value in one lane with its undefined bits as the pattern says.
std::uint32_t tried_value(const Tried& tried, std::uint32_t value, std::uint32_t undefined, unsigned pattern) {
    std::uint32_t result = (pattern & 1) != 0 ? value | undefined : value & ~undefined;
    std::uint32_t selector = undefined & tried.selector;
    if (selector == 0) return result;
    result &= ~selector;
    for (unsigned field = 0; field < tried.fields; ++field) {
        const std::uint32_t mask = tried.fields == 1 ? ~0u : 0xffu << (8 * field);
        result |= static_cast<std::uint32_t>(deposit(pattern >> 1, selector & mask));
    }
    return result;
}

/// Runs the handler with the undefined bits of its sources as zeros and as ones, in every combination, and those of selectors with every
/// value; the result bits that differ are undefined. Precise for operations that work bit by bit, or that move bits.
void propagate_bitwise(Wave& wave, const Inst& inst) {
    const bool undefined_vcc = inst.info->reads_vcc && scalar_undefined_bits(wave, kVccLo) != 0;
    if (inst.destinations == 0 || inst.dst[0].kind != OperandKind::vgpr || inst.mod.dpp != DppControl::none || undefined_vcc) {
        propagate_lanes(wave, inst);
        return;
    }
    Tried tried[8];  // the distinct registers with undefined bits
    unsigned count = 0;
    const auto note = [&](const Operand& operand) {
        const bool scalar = operand.kind == OperandKind::sgpr;
        for (unsigned word = 0; operand.kind != OperandKind::constant && word < operand.count; ++word) {
            const unsigned r = operand.index + word;
            const bool defined = scalar ? r >= kScalars || scalar_undefined_bits(wave, r) == 0 : wave.defined.contains(r);
            const auto same = [&](const Tried& one) { return one.scalar == scalar && one.index == r; };
            if (defined || std::find_if(tried, tried + count, same) != tried + count) continue;
            if (count < std::size(tried)) tried[count++] = {.scalar = scalar, .index = r, .saved = {}};
        }
    };
    for (unsigned i = 0; i < inst.sources; ++i) {
        if (inst.src[i].kind == OperandKind::sgpr && inst.src[i].index >= kScalars && any_undefined(wave, inst.src[i])) {
            propagate_lanes(wave, inst);  // of what has no register of its own: SCC
            return;
        }
        note(inst.src[i]);
    }
    if (inst.info->reads_destination) note(inst.dst[0]);
    for (const Selector& selector : kSelectors) {
        if (selector.mnemonic != inst.info->mnemonic) continue;
        const Operand& source = inst.src[selector.source];
        for (unsigned i = 0; i < count; ++i) {
            if (tried[i].index != source.index || tried[i].scalar != (source.kind == OperandKind::sgpr)) continue;
            tried[i].selector = source.half == Half::high ? selector.used << 16 : selector.used;
            tried[i].fields = selector.fields;
        }
    }
    unsigned pattern_bits = 0;
    for (unsigned i = 0; i < count; ++i) {
        if (tried[i].selector != 0) tried[i].bits += selector_bits(wave, tried[i]);
        pattern_bits += tried[i].bits;
    }

    const ExecFn handler = inst.second != nullptr ? inst.first_exec : inst.exec;  // of a VOPD this half only
    const unsigned words = inst.dst[0].count, first = inst.dst[0].index;
    std::uint32_t old[2][kLanes], base[2][kLanes], changed[2][kLanes] = {};
    constexpr unsigned kMostPatternBits = 13;
    if (words > 2 || first + words > 256 || pattern_bits > kMostPatternBits) {
        propagate_lanes(wave, inst);
        return;
    }
    for (unsigned i = 0; i < count; ++i) tried[i].save(wave);
    for (unsigned word = 0; word < words; ++word) std::memcpy(old[word], wave.v[first + word], sizeof(old[word]));
    for (unsigned pattern = 0; pattern < 1u << pattern_bits; ++pattern) {
        for (unsigned word = 0; word < words; ++word) std::memcpy(wave.v[first + word], old[word], sizeof(old[word]));
        unsigned shift = 0;
        for (unsigned i = 0; i < count; ++i) {
            const unsigned own = pattern >> shift & ((1u << tried[i].bits) - 1);
            shift += tried[i].bits;
            for (int lane = 0; lane < (tried[i].scalar ? 1 : kLanes); ++lane) {
                std::uint32_t& value = tried[i].scalar ? wave.s[tried[i].index] : wave.v[tried[i].index][lane];
                value = tried_value(tried[i], tried[i].saved[lane], tried[i].undefined(wave, lane), own);
            }
        }
        handler(wave, inst);
        for (unsigned word = 0; word < words; ++word) {
            if (pattern == 0) std::memcpy(base[word], wave.v[first + word], sizeof(base[word]));
            for (int lane = 0; lane < kLanes; ++lane) changed[word][lane] |= base[word][lane] ^ wave.v[first + word][lane];
        }
    }
    for (unsigned word = 0; word < words; ++word) std::memcpy(wave.v[first + word], old[word], sizeof(old[word]));
    for (unsigned i = 0; i < count; ++i) tried[i].restore(wave);
    for (unsigned word = 0; word < words; ++word) {
        if (inst.dst[0].half == Half::high) {
            for (std::uint32_t& bits : changed[word]) bits >>= 16;
        }
        set_undefined(wave, inst.dst[0], word, changed[word]);
    }
}

void define_results(Wave& wave, const Inst& inst) {
    LaneBits none{};
    for (unsigned d = 0; d < inst.destinations; ++d) {
        for (unsigned word = 0; word < inst.dst[d].count; ++word) {
            if (inst.dst[d].kind == OperandKind::sgpr) set_scalar_undefined(wave, inst.dst[d].index + word, 0);
            if (inst.dst[d].kind == OperandKind::vgpr) set_undefined(wave, inst.dst[d], word, none);
        }
    }
    if (inst.info->writes_scc) set_scc_undefined(wave, false);
}

}  // namespace

void propagate_undefined(Wave& wave, const Inst& inst) {
    switch (inst.info->taint) {
        case Taint::lane: propagate_lanes(wave, inst); break;
        case Taint::copy: propagate_copy(wave, inst); break;
        case Taint::bitwise: propagate_bitwise(wave, inst); break;
        case Taint::custom: inst.info->taint_fn(wave, inst); break;
        case Taint::none: define_results(wave, inst); break;
    }
}

}  // namespace hipemu
