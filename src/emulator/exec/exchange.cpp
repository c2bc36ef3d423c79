// Lanes that read other lanes: permlane, readlane, writelane, readfirstlane, and the counts of lower lanes. (DPP, which any VOP can
// have, is in lanes.cpp.)
#include <bit>
#include <span>

#include "emulator/exec/lanes.hpp"
#include "emulator/exec/valu_tables.hpp"
#include "emulator/isa/op_rows.hpp"

namespace hipemu::HIPEMU_LANES {

namespace {

constexpr u32 kIdentityLow = 0x76543210u, kIdentityHigh = 0xfedcba98u;

// Each lane of a row of 16 reads the lane that its nibble of the selectors names, in its own row or (Other) the other one. op_sel[0] lets
// it read lanes that are off; without that such a lane gives 0 if op_sel[1] (bound_ctrl) is set, and leaves the destination otherwise.
template <bool Other>
void permlane(Wave& wave, const Inst& inst) {
    const u32* from = wave.v[inst.src[0].index];
    u32* to = wave.v[inst.dst[0].index];
    const u32 low = scalar_word(wave, inst.src[1]), high = scalar_word(wave, inst.src[2]);
    const u32 exec = wave.exec();
    Words result;
    if (exec == ~0u && low == kIdentityLow && high == kIdentityHigh) [[likely]] {
        for (int l = 0; l < kLanes; ++l) result.lane[l] = from[Other ? l ^ 16 : l];
        for (int l = 0; l < kLanes; ++l) to[l] = result.lane[l];
        return;
    }
    const bool fetch_inactive = (inst.mod.op_sel & 1) != 0, zero = (inst.mod.op_sel & 2) != 0;
    const u64 selectors = static_cast<u64>(high) << 32 | low;
    for (int l = 0; l < kLanes; ++l) {
        const int source = ((l & 16) ^ (Other ? 16 : 0)) + static_cast<int>(selectors >> (4 * (l & 15)) & 15);
        const bool readable = fetch_inactive || (exec >> source & 1) != 0;
        result.lane[l] = readable ? from[source] : zero ? 0u : to[l];
    }
    for (int l = 0; l < kLanes; ++l) to[l] = (exec >> l & 1) ? result.lane[l] : to[l];
}

// Exchanges the halves of a wave of 64; a wave of 32 does nothing.
void permlane64(Wave&, const Inst&) {}

u32 word_of_lane(const Wave& wave, const Operand& source, int lane) {
    return source.kind == OperandKind::vgpr ? wave.v[source.index][lane] : scalar_word(wave, source);
}

void readlane(Wave& wave, const Inst& inst) {
    const int lane = static_cast<int>(scalar_word(wave, inst.src[1]) & 31);
    set_scalar_word(wave, inst.dst[0], word_of_lane(wave, inst.src[0], lane));
}

void readfirstlane(Wave& wave, const Inst& inst) {
    const u32 exec = wave.exec();
    set_scalar_word(wave, inst.dst[0], word_of_lane(wave, inst.src[0], exec == 0 ? 0 : std::countr_zero(exec)));
}

void writelane(Wave& wave, const Inst& inst) {
    wave.v[inst.dst[0].index][scalar_word(wave, inst.src[1]) & 31] = scalar_word(wave, inst.src[0]);
}

// Of the bits of src0 those below the own lane are counted; lanes above 31 do not exist here.
template <bool Low>
void mbcnt(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_b, result;
    const u32* a = at.raw(0, room_a);
    const u32* b = at.raw(1, room_b);
    for (int l = 0; l < kLanes; ++l) {
        const u32 below = Low ? a[l] & ((1u << l) - 1) : 0u;
        result.lane[l] = static_cast<u32>(std::popcount(below)) + b[l];
    }
    at.store(result);
}

constexpr OpInfo row(std::string_view mnemonic, ExecFn exec, TaintFn taint) {
    return with_taint(vector_op(mnemonic, exec, Type::b32), Taint::custom, taint);
}

constexpr OpInfo kOps[] = {
    row("v_permlane16_b32", permlane<false>, taint_permlane),
    row("v_permlanex16_b32", permlane<true>, taint_permlane),
    with_taint(with_accumulator(vector_op("v_permlane64_b32", permlane64, Type::b32)), Taint::custom, taint_nothing),
    row("v_readlane_b32", readlane, taint_readlane),
    row("v_readfirstlane_b32", readfirstlane, taint_readlane),
    with_accumulator(row("v_writelane_b32", writelane, taint_writelane)),
    vector_op("v_mbcnt_lo_u32_b32", mbcnt<true>, Type::b32),
    vector_op("v_mbcnt_hi_u32_b32", mbcnt<false>, Type::b32),
};

}  // namespace

std::span<const OpInfo> exchange_ops() { return kOps; }

}  // namespace hipemu::HIPEMU_LANES
