// Accesses whose address no vector register gives: M0 or scalar registers, and the lane's number. ds_append and ds_consume count the active
// lanes in one word of LDS; the _addtid forms give each lane its own word.
#include <array>
#include <bit>
#include <cstdint>

#include "emulator/isa/op_tables.hpp"
#include "emulator/state/lane_access.hpp"
#include "emulator/state/scalar.hpp"

namespace hipemu {
namespace {

using u32 = std::uint32_t;

constexpr u32 kBaseMask = 0xffff;  // the part of M0 that is the base in LDS

u32 lds_address(const Wave& wave, const Inst& inst) { return (wave.s[kM0] & kBaseMask) + static_cast<u32>(inst.mod.offset); }

/// Adds the number of active lanes to the word, or subtracts it; every active lane gets the old value.
template <bool add>
void exec_count(Wave& wave, const Inst& inst) {
    const u32 exec = wave.exec();
    if (exec == 0) return;
    Place place;
    if (!lds_place(wave, lds_address(wave, inst), 4, -1, place)) return;
    u32 old = 0, undefined = 0;
    std::memcpy(&old, place.data, 4);
    std::memcpy(&undefined, place.undefined, 4);
    const auto lanes = static_cast<u32>(std::popcount(exec));
    const u32 result = add ? old + lanes : old - lanes;
    std::memcpy(place.data, &result, 4);
    for (int lane = 0; lane < kLanes; ++lane) {
        if (exec >> lane & 1) wave.v[inst.dst[0].index][lane] = old;
    }
    if (undefined == 0) return;
    LaneBits bits;
    for (u32& b : bits) b = ~0u;  // a sum with undefined bits
    set_undefined(wave, inst.dst[0], 0, bits);
}

/// LDS: M0 and the offset; global memory: the scalar pair, if the text has one, and the offset.
template <bool lds>
bool own_place(Wave& wave, const Inst& inst, const Operand* base, int lane, bool a_write, Place& place) {
    const auto step = 4 * static_cast<u32>(lane);
    if constexpr (lds) return lds_place(wave, lds_address(wave, inst) + step, 4, lane, place);
    const std::uint64_t start = base != nullptr && base->kind == OperandKind::sgpr && base->index != kNull ? scalar_pair(wave, *base) : 0;
    return global_place(wave, start + static_cast<std::uint64_t>(std::int64_t{inst.mod.offset}) + step, 4, lane, a_write, place);
}

template <bool lds>
void exec_load(Wave& wave, const Inst& inst) {
    LaneBits undefined{};
    u32 any = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
        if ((wave.exec() >> lane & 1) == 0) continue;
        Place place;
        if (!own_place<lds>(wave, inst, inst.sources > 0 ? &inst.src[0] : nullptr, lane, false, place)) return;
        std::byte bits[4] = {};
        undefined_bytes(place, 4, bits);
        std::memcpy(&wave.v[inst.dst[0].index][lane], place.data, 4);
        std::memcpy(&undefined[lane], bits, 4);
        any |= undefined[lane];
    }
    if (any != 0) set_undefined(wave, inst.dst[0], 0, undefined);
}

template <bool lds>
void exec_store(Wave& wave, const Inst& inst) {
    LaneBits undefined;
    undefined_bits(wave, inst.src[0], 0, undefined);
    for (int lane = 0; lane < kLanes; ++lane) {
        if ((wave.exec() >> lane & 1) == 0) continue;
        Place place;
        if (!own_place<lds>(wave, inst, inst.sources > 1 ? &inst.src[1] : nullptr, lane, true, place)) return;
        std::memcpy(place.data, &wave.v[inst.src[0].index][lane], 4);
        if (place.bitmap != nullptr) mark_defined(place.bitmap, place.offset, 4);
        if (place.undefined != nullptr) std::memcpy(place.undefined, &undefined[lane], 4);
    }
}

// Rules for undefined bits: those of every access.

template <bool lds>
void require_base(Wave& wave, const Operand* base) {
    if (lds && (scalar_undefined_bits(wave, kM0) & kBaseMask) != 0) {
        wave.stop_with_fault(FaultKind::undefined_address, "M0, the base of this LDS access, holds undefined bits");
    }
    if (!lds && base != nullptr) require_defined_address(wave, *base);
}

template <bool lds>
void taint_load(Wave& wave, const Inst& inst) {
    require_base<lds>(wave, inst.sources > 0 ? &inst.src[0] : nullptr);
    expect_defined_load(wave, inst);
}

template <bool lds>
void taint_store(Wave& wave, const Inst& inst) {
    require_base<lds>(wave, inst.sources > 1 ? &inst.src[1] : nullptr);
    if (!lds && any_undefined(wave, inst.src[0])) {
        wave.stop_with_fault(FaultKind::undefined_store, "undefined bits are stored to global memory", first_undefined_lane(wave, inst.src[0]));
    }
}

template <bool lds>
constexpr OpInfo access(std::string_view mnemonic, ExecFn exec, TaintFn rule, std::uint8_t destinations) {
    OpInfo op;
    op.mnemonic = mnemonic;
    op.exec = exec;
    op.unit = lds ? Unit::lds : Unit::vmem;
    op.destinations = destinations;
    op.reads_m0 = lds;
    op.taint = Taint::custom;
    op.taint_fn = rule;
    return op;
}

constexpr std::array kOps{
    access<true>("ds_append", exec_count<true>, taint_load<true>, 1),
    access<true>("ds_consume", exec_count<false>, taint_load<true>, 1),
    access<true>("ds_load_addtid_b32", exec_load<true>, taint_load<true>, 1),
    access<true>("ds_store_addtid_b32", exec_store<true>, taint_store<true>, 0),
    access<false>("global_load_addtid_b32", exec_load<false>, taint_load<false>, 1),
    access<false>("global_store_addtid_b32", exec_store<false>, taint_store<false>, 0),
};

}  // namespace

std::span<const OpInfo> implicit_address_ops() { return kOps; }

}  // namespace hipemu
