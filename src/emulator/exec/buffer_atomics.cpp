// buffer_atomic_*: atomic operations through a buffer descriptor. Outside it nothing is stored and 0 comes back; what lies inside must be
// allocated. The data register is named once: with glc it takes the old value.
#include <array>

#include <fmt/format.h>

#include "emulator/exec/atomic_ops.hpp"
#include "emulator/exec/buffer.hpp"
#include "emulator/exec/buffer_address.hpp"
#include "emulator/state/lane_access.hpp"

namespace hipemu {
namespace {

template <class Word>
Word lane_data(const Wave& wave, const Operand& data, int lane, unsigned at) {
    Word value = wave.v[data.index + at][lane];
    if constexpr (sizeof(Word) == 8) value |= static_cast<Word>(wave.v[data.index + at + 1][lane]) << 32;
    return value;
}

template <class Word, Word (*op)(Word, Word), AtomicForm form>
void exec_atomic(Wave& wave, const Inst& inst) {
    const BufferOperands operands = operands_of<true>(inst);
    const BufferAddress buffer(wave, inst, operands);
    LaneBits undefined[2] = {};
    bool any_undefined_bit = false;
    for (int lane = 0; lane < kLanes; ++lane) {
        if ((wave.exec() >> lane & 1) == 0) continue;
        const BufferAddress::Lane where = buffer.at(lane, 0, sizeof(Word));
        Word old{};
        if (where.inside) {
            Place place;
            if (!global_place(wave, where.address, sizeof(Word), lane, true, place)) return;
            if (where.address % sizeof(Word) != 0) {
                wave.stop_with_fault(FaultKind::misaligned,
                                     fmt::format("an atomic of {} bytes at {:#x}, which is not a multiple of it", sizeof(Word), where.address), lane,
                                     where.address);
                return;
            }
            std::byte bits[8] = {};
            undefined_bytes(place, sizeof(Word), bits);
            for (unsigned word = 0; word < sizeof(Word) / 4; ++word) {
                std::memcpy(&undefined[word][lane], bits + 4 * word, 4);
                any_undefined_bit |= undefined[word][lane] != 0;
            }
            const Word value = lane_data<Word>(wave, *operands.data, lane, 0);
            const Word expected = form == AtomicForm::update ? Word{} : lane_data<Word>(wave, *operands.data, lane, sizeof(Word) / 4);
            old = update_memory<Word, op, form>(place.data, value, expected);
            if (place.bitmap != nullptr) mark_defined(place.bitmap, place.offset, sizeof(Word));
        }
        if (inst.destinations == 0) continue;
        wave.v[inst.dst[0].index][lane] = static_cast<std::uint32_t>(old);
        if constexpr (sizeof(Word) == 8) wave.v[inst.dst[0].index + 1][lane] = static_cast<std::uint32_t>(old >> 32);
    }
    if (!any_undefined_bit || inst.destinations == 0) return;
    for (unsigned word = 0; word < sizeof(Word) / 4; ++word) set_undefined(wave, inst.dst[0], word, undefined[word]);
}

void taint_atomic(Wave& wave, const Inst& inst) {
    const BufferOperands operands = operands_of<true>(inst);
    require_defined_descriptor(wave, inst, operands);
    if (any_undefined(wave, *operands.data)) {
        wave.stop_with_fault(FaultKind::undefined_store, "an atomic operation takes undefined bits", first_undefined_lane(wave, *operands.data));
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

#define BUFFER_ROW(name, Word, op, form) atomic("buffer_atomic_" name, exec_atomic<Word, op, AtomicForm::form>)

constexpr std::array kOps{
    HIPEMU_MEMORY_ATOMICS(BUFFER_ROW),
    BUFFER_ROW("csub_u32", std::uint32_t, atomic_csub, update),
};

#undef BUFFER_ROW

}  // namespace

std::span<const OpInfo> buffer_atomic_ops() { return kOps; }

}  // namespace hipemu
