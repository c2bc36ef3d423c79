// global_atomic_* and flat_atomic_*: atomic operations of the host on the emulator's view, since work-groups run on several threads.
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "emulator/atomic_ops.hpp"
#include "emulator/exec_vmem.hpp"

namespace hipemu {
namespace {

template <class Word>
Word lane_data(const Wave& wave, const Operand& data, int lane, unsigned at) {
    Word value = wave.v[data.index + at][lane];
    if constexpr (sizeof(Word) == 8) value |= static_cast<Word>(wave.v[data.index + at + 1][lane]) << 32;
    return value;
}

template <class Word>
void put_old(Wave& wave, const Inst& inst, int lane, Word old) {
    if (inst.destinations == 0) return;
    wave.v[inst.dst[0].index][lane] = static_cast<std::uint32_t>(old);
    if constexpr (sizeof(Word) == 8) wave.v[inst.dst[0].index + 1][lane] = static_cast<std::uint32_t>(old >> 32);
}

/// `compare` swaps: the data are the new value and then the expected one.
template <Space space, class Word, Word (*op)(Word, Word), bool compare>
void exec_atomic(Wave& wave, const Inst& inst) {
    const VectorAddress<space> address(wave, inst.src[0], inst.sources > 2 ? &inst.src[2] : nullptr, inst.mod.offset);
    const std::uint32_t exec = wave.exec();
    std::byte undefined[kLanes][16] = {};
    bool any_undefined_byte = false;
    for (int lane = 0; lane < kLanes; ++lane) {
        if ((exec >> lane & 1) == 0) continue;
        const std::uint64_t at = address.of(lane);
        Place place;
        if (!find_place<space>(wave, at, sizeof(Word), lane, true, place)) return;
        if (at % sizeof(Word) != 0) {
            wave.stop_with_fault(FaultKind::misaligned, fmt::format("an atomic of {} bytes at {:#x}, which is not a multiple of it", sizeof(Word), at),
                                 lane, at);
            return;
        }
        undefined_bytes(place, sizeof(Word), undefined[lane]);
        any_undefined_byte |= has_undefined(undefined[lane], sizeof(Word));
        const Word value = lane_data<Word>(wave, inst.src[1], lane, 0);
        std::atomic_ref<Word> target(*reinterpret_cast<Word*>(place.data));
        Word old = target.load();
        if constexpr (compare) {
            Word expected = lane_data<Word>(wave, inst.src[1], lane, sizeof(Word) / 4);
            target.compare_exchange_strong(expected, value);
            old = expected;
        } else {
            while (!target.compare_exchange_weak(old, op(old, value))) {}
        }
        put_old(wave, inst, lane, old);
        if (place.bitmap != nullptr) mark_defined(place.bitmap, place.offset, sizeof(Word));
    }
    if (!any_undefined_byte || inst.destinations == 0) return;
    for (unsigned word = 0; word < sizeof(Word) / 4; ++word) {
        LaneBits bits;
        for (int lane = 0; lane < kLanes; ++lane) std::memcpy(&bits[lane], undefined[lane] + 4 * word, 4);
        set_undefined(wave, inst.dst[0], word, bits);
    }
}

void taint_atomic(Wave& wave, const Inst& inst) {
    require_defined_address(wave, inst.src[0]);
    if (inst.sources > 2) require_defined_address(wave, inst.src[2]);
    if (any_undefined(wave, inst.src[1])) {
        wave.stop_with_fault(FaultKind::undefined_store, "an atomic operation takes undefined bits");
    }
    const LaneBits none{};
    for (unsigned word = 0; inst.destinations > 0 && word < inst.dst[0].count; ++word) set_undefined(wave, inst.dst[0], word, none);
}

constexpr OpInfo atomic(std::string_view mnemonic, ExecFn exec) {
    OpInfo op;
    op.mnemonic = mnemonic;
    op.exec = exec;
    op.unit = Unit::vmem;
    op.destinations = 0;
    op.glc_returns = true;
    op.taint = Taint::custom;
    op.taint_fn = taint_atomic;
    return op;
}

using u32 = std::uint32_t;
using u64 = std::uint64_t;

#define ATOMIC_ROWS(prefix, space)                                                              \
    atomic(prefix "_atomic_swap_b32", exec_atomic<space, u32, atomic_swap<u32>, false>),        \
        atomic(prefix "_atomic_swap_b64", exec_atomic<space, u64, atomic_swap<u64>, false>),    \
        atomic(prefix "_atomic_cmpswap_b32", exec_atomic<space, u32, atomic_swap<u32>, true>),  \
        atomic(prefix "_atomic_cmpswap_b64", exec_atomic<space, u64, atomic_swap<u64>, true>),  \
        atomic(prefix "_atomic_cmpswap_f32", exec_atomic<space, u32, atomic_swap<u32>, true>),  \
        atomic(prefix "_atomic_add_u32", exec_atomic<space, u32, atomic_add<u32>, false>),      \
        atomic(prefix "_atomic_add_u64", exec_atomic<space, u64, atomic_add<u64>, false>),      \
        atomic(prefix "_atomic_sub_u32", exec_atomic<space, u32, atomic_sub<u32>, false>),      \
        atomic(prefix "_atomic_sub_u64", exec_atomic<space, u64, atomic_sub<u64>, false>),      \
        atomic(prefix "_atomic_csub_u32", exec_atomic<space, u32, atomic_csub, false>),         \
        atomic(prefix "_atomic_min_i32", exec_atomic<space, u32, atomic_min_signed<u32>, false>), \
        atomic(prefix "_atomic_min_i64", exec_atomic<space, u64, atomic_min_signed<u64>, false>), \
        atomic(prefix "_atomic_max_i32", exec_atomic<space, u32, atomic_max_signed<u32>, false>), \
        atomic(prefix "_atomic_max_i64", exec_atomic<space, u64, atomic_max_signed<u64>, false>), \
        atomic(prefix "_atomic_min_u32", exec_atomic<space, u32, atomic_min<u32>, false>),      \
        atomic(prefix "_atomic_min_u64", exec_atomic<space, u64, atomic_min<u64>, false>),      \
        atomic(prefix "_atomic_max_u32", exec_atomic<space, u32, atomic_max<u32>, false>),      \
        atomic(prefix "_atomic_max_u64", exec_atomic<space, u64, atomic_max<u64>, false>),      \
        atomic(prefix "_atomic_and_b32", exec_atomic<space, u32, atomic_and<u32>, false>),      \
        atomic(prefix "_atomic_and_b64", exec_atomic<space, u64, atomic_and<u64>, false>),      \
        atomic(prefix "_atomic_or_b32", exec_atomic<space, u32, atomic_or<u32>, false>),        \
        atomic(prefix "_atomic_or_b64", exec_atomic<space, u64, atomic_or<u64>, false>),        \
        atomic(prefix "_atomic_xor_b32", exec_atomic<space, u32, atomic_xor<u32>, false>),      \
        atomic(prefix "_atomic_xor_b64", exec_atomic<space, u64, atomic_xor<u64>, false>),      \
        atomic(prefix "_atomic_inc_u32", exec_atomic<space, u32, atomic_inc<u32>, false>),      \
        atomic(prefix "_atomic_inc_u64", exec_atomic<space, u64, atomic_inc<u64>, false>),      \
        atomic(prefix "_atomic_dec_u32", exec_atomic<space, u32, atomic_dec<u32>, false>),      \
        atomic(prefix "_atomic_dec_u64", exec_atomic<space, u64, atomic_dec<u64>, false>),      \
        atomic(prefix "_atomic_add_f32", exec_atomic<space, u32, atomic_add_f32, false>),       \
        atomic(prefix "_atomic_min_f32", exec_atomic<space, u32, atomic_min_f32, false>),       \
        atomic(prefix "_atomic_max_f32", exec_atomic<space, u32, atomic_max_f32, false>)

constexpr std::array kOps{
    ATOMIC_ROWS("global", Space::global),
    ATOMIC_ROWS("flat", Space::flat),
};

#undef ATOMIC_ROWS

}  // namespace

std::span<const OpInfo> vmem_atomic_ops() { return kOps; }

}  // namespace hipemu
