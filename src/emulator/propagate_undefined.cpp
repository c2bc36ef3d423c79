// The general rules by which undefined bits pass from an instruction's sources to its results.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>

#include "emulator/undefined.hpp"

namespace hipemu {
namespace {

constexpr std::uint32_t kAll = 0xffffffffu;

Type type_of(const Inst& inst, unsigned source) {
    const OpInfo& info = *inst.info;
    const Type own = source < info.source_types.size() ? info.source_types[source] : Type::none;
    return own == Type::none ? info.source_type : own;
}

/// Adds a one to every lane in which a register of the operand has an undefined bit.
void gather_lanes(const Wave& wave, const Operand& operand, Type type, std::uint32_t& lanes) {
    LaneBits bits;
    if (type == Type::lane_mask) {
        if (operand.kind == OperandKind::sgpr) lanes |= scalar_undefined_bits(wave, operand.index);
        return;
    }
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

/// Any undefined bit of a lane's sources makes that lane's whole result undefined; for exchanges, any active lane's all results.
void propagate_lanes(Wave& wave, const Inst& inst) {
    std::uint32_t lanes = 0;
    for (unsigned i = 0; i < inst.sources; ++i) {
        if (i == 0 && inst.mod.dpp != DppControl::none) {
            LaneBits bits;
            received_bits(wave, inst, inst.src[0], 0, bits);
            for (int lane = 0; lane < kLanes; ++lane) lanes |= (bits[lane] != 0 ? 1u : 0u) << lane;
            continue;
        }
        gather_lanes(wave, inst.src[i], type_of(inst, i), lanes);
    }
    const OpInfo& info = *inst.info;
    if (info.reads_destination && inst.destinations > 0) gather_lanes(wave, inst.dst[0], Type::b32, lanes);
    if (info.reads_vcc) lanes |= scalar_undefined_bits(wave, kVccLo);
    if (inst.crosses_lanes && inst.mod.dpp == DppControl::none && (lanes & wave.exec()) != 0) lanes = kAll;

    LaneBits bits;
    for (unsigned d = 0; d < inst.destinations; ++d) {
        const Operand& destination = inst.dst[d];
        if (destination.kind == OperandKind::sgpr) {
            set_scalar_undefined(wave, destination.index, lanes & wave.exec());
            if (destination.count > 1) set_scalar_undefined(wave, destination.index + 1, 0);
            continue;
        }
        for (unsigned word = 0; word < destination.count; ++word) {
            for (int lane = 0; lane < kLanes; ++lane) bits[lane] = lanes >> lane & 1 ? kAll : 0;
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
    std::uint32_t used;    // its bits that matter
    unsigned fields = 1;   // v_perm: four bytes, each the selector of one byte of the result
};
constexpr std::array kSelectors{
    Selector{"v_lshlrev_b32", 0, 31}, Selector{"v_lshrrev_b32", 0, 31}, Selector{"v_ashrrev_i32", 0, 31}, Selector{"v_dual_lshlrev_b32", 0, 31},
    Selector{"v_lshl_or_b32", 1, 31}, Selector{"v_bfe_u32", 1, 31},     Selector{"v_bfe_u32", 2, 31},     Selector{"v_bfe_i32", 1, 31},
    Selector{"v_bfe_i32", 2, 31},     Selector{"v_alignbit_b32", 2, 31}, Selector{"v_alignbyte_b32", 2, 3}, Selector{"v_perm_b32", 2, ~0u, 4},
};

/// A register with undefined bits, and how it is tried.
struct Tried {
    unsigned index = 0;
    std::uint32_t selector = 0;   // bits that are tried in every combination
    unsigned fields = 1;
    unsigned bits = 1;            // of the pattern: one for "all zeros or all ones", and as many as any lane's selector has
    std::uint32_t saved[kLanes];
};

unsigned selector_bits(const Wave& wave, const Tried& tried) {
    unsigned most = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
        if ((wave.exec() >> lane & 1) == 0) continue;
        const std::uint32_t undefined = wave.undefined[tried.index][lane] & tried.selector;
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
    // The distinct registers with undefined bits; scalar sources have their own rule.
    Tried tried[8];
    unsigned count = 0;
    const auto note = [&](const Operand& operand) {
        for (unsigned word = 0; operand.kind == OperandKind::vgpr && word < operand.count; ++word) {
            const unsigned r = operand.index + word;
            const auto same = [r](const Tried& one) { return one.index == r; };
            if (wave.defined.contains(r) || std::find_if(tried, tried + count, same) != tried + count) continue;
            if (count < std::size(tried)) tried[count++].index = r;
        }
    };
    for (unsigned i = 0; i < inst.sources; ++i) {
        if (inst.src[i].kind == OperandKind::sgpr && any_undefined(wave, inst.src[i])) {
            propagate_lanes(wave, inst);
            return;
        }
        note(inst.src[i]);
    }
    if (inst.info->reads_destination) note(inst.dst[0]);
    for (const Selector& selector : kSelectors) {
        if (selector.mnemonic != inst.info->mnemonic || inst.src[selector.source].kind != OperandKind::vgpr) continue;
        for (unsigned i = 0; i < count; ++i) {
            if (tried[i].index != inst.src[selector.source].index) continue;
            tried[i].selector = selector.used;
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
    for (unsigned i = 0; i < count; ++i) std::memcpy(tried[i].saved, wave.v[tried[i].index], sizeof(tried[i].saved));
    for (unsigned word = 0; word < words; ++word) std::memcpy(old[word], wave.v[first + word], sizeof(old[word]));
    for (unsigned pattern = 0; pattern < 1u << pattern_bits; ++pattern) {
        for (unsigned word = 0; word < words; ++word) std::memcpy(wave.v[first + word], old[word], sizeof(old[word]));
        unsigned shift = 0;
        for (unsigned i = 0; i < count; ++i) {
            const unsigned own = pattern >> shift & ((1u << tried[i].bits) - 1);
            shift += tried[i].bits;
            for (int lane = 0; lane < kLanes; ++lane) {
                wave.v[tried[i].index][lane] = tried_value(tried[i], tried[i].saved[lane], wave.undefined[tried[i].index][lane], own);
            }
        }
        handler(wave, inst);
        for (unsigned word = 0; word < words; ++word) {
            if (pattern == 0) std::memcpy(base[word], wave.v[first + word], sizeof(base[word]));
            for (int lane = 0; lane < kLanes; ++lane) changed[word][lane] |= base[word][lane] ^ wave.v[first + word][lane];
        }
    }
    for (unsigned word = 0; word < words; ++word) std::memcpy(wave.v[first + word], old[word], sizeof(old[word]));
    for (unsigned i = 0; i < count; ++i) std::memcpy(wave.v[tried[i].index], tried[i].saved, sizeof(tried[i].saved));
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
