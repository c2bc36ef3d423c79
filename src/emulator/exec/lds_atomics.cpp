// Atomic operations of LDS. One host thread runs a work-group, so they are plain read-modify-writes; lanes take their turns in order.
#include <array>
#include <type_traits>

#include <fmt/format.h>

#include "emulator/exec/atomic_ops.hpp"
#include "emulator/exec/lds.hpp"
#include "emulator/state/lane_access.hpp"

namespace hipemu {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <class Word>
Word lane_data(const Wave& wave, const Operand& data, int lane) {
    Word value = wave.v[data.index][lane];
    if constexpr (sizeof(Word) == 8) value |= static_cast<Word>(wave.v[data.index + 1][lane]) << 32;
    return value;
}

/// One word of each active lane: at `addresses` + `offset`, its old value into the registers from `first` of the destination.
/// `replaces`: the new value does not depend on the old one, so it is defined.
template <class Word, bool replaces = false, class Update>
bool for_each_lane(Wave& wave, const Inst& inst, const u32* addresses, u32 offset, unsigned first, Update update) {
    const u32 exec = wave.exec();
    std::byte undefined[kLanes][sizeof(Word)] = {};
    bool any = false;
    for (int lane = 0; lane < kLanes; ++lane) {
        if ((exec >> lane & 1) == 0) continue;
        const u32 address = addresses[lane] + offset;
        Place place;
        if (!lds_place(wave, address, sizeof(Word), lane, place)) return false;
        if (address % sizeof(Word) != 0) {
            wave.stop_with_fault(FaultKind::misaligned,
                                 fmt::format("an LDS atomic of {} bytes at byte {}, which is not a multiple of it", sizeof(Word), address), lane, address);
            return false;
        }
        std::memcpy(undefined[lane], place.undefined, sizeof(Word));
        any |= has_undefined(undefined[lane], sizeof(Word));
        Word old;
        std::memcpy(&old, place.data, sizeof(Word));
        const Word result = update(old, lane);
        std::memcpy(place.data, &result, sizeof(Word));
        if (replaces) std::memset(place.undefined, 0, sizeof(Word));
        if (inst.destinations == 0) continue;
        wave.v[inst.dst[0].index + first][lane] = static_cast<u32>(old);
        if constexpr (sizeof(Word) == 8) wave.v[inst.dst[0].index + first + 1][lane] = static_cast<u32>(old >> 32);
    }
    if (!any || inst.destinations == 0) return true;
    for (unsigned word = 0; word < sizeof(Word) / 4; ++word) {
        LaneBits bits;
        for (int lane = 0; lane < kLanes; ++lane) std::memcpy(&bits[lane], undefined[lane] + 4 * word, 4);
        set_undefined(wave, inst.dst[0], first + word, bits);
    }
    return true;
}

template <class Word, bool replaces = false, class Update>
void for_each_lane(Wave& wave, const Inst& inst, Update update) {
    for_each_lane<Word, replaces>(wave, inst, wave.v[inst.src[0].index], static_cast<u32>(inst.mod.offset), 0, update);
}

/// Two words a lane, at the two offsets in units of the word (times 64: stride64).
template <class Word, u32 unit>
void exec_exchange_two(Wave& wave, const Inst& inst) {
    u32 addresses[kLanes];  // the destination may be the address register
    std::memcpy(addresses, wave.v[inst.src[0].index], sizeof(addresses));
    Word second[kLanes];    // or hold the second value
    for (int lane = 0; lane < kLanes; ++lane) second[lane] = lane_data<Word>(wave, inst.src[2], lane);
    const auto first_value = [&](Word, int lane) { return lane_data<Word>(wave, inst.src[1], lane); };
    const auto second_value = [&](Word, int lane) { return second[lane]; };
    if (!for_each_lane<Word, true>(wave, inst, addresses, static_cast<u32>(inst.mod.offset) * unit, 0, first_value)) return;
    for_each_lane<Word, true>(wave, inst, addresses, static_cast<u32>(inst.mod.offset1) * unit, sizeof(Word) / 4, second_value);
}

/// A function as a type: sanitizers make comparisons of function addresses inconstant.
template <class Word, Word (*op)(Word, Word)>
struct Operation {};

template <class Word, Word (*op)(Word, Word)>
void exec_atomic(Wave& wave, const Inst& inst) {
    const Operand& data = inst.src[1];
    constexpr bool replaces = std::is_same_v<Operation<Word, op>, Operation<Word, atomic_swap<Word>>>;
    for_each_lane<Word, replaces>(wave, inst, [&](Word old, int lane) { return op(old, lane_data<Word>(wave, data, lane)); });
}

/// gfx11: the new value comes first, then the expected one.
template <class Word>
void exec_compare_store(Wave& wave, const Inst& inst) {
    for_each_lane<Word>(wave, inst, [&](Word old, int lane) {
        return old == lane_data<Word>(wave, inst.src[2], lane) ? lane_data<Word>(wave, inst.src[1], lane) : old;
    });
}

template <class Word>
void exec_compare_store_float(Wave& wave, const Inst& inst) {
    for_each_lane<Word>(wave, inst, [&](Word old, int lane) {
        const auto expected = std::bit_cast<FloatOf<Word>>(lane_data<Word>(wave, inst.src[2], lane));
        return std::bit_cast<FloatOf<Word>>(old) == expected ? lane_data<Word>(wave, inst.src[1], lane) : old;
    });
}

/// (old & ~mask) | value.
template <class Word>
void exec_masked_or(Wave& wave, const Inst& inst) {
    for_each_lane<Word>(wave, inst, [&](Word old, int lane) {
        return (old & ~lane_data<Word>(wave, inst.src[1], lane)) | lane_data<Word>(wave, inst.src[2], lane);
    });
}

/// Counts down by the first value while it is not smaller, up by the second otherwise.
void exec_wrap(Wave& wave, const Inst& inst) {
    for_each_lane<u32>(wave, inst, [&](u32 old, int lane) {
        const u32 down = lane_data<u32>(wave, inst.src[1], lane), up = lane_data<u32>(wave, inst.src[2], lane);
        return old >= down ? old - down : old + up;
    });
}

/// Each half of the pair is replaced by the data's, bit 31 cleared, where that bit is set.
void exec_conditional_exchange(Wave& wave, const Inst& inst) {
    for_each_lane<u64>(wave, inst, [&](u64 old, int lane) {
        const u64 data = lane_data<u64>(wave, inst.src[1], lane);
        u64 result = old;
        for (const int shift : {0, 32}) {
            const u64 half = data >> shift & 0xffffffffu;
            if ((half >> 31) != 0) result = (result & ~(0xffffffffull << shift)) | (half & 0x7fffffffu) << shift;
        }
        return result;
    });
}

void taint_atomic(Wave& wave, const Inst& inst) {
    require_defined_address(wave, inst.src[0]);
    for (unsigned i = 1; i < inst.sources; ++i) {
        if (any_undefined(wave, inst.src[i])) {
            wave.stop_with_fault(FaultKind::undefined_store, "an LDS atomic operation takes undefined bits",
                                 first_undefined_lane(wave, inst.src[i]));
            return;
        }
    }
    const LaneBits none{};
    for (unsigned word = 0; inst.destinations > 0 && word < inst.dst[0].count; ++word) set_undefined(wave, inst.dst[0], word, none);
}

constexpr OpInfo atomic(std::string_view mnemonic, ExecFn exec) {
    OpInfo op;
    op.mnemonic = mnemonic;
    op.exec = exec;
    op.unit = Unit::lds;
    op.destinations = mnemonic.find("_rtn") != std::string_view::npos ? 1 : 0;
    op.taint = Taint::custom;
    op.taint_fn = taint_atomic;
    return op;
}

#define WITH_AND_WITHOUT(name, type, exec) atomic("ds_" name "_" type, exec), atomic("ds_" name "_rtn_" type, exec)
#define BOTH_WIDTHS(name, type32, type64, op) \
    WITH_AND_WITHOUT(name, type32, (exec_atomic<u32, op<u32>>)), WITH_AND_WITHOUT(name, type64, (exec_atomic<u64, op<u64>>))

template <class Word>
Word min_float(Word old, Word value) { return atomic_extreme_float<Word, false>(old, value); }
template <class Word>
Word max_float(Word old, Word value) { return atomic_extreme_float<Word, true>(old, value); }

constexpr std::array kOps{
    BOTH_WIDTHS("add", "u32", "u64", atomic_add),
    BOTH_WIDTHS("sub", "u32", "u64", atomic_sub),
    BOTH_WIDTHS("rsub", "u32", "u64", atomic_rsub),
    BOTH_WIDTHS("inc", "u32", "u64", atomic_inc),
    BOTH_WIDTHS("dec", "u32", "u64", atomic_dec),
    BOTH_WIDTHS("min", "i32", "i64", atomic_min_signed),
    BOTH_WIDTHS("max", "i32", "i64", atomic_max_signed),
    BOTH_WIDTHS("min", "u32", "u64", atomic_min),
    BOTH_WIDTHS("max", "u32", "u64", atomic_max),
    BOTH_WIDTHS("and", "b32", "b64", atomic_and),
    BOTH_WIDTHS("or", "b32", "b64", atomic_or),
    BOTH_WIDTHS("xor", "b32", "b64", atomic_xor),
    BOTH_WIDTHS("min", "f32", "f64", min_float),
    BOTH_WIDTHS("max", "f32", "f64", max_float),
    WITH_AND_WITHOUT("add", "f32", (exec_atomic<u32, atomic_add_f32>)),
    WITH_AND_WITHOUT("mskor", "b32", exec_masked_or<u32>),
    WITH_AND_WITHOUT("mskor", "b64", exec_masked_or<u64>),
    WITH_AND_WITHOUT("cmpstore", "b32", exec_compare_store<u32>),
    WITH_AND_WITHOUT("cmpstore", "b64", exec_compare_store<u64>),
    WITH_AND_WITHOUT("cmpstore", "f32", exec_compare_store_float<u32>),
    WITH_AND_WITHOUT("cmpstore", "f64", exec_compare_store_float<u64>),
    atomic("ds_wrap_rtn_b32", exec_wrap),
    atomic("ds_condxchg32_rtn_b64", exec_conditional_exchange),
    atomic("ds_storexchg_rtn_b32", exec_atomic<u32, atomic_swap<u32>>),
    atomic("ds_storexchg_rtn_b64", exec_atomic<u64, atomic_swap<u64>>),
    atomic("ds_storexchg_2addr_rtn_b32", exec_exchange_two<u32, 4>),
    atomic("ds_storexchg_2addr_rtn_b64", exec_exchange_two<u64, 8>),
    atomic("ds_storexchg_2addr_stride64_rtn_b32", exec_exchange_two<u32, 4 * 64>),
    atomic("ds_storexchg_2addr_stride64_rtn_b64", exec_exchange_two<u64, 8 * 64>),
};

#undef WITH_AND_WITHOUT
#undef BOTH_WIDTHS

}  // namespace

std::span<const OpInfo> lds_atomic_ops() { return kOps; }

}  // namespace hipemu
