// buffer_load_* and buffer_store_*: accesses through a buffer descriptor, which other compilers use for their free bounds check: what lies
// outside the descriptor reads 0 and is not stored. That is no finding; what lies inside it must be allocated.
#include "emulator/exec/buffer.hpp"

#include <array>
#include <vector>

#include "emulator/isa/op_tables.hpp"
#include "emulator/state/lane_access.hpp"

namespace hipemu {

void require_defined_descriptor(Wave& wave, const Inst& inst, const BufferOperands& operands) {
    if (inst.mod.offen || inst.mod.idxen) require_defined_address(wave, *operands.vaddr);
    require_defined_address(wave, *operands.descriptor);
    if (operands.soffset->kind == OperandKind::sgpr && operands.soffset->index != kNull) require_defined_address(wave, *operands.soffset);
}

namespace {

template <unsigned bytes, bool sign, Half half>
void exec_load(Wave& wave, const Inst& inst) {
    constexpr Format format{bytes, sign, half};
    constexpr unsigned piece = bytes < 4 ? bytes : 4;
    const BufferOperands operands = operands_of<false>(inst);
    const Operand& destination = *operands.data;
    const BufferAddress buffer(wave, inst, operands);
    BufferAddress::Lane where[kLanes][format.words()];  // the destination may be the address register
    for (int lane = 0; lane < kLanes; ++lane)
        for (unsigned word = 0; word < format.words(); ++word) where[lane][word] = buffer.at(lane, 4 * word, piece);
    for (unsigned word = 0; word < format.words(); ++word) {
        LaneBits undefined{};
        bool any_undefined_bit = false;
        for (int lane = 0; lane < kLanes; ++lane) {
            if ((wave.exec() >> lane & 1) == 0) continue;
            std::byte data[4] = {}, bits[16] = {};
            if (where[lane][word].inside) {
                Place place;
                if (!global_place(wave, where[lane][word].address, piece, lane, false, place)) return;
                std::memcpy(data, place.data, piece);
                if (place.bitmap != nullptr) undefined_bytes(place, piece, bits);
            }
            put_half(wave.v[destination.index + word][lane], register_word(data, format, 0), half == Half::whole ? Half::whole : half_of(destination, half));
            undefined[lane] = register_word(bits, format, 0);
            any_undefined_bit |= undefined[lane] != 0;
        }
        if (!any_undefined_bit) continue;
        Operand target = destination;
        if (half != Half::whole) target.half = half_of(destination, half);
        set_undefined(wave, target, word, undefined);
    }
}

template <unsigned bytes, Half half>
void exec_store(Wave& wave, const Inst& inst) {
    constexpr Format format{bytes, false, half};
    constexpr unsigned piece = bytes < 4 ? bytes : 4;
    const BufferOperands operands = operands_of<true>(inst);
    const BufferAddress buffer(wave, inst, operands);
    for (int lane = 0; lane < kLanes; ++lane) {
        if ((wave.exec() >> lane & 1) == 0) continue;
        for (unsigned word = 0; word < format.words(); ++word) {
            const BufferAddress::Lane where = buffer.at(lane, 4 * word, piece);
            if (!where.inside) continue;
            Place place;
            if (!global_place(wave, where.address, piece, lane, true, place)) return;
            const std::uint32_t value = take_half(wave.v[operands.data->index + word][lane], half_of(*operands.data, half));
            std::memcpy(place.data, &value, piece);
            if (place.bitmap != nullptr) mark_defined(place.bitmap, place.offset, piece);
        }
    }
}

void taint_load(Wave& wave, const Inst& inst) {
    require_defined_descriptor(wave, inst, operands_of<false>(inst));
    expect_defined_load(wave, inst);
}

template <unsigned bytes, Half half>
void taint_store(Wave& wave, const Inst& inst) {
    const BufferOperands operands = operands_of<true>(inst);
    require_defined_descriptor(wave, inst, operands);
    const BufferAddress buffer(wave, inst, operands);
    constexpr std::uint32_t stored = bytes == 1 ? 0xffu : bytes == 2 ? 0xffffu : 0xffffffffu;
    for (unsigned word = 0; word < Format{bytes}.words(); ++word) {
        Operand data = *operands.data;
        data.half = Half::whole;
        LaneBits bits;
        undefined_bits(wave, data, word, bits);
        for (int lane = 0; lane < kLanes; ++lane) {
            const BufferAddress::Lane where = buffer.at(lane, 4 * word, bytes < 4 ? bytes : 4);
            if ((wave.exec() >> lane & 1) == 0 || !where.inside || (take_half(bits[lane], half_of(*operands.data, half)) & stored) == 0) continue;
            wave.stop_with_fault(FaultKind::undefined_store, "undefined bits are stored to global memory", lane, where.address);
            return;
        }
    }
}

constexpr OpInfo buffer_op(std::string_view mnemonic, ExecFn exec, std::uint8_t destinations, TaintFn rule) {
    OpInfo op;
    op.mnemonic = mnemonic;
    op.exec = exec;
    op.unit = Unit::vmem;
    op.destinations = destinations;
    op.taint = Taint::custom;
    op.taint_fn = rule;
    return op;
}
template <unsigned bytes, bool sign = false, Half half = Half::whole>
constexpr OpInfo load(std::string_view mnemonic) {
    OpInfo op = buffer_op(mnemonic, exec_load<bytes, sign, half>, 1, taint_load);
    op.reads_destination = half != Half::whole;
    return op;
}
template <unsigned bytes, Half half = Half::whole>
constexpr OpInfo store(std::string_view mnemonic) {
    return buffer_op(mnemonic, exec_store<bytes, half>, 0, taint_store<bytes, half>);
}

constexpr std::array kOps{
    load<1>("buffer_load_u8"),
    load<1, true>("buffer_load_i8"),
    load<2>("buffer_load_u16"),
    load<2, true>("buffer_load_i16"),
    load<1, false, Half::low>("buffer_load_d16_u8"),
    load<1, true, Half::low>("buffer_load_d16_i8"),
    load<2, false, Half::low>("buffer_load_d16_b16"),
    load<1, false, Half::high>("buffer_load_d16_hi_u8"),
    load<1, true, Half::high>("buffer_load_d16_hi_i8"),
    load<2, false, Half::high>("buffer_load_d16_hi_b16"),
    load<4>("buffer_load_b32"),
    load<8>("buffer_load_b64"),
    load<12>("buffer_load_b96"),
    load<16>("buffer_load_b128"),
    store<1>("buffer_store_b8"),
    store<2>("buffer_store_b16"),
    store<1, Half::high>("buffer_store_d16_hi_b8"),
    store<2, Half::high>("buffer_store_d16_hi_b16"),
    store<4>("buffer_store_b32"),
    store<8>("buffer_store_b64"),
    store<12>("buffer_store_b96"),
    store<16>("buffer_store_b128"),
};

}  // namespace

std::span<const OpInfo> buffer_ops() {
    static const std::vector<OpInfo> all = [] {
        std::vector<OpInfo> rows(kOps.begin(), kOps.end());
        const std::span<const OpInfo> atomics = buffer_atomic_ops();
        rows.insert(rows.end(), atomics.begin(), atomics.end());
        return rows;
    }();
    return all;
}

}  // namespace hipemu
