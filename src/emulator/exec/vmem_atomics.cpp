// global_atomic_* and flat_atomic_*: atomic operations of the host on the emulator's view, since work-groups run on several threads.
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "emulator/exec/atomic_ops.hpp"
#include "emulator/exec/vmem.hpp"

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

/// The forms that compare: the data are the new value and then the expected one.
template <Space space, class Word, Word (*op)(Word, Word), AtomicForm form>
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
        const Word expected = form == AtomicForm::update ? Word{} : lane_data<Word>(wave, inst.src[1], lane, sizeof(Word) / 4);
        const Word old = update_memory<Word, op, form>(place.data, value, expected);
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
        wave.stop_with_fault(FaultKind::undefined_store, "an atomic operation takes undefined bits", first_undefined_lane(wave, inst.src[1]));
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

#define GLOBAL_ROW(name, Word, op, form) atomic("global_atomic_" name, exec_atomic<Space::global, Word, op, AtomicForm::form>)
#define FLAT_ROW(name, Word, op, form) atomic("flat_atomic_" name, exec_atomic<Space::flat, Word, op, AtomicForm::form>)

constexpr std::array kOps{
    HIPEMU_MEMORY_ATOMICS(GLOBAL_ROW),
    HIPEMU_MEMORY_ATOMICS(FLAT_ROW),
    GLOBAL_ROW("csub_u32", std::uint32_t, atomic_csub, update),
};

#undef GLOBAL_ROW
#undef FLAT_ROW

}  // namespace

std::span<const OpInfo> vmem_atomic_ops() { return kOps; }

}  // namespace hipemu
