// ds_swizzle_b32, ds_bpermute_b32, ds_permute_b32: lanes exchange a register through the crossbar of LDS; no LDS memory is touched.
#include <array>

#include "emulator/exec/lds.hpp"
#include "emulator/state/lane_access.hpp"

namespace hipemu {
namespace {

/// The lane that `lane` reads. Offset: bit 15 with 00 in 14:13 = quad permutation; 110 = rotation; 111 = FFT order; otherwise and/or/xor masks.
int swizzle_source(std::uint32_t offset, int lane) {
    if (offset >= 0xe000) {  // reversed bits of the lane number, within groups given by the mask
        const std::uint32_t mask = offset & 31;
        if (mask == 31) return lane;
        std::uint32_t reversed = 0;
        for (int i = 0; i < 5; ++i) reversed |= (static_cast<std::uint32_t>(lane) >> i & 1) << (4 - i);
        const std::uint32_t count = mask == 0 ? 0 : static_cast<std::uint32_t>(__builtin_popcount(mask));
        return static_cast<int>((reversed >> count) | (static_cast<std::uint32_t>(lane) & mask));
    }
    if (offset >= 0xc000) {
        const std::uint32_t mask = offset & 31;
        const std::uint32_t count = offset >> 5 & 31;
        const std::uint32_t turned = (offset >> 10 & 1) != 0 ? static_cast<std::uint32_t>(lane) - count : static_cast<std::uint32_t>(lane) + count;
        return static_cast<int>((static_cast<std::uint32_t>(lane) & mask) | (turned & ~mask & 31));
    }
    if (offset & 0x8000) return (lane & ~3) | static_cast<int>(offset >> (2 * (lane & 3)) & 3);
    const std::uint32_t and_mask = offset & 31, or_mask = offset >> 5 & 31, xor_mask = offset >> 10 & 31;
    return static_cast<int>((((static_cast<std::uint32_t>(lane) & and_mask) | or_mask) ^ xor_mask) & 31);
}

/// Lane l takes lane from(l); an inactive source gives 0.
template <class From>
void gather(Wave& wave, const Inst& inst, const Operand& data, From from) {
    const std::uint32_t exec = wave.exec();
    std::uint32_t result[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
        const int source = from(lane);
        result[lane] = exec >> source & 1 ? wave.v[data.index][source] : 0;
    }
    for (int lane = 0; lane < kLanes; ++lane) {
        if (exec >> lane & 1) wave.v[inst.dst[0].index][lane] = result[lane];
    }
}

template <class From>
void gather_undefined(Wave& wave, const Inst& inst, const Operand& data, From from) {
    LaneBits source, bits;
    undefined_bits(wave, data, 0, source);
    for (int lane = 0; lane < kLanes; ++lane) bits[lane] = wave.exec() >> from(lane) & 1 ? source[from(lane)] : 0;
    set_undefined(wave, inst.dst[0], 0, bits);
}

auto swizzle_of(const Inst& inst) {
    return [offset = static_cast<std::uint32_t>(inst.mod.offset) & 0xffff](int lane) { return swizzle_source(offset, lane); };
}

auto backward_of(const Wave& wave, const Inst& inst) {
    return [&wave, &inst](int lane) {
        return static_cast<int>((wave.v[inst.src[0].index][lane] + static_cast<std::uint32_t>(inst.mod.offset)) / 4 % kLanes);
    };
}

void exec_swizzle(Wave& wave, const Inst& inst) { gather(wave, inst, inst.src[0], swizzle_of(inst)); }
void taint_swizzle(Wave& wave, const Inst& inst) { gather_undefined(wave, inst, inst.src[0], swizzle_of(inst)); }

void exec_bpermute(Wave& wave, const Inst& inst) { gather(wave, inst, inst.src[1], backward_of(wave, inst)); }
void taint_bpermute(Wave& wave, const Inst& inst) {
    require_defined_address(wave, inst.src[0]);
    gather_undefined(wave, inst, inst.src[1], backward_of(wave, inst));
}

/// Lane l sends its word to lane address / 4; of several senders the highest lane wins, a lane that nobody sends to gets 0.
void scatter(const Wave& wave, const Inst& inst, const std::uint32_t (&words)[kLanes], LaneBits& result) {
    std::memset(result, 0, sizeof(result));
    for (int lane = 0; lane < kLanes; ++lane) {
        if ((wave.exec() >> lane & 1) == 0) continue;
        result[backward_of(wave, inst)(lane)] = words[lane];
    }
}

void exec_permute(Wave& wave, const Inst& inst) {
    LaneBits result;
    scatter(wave, inst, wave.v[inst.src[1].index], result);
    for (int lane = 0; lane < kLanes; ++lane) {
        if (wave.exec() >> lane & 1) wave.v[inst.dst[0].index][lane] = result[lane];
    }
}

void taint_permute(Wave& wave, const Inst& inst) {
    require_defined_address(wave, inst.src[0]);
    LaneBits source, bits;
    undefined_bits(wave, inst.src[1], 0, source);
    scatter(wave, inst, source, bits);
    set_undefined(wave, inst.dst[0], 0, bits);
}

constexpr OpInfo exchange(std::string_view mnemonic, ExecFn exec, TaintFn rule) {
    OpInfo op;
    op.mnemonic = mnemonic;
    op.exec = exec;
    op.unit = Unit::lds;
    op.taint = Taint::custom;
    op.taint_fn = rule;
    return op;
}

constexpr OpInfo nothing(std::string_view mnemonic) {
    OpInfo op;
    op.mnemonic = mnemonic;
    op.exec = [](Wave&, const Inst&) {};
    op.unit = Unit::lds;
    op.destinations = 0;
    op.taint = Taint::none;
    op.no_effect = true;
    return op;
}

constexpr std::array kOps{
    nothing("ds_nop"),
    exchange("ds_swizzle_b32", exec_swizzle, taint_swizzle),
    exchange("ds_bpermute_b32", exec_bpermute, taint_bpermute),
    exchange("ds_permute_b32", exec_permute, taint_permute),
};

}  // namespace

std::span<const OpInfo> lds_exchange_ops() { return kOps; }

}  // namespace hipemu
