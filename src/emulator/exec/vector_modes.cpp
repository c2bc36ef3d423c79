#include "emulator/exec/vector_modes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "emulator/isa/float_mode.hpp"
#include "emulator/state/scalar.hpp"
#include "emulator/state/wave.hpp"

namespace hipemu {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

bool usual(const Wave& wave) { return (wave.mode & kModeBits) == kUsualMode; }
bool keeps_denormals64(u32 mode) { return reads_denormals64(mode) && gives_denormals64(mode); }

const char* direction_name(Rounding rounding) {
    constexpr const char* kNames[] = {"to nearest even", "up", "down", "toward zero"};
    return kNames[static_cast<unsigned>(rounding)];
}

/// The result is 32 bits, or its rounding is that of 32 bits: the fast handler, with the host rounding so.
void exec_single(Wave& wave, const Inst& inst) {
    const HostRounding rounding(rounding32(wave.mode));
    inst.info->exec(wave, inst);
}

/// Vectorised conversions of integers go to floats in more than one step: here it is one.
template <bool is_signed>
void exec_cvt_int(Wave& wave, const Inst& inst) {
    if (inst.mod.dpp != DppControl::none || inst.mod.clamp) return exec_single(wave, inst);
    const HostRounding rounding(rounding32(wave.mode));
    float (*volatile narrow)(double) = [](double x) { return static_cast<float>(x); };
    for (int lane = 0; lane < kLanes; ++lane) {
        if ((wave.exec() >> lane & 1) == 0) continue;
        const u32 x = inst.src[0].kind == OperandKind::vgpr ? wave.v[inst.src[0].index][lane] : scalar_word(wave, inst.src[0]);
        const double exact = is_signed ? static_cast<double>(static_cast<std::int32_t>(x)) : static_cast<double>(x);
        wave.v[inst.dst[0].index][lane] = std::bit_cast<u32>(narrow(exact));
    }
}

// Division's last step scales a fused multiply-add; in a directed rounding two steps round like one, in nearest the fast handler knows better.
template <class Real, class Bits, int scale, int bias, int mantissa_bits>
void scaled_fma(Wave& wave, const Inst& inst, Rounding rounding) {
    if (rounding == Rounding::nearest) return inst.info->exec(wave, inst);
    const u32 flags = wave.s[kVccLo];
    wave.s[kVccLo] = 0;
    {
        const HostRounding host(rounding);
        inst.info->exec(wave, inst);  // the plain sum, NaNs and modifiers settled
    }
    wave.s[kVccLo] = flags;
    constexpr unsigned kWords = sizeof(Bits) / 4;
    const HostRounding host(rounding);
    Real (*volatile scaled)(Real, int) = [](Real x, int n) { return std::ldexp(x, n); };
    for (int lane = 0; lane < kLanes; ++lane) {
        if ((wave.exec() & flags) >> lane == 0) break;
        if (((wave.exec() & flags) >> lane & 1) == 0) continue;
        const auto read = [&](const Operand& from) {
            Bits bits = 0;
            for (unsigned word = 0; word < kWords; ++word) {
                const u32 part = from.kind == OperandKind::vgpr ? wave.v[(from.index + word) & 255][lane] : scalar_word(wave, from, word);
                bits |= static_cast<Bits>(part) << (16 * word) << (16 * word);
            }
            return bits;
        };
        // src2 may be the destination: then its exponent is that of the sum, which has the same scale.
        const auto exponent = static_cast<int>(read(inst.src[2]) >> mantissa_bits & (2 * bias + 1));
        const Bits result = std::bit_cast<Bits>(scaled(std::bit_cast<Real>(read(inst.dst[0])), exponent > bias ? scale : -scale));
        for (unsigned word = 0; word < kWords; ++word) wave.v[inst.dst[0].index + word][lane] = static_cast<u32>(result >> (16 * word) >> (16 * word));
    }
}
void exec_div_fmas32(Wave& wave, const Inst& inst) { scaled_fma<float, u32, 64, 127, 23>(wave, inst, rounding32(wave.mode)); }

// 64 bits: the fast handler on sources without the denormals that MODE does not read, then the result without those that it does not give.

class FlushedSources {
public:
    FlushedSources(Wave& wave, const Inst& inst, bool flush) : wave_(wave), inst_(inst) {
        if (!flush) return;
        for (unsigned i = 0; i < inst_.sources; ++i) {
            Operand& source = inst_.src[i];
            const Type type = i < inst.info->source_types.size() && inst.info->source_types[i] != Type::none ? inst.info->source_types[i] : inst.info->source_type;
            if (type != Type::f64) continue;
            if (source.kind != OperandKind::vgpr) {
                source.value = without_denormal64(scalar_pair(wave, source));
                source.kind = OperandKind::constant;
                continue;
            }
            if (std::find(first_.begin(), first_.begin() + count_, source.index) != first_.begin() + count_) continue;
            first_[count_] = source.index;
            for (int lane = 0; lane < kLanes; ++lane) {
                u32 &low = wave.v[source.index][lane], &high = wave.v[(source.index + 1) & 255][lane];
                saved_[count_][lane] = low | u64{high} << 32;
                const u64 flushed = without_denormal64(saved_[count_][lane]);
                low = static_cast<u32>(flushed);
                high = static_cast<u32>(flushed >> 32);
            }
            ++count_;
        }
    }
    const Inst& inst() const { return inst_; }

    /// Puts the sources back, but not where the instruction has just written.
    void restore() {
        for (unsigned k = count_; k-- > 0;) {
            for (unsigned word = 0; word < 2; ++word) {
                const unsigned r = (first_[k] + word) & 255u;
                const bool result = inst_.destinations > 0 && inst_.dst[0].kind == OperandKind::vgpr && r >= inst_.dst[0].index && r < inst_.dst[0].index + inst_.dst[0].count;
                for (int lane = 0; lane < kLanes; ++lane) {
                    if (result && (wave_.exec() >> lane & 1) != 0) continue;
                    wave_.v[r][lane] = static_cast<u32>(saved_[k][lane] >> (32 * word));
                }
            }
        }
    }

private:
    Wave& wave_;
    Inst inst_;
    std::array<std::uint16_t, 3> first_{};
    unsigned count_ = 0;
    u64 saved_[3][kLanes] = {};
};

template <bool rounds>
void exec_double(Wave& wave, const Inst& inst) {
    FlushedSources sources(wave, inst, !reads_denormals64(wave.mode));
    {
        const HostRounding rounding(rounds ? rounding64(wave.mode) : Rounding::nearest);
        inst.info->exec(wave, sources.inst());
    }
    sources.restore();
    const Operand& result = inst.dst[0];
    if (gives_denormals64(wave.mode) || inst.destinations == 0 || result.kind != OperandKind::vgpr || result.count != 2) return;
    for (int lane = 0; lane < kLanes; ++lane) {
        if ((wave.exec() >> lane & 1) == 0) continue;
        const u64 bits = without_denormal64(wave.v[result.index][lane] | u64{wave.v[result.index + 1][lane]} << 32);
        wave.v[result.index][lane] = static_cast<u32>(bits);
        wave.v[result.index + 1][lane] = static_cast<u32>(bits >> 32);
    }
}

void exec_cvt_f32_f64(Wave& wave, const Inst& inst) {
    FlushedSources sources(wave, inst, !reads_denormals64(wave.mode));
    exec_single(wave, sources.inst());
    sources.restore();
}

void exec_div_fmas64(Wave& wave, const Inst& inst) {
    if (!keeps_denormals64(wave.mode)) {
        wave.stop_with_fault(FaultKind::unsupported, "v_div_fmas_f64 while MODE flushes 64-bit denormals is not modelled");
        return;
    }
    scaled_fma<double, u64, 128, 1023, 52>(wave, inst, rounding64(wave.mode));
}

// 16 bits, in double precision with one rounding at the end.

using HalfOp = double (*)(double, double, double);

double add(double a, double b, double) { return a + b; }
double sub(double a, double b, double) { return a - b; }
double subrev(double a, double b, double) { return b - a; }
double mul(double a, double b, double) { return a * b; }
double fused(double a, double b, double c) { return std::fma(a, b, c); }

constexpr u32 kQuiet16 = 0x200u, kDefaultNan16 = 0xfe00u;
bool is_nan16(u32 x) { return (x & 0x7fffu) > 0x7c00u; }

/// One result from the bits of up to three halves.
template <HalfOp op>
u32 half_result(const Wave& wave, const Inst& inst, std::array<u32, 3> bits, unsigned count) {
    if (!reads_denormals64(wave.mode)) {
        for (u32& b : bits) b = without_denormal16(b);
    }
    for (unsigned i = 0; i < count; ++i) {
        if (is_nan16(bits[i])) return inst.mod.clamp ? 0 : bits[i] | kQuiet16;
    }
    const Rounding rounding = rounding64(wave.mode);
    const HostRounding host(rounding);
    HalfOp volatile operation = op;
    double value = operation(half_to_double(bits[0]), half_to_double(bits[1]), half_to_double(bits[2]));
    if (value != value) return inst.mod.clamp ? 0 : kDefaultNan16;
    if (inst.mod.clamp) value = std::clamp(value, 0.0, 1.0);
    const u32 result = double_to_half(value, rounding);
    return gives_denormals64(wave.mode) ? result : without_denormal16(result);
}

u32 source_word(const Wave& wave, const Operand& source, int lane) {
    return source.kind == OperandKind::vgpr ? wave.v[source.index][lane] : scalar_word(wave, source);
}

bool refuse_dpp(Wave& wave, const Inst& inst) {
    if (inst.mod.dpp == DppControl::none) return false;
    wave.stop_with_fault(FaultKind::unsupported, fmt::format("{} with DPP while MODE rounds 16 bits {} or flushes their denormals is not modelled",
                                                             inst.info->mnemonic, direction_name(rounding64(wave.mode))));
    return true;
}

template <HalfOp op>
void exec_half(Wave& wave, const Inst& inst) {
    if (refuse_dpp(wave, inst)) return;
    const bool accumulates = inst.info->reads_destination;
    const unsigned count = inst.sources + (accumulates ? 1u : 0u);
    const int to = inst.dst[0].half == Half::high ? 16 : 0;
    for (int lane = 0; lane < kLanes; ++lane) {
        if ((wave.exec() >> lane & 1) == 0) continue;
        u32& destination = wave.v[inst.dst[0].index][lane];
        std::array<u32, 3> bits{};
        for (unsigned i = 0; i < inst.sources && i < 3; ++i) {
            const Operand& source = inst.src[i];
            u32 x = source_word(wave, source, lane) >> (source.half == Half::high ? 16 : 0) & 0xffffu;
            if (source.abs) x &= 0x7fffu;
            bits[i] = source.neg ? x ^ 0x8000u : x;
        }
        if (accumulates && inst.sources < 3) bits[inst.sources] = destination >> to & 0xffffu;
        destination = (destination & ~(0xffffu << to)) | half_result<op>(wave, inst, bits, std::min(count, 3u)) << to;
    }
}

template <HalfOp op>
void exec_packed(Wave& wave, const Inst& inst) {
    if (refuse_dpp(wave, inst)) return;
    for (int lane = 0; lane < kLanes; ++lane) {
        if ((wave.exec() >> lane & 1) == 0) continue;
        u32& destination = wave.v[inst.dst[0].index][lane];
        u32 result = 0;
        for (int half = 0; half < 2; ++half) {
            const u32 select = half == 0 ? inst.mod.op_sel : inst.mod.op_sel_hi, negate = half == 0 ? inst.mod.neg_lo : inst.mod.neg_hi;
            std::array<u32, 3> bits{};
            for (unsigned i = 0; i < inst.sources && i < 3; ++i) {
                bits[i] = (source_word(wave, inst.src[i], lane) >> ((select >> i & 1) != 0 ? 16 : 0) & 0xffffu) ^ ((negate >> i & 1) != 0 ? 0x8000u : 0u);
            }
            if (inst.info->reads_destination && inst.sources < 3) bits[inst.sources] = destination >> (16 * half) & 0xffffu;
            const unsigned count = inst.sources + (inst.info->reads_destination ? 1u : 0u);
            result |= half_result<op>(wave, inst, bits, std::min(count, 3u)) << (16 * half);
        }
        destination = result;
    }
}

void exec_cvt_f16_f32(Wave& wave, const Inst& inst) {
    if (refuse_dpp(wave, inst)) return;
    const int to = inst.dst[0].half == Half::high ? 16 : 0;
    for (int lane = 0; lane < kLanes; ++lane) {
        if ((wave.exec() >> lane & 1) == 0) continue;
        u32 x = source_word(wave, inst.src[0], lane);
        if (inst.src[0].abs) x &= 0x7fffffffu;
        if (inst.src[0].neg) x ^= 0x80000000u;
        if (!reads_denormals32(wave.mode)) x = without_denormal32(x);
        double value = static_cast<double>(std::bit_cast<float>(x));
        if (inst.mod.clamp) value = value > 0.0 ? std::min(value, 1.0) : 0.0;
        u32 result = double_to_half(value, rounding64(wave.mode));
        if (!gives_denormals64(wave.mode)) result = without_denormal16(result);
        u32& destination = wave.v[inst.dst[0].index][lane];
        destination = (destination & ~(0xffffu << to)) | result << to;
    }
}

/// What is not modelled: 16-bit results (and sources, if denormals are flushed) of other operations.
void exec_refused_half(Wave& wave, const Inst& inst) {
    const Rounding rounding = rounding64(wave.mode);
    if (rounding == Rounding::nearest && keeps_denormals64(wave.mode)) return inst.info->exec(wave, inst);
    wave.stop_with_fault(FaultKind::unsupported,
                         fmt::format("{} while MODE {} is not modelled", inst.info->mnemonic,
                                     rounding != Rounding::nearest ? fmt::format("rounds 16-bit floats {}", direction_name(rounding))
                                                                   : std::string("flushes denormals of 16 bits")));
}

/// A 32-bit result whose sources may be halves.
void exec_mix(Wave& wave, const Inst& inst) {
    if (!keeps_denormals64(wave.mode)) return exec_refused_half(wave, inst);
    exec_single(wave, inst);
}

/// Exact operations of halves, which only the flushing of denormals changes.
void exec_exact_half(Wave& wave, const Inst& inst) {
    if (keeps_denormals64(wave.mode)) return inst.info->exec(wave, inst);
    exec_refused_half(wave, inst);
}

template <ExecFn obedient>
void exec_obedient(Wave& wave, const Inst& inst) {
    if (usual(wave)) return inst.info->exec(wave, inst);
    obedient(wave, inst);
}

struct Row {
    std::string_view mnemonic;
    ExecFn exec;
};

#define ROW(name, handler) Row{name, exec_obedient<handler>}
constexpr Row kRows[] = {
    ROW("v_add_f32", exec_single), ROW("v_sub_f32", exec_single), ROW("v_subrev_f32", exec_single), ROW("v_mul_f32", exec_single),
    ROW("v_fma_f32", exec_single), ROW("v_fmac_f32", exec_single), ROW("v_fmaak_f32", exec_single), ROW("v_fmamk_f32", exec_single),
    ROW("v_mul_dx9_zero_f32", exec_single), ROW("v_fma_dx9_zero_f32", exec_single), ROW("v_fmac_dx9_zero_f32", exec_single),
    ROW("v_mullit_f32", exec_single), ROW("v_ldexp_f32", exec_single), ROW("v_cvt_f32_i32", exec_cvt_int<true>), ROW("v_cvt_f32_u32", exec_cvt_int<false>),
    ROW("v_dual_add_f32", exec_single), ROW("v_dual_sub_f32", exec_single), ROW("v_dual_subrev_f32", exec_single), ROW("v_dual_mul_f32", exec_single),
    ROW("v_dual_fmac_f32", exec_single), ROW("v_dual_fmaak_f32", exec_single), ROW("v_dual_fmamk_f32", exec_single),
    ROW("v_dual_mul_dx9_zero_f32", exec_single),
    ROW("v_fma_mix_f32", exec_mix),
    ROW("v_div_fmas_f32", exec_div_fmas32), ROW("v_div_fmas_f64", exec_div_fmas64), ROW("v_cvt_f32_f64", exec_cvt_f32_f64),
    ROW("v_add_f64", exec_double<true>), ROW("v_mul_f64", exec_double<true>), ROW("v_fma_f64", exec_double<true>), ROW("v_ldexp_f64", exec_double<true>),
    ROW("v_add_f16", exec_half<add>), ROW("v_sub_f16", exec_half<sub>), ROW("v_subrev_f16", exec_half<subrev>), ROW("v_mul_f16", exec_half<mul>),
    ROW("v_fma_f16", exec_half<fused>), ROW("v_fmac_f16", exec_half<fused>), ROW("v_fmaak_f16", exec_half<fused>), ROW("v_fmamk_f16", exec_half<fused>),
    ROW("v_pk_add_f16", exec_packed<add>), ROW("v_pk_mul_f16", exec_packed<mul>), ROW("v_pk_fma_f16", exec_packed<fused>),
    ROW("v_pk_fmac_f16", exec_packed<fused>), ROW("v_cvt_f16_f32", exec_cvt_f16_f32),
};
#undef ROW

// Bits are moved, inspected or converted in a direction of their own.
constexpr std::array<std::string_view, 21> kIndifferent{
    "v_cndmask_b16", "v_mov_b16", "v_swap_b16", "v_cmp_class_f16", "v_cmpx_class_f16", "v_cmp_class_f64", "v_cmpx_class_f64", "v_pack_b32_f16",
    "v_cvt_pk_rtz_f16_f32", "v_div_scale_f64", "v_div_fixup_f64", "v_div_fixup_f16", "v_frexp_exp_i32_f64", "v_frexp_mant_f64", "v_trig_preop_f64",
    "v_cvt_f64_i32", "v_cvt_f64_u32", "v_dot2_f16_f16", "v_dot2_f32_f16", "v_dot2acc_f32_f16", "v_dual_dot2acc_f32_f16"};

bool has_half(const OpInfo& info) {
    const auto is_half = [](Type type) { return type == Type::f16 || type == Type::pkf16; };
    return is_half(info.source_type) || std::any_of(info.source_types.begin(), info.source_types.end(), is_half) ||
           info.mnemonic.find("_f16") != std::string_view::npos;
}

bool is_exact(std::string_view name) {
    for (const std::string_view part : {"v_cmp", "_min_", "_max_", "_min3_", "_max3_", "_med3_", "_minmax_", "_maxmin_", "_trunc_", "_ceil_", "_floor_",
                                        "_rndne_", "_frexp_", "v_cvt_f32_f16", "v_cvt_i16_f16", "v_cvt_u16_f16", "_norm_"}) {
        if (name.find(part) != std::string_view::npos) return true;
    }
    return false;
}

}  // namespace

bool changes_mode(const Inst& inst) {
    if (inst.info == nullptr) return false;
    const std::string_view name = inst.info->mnemonic;
    if (name == "s_round_mode") return true;
    if (name == "s_denorm_mode") return (static_cast<u32>(inst.imm) >> 2 & 3) != 3;
    if (!name.starts_with("s_setreg")) return false;
    // hwreg: number, offset and size - 1. Only MODE has these bits.
    const auto encoded = static_cast<u32>(inst.src[0].value);
    const u32 offset = encoded >> 6 & 31, size = (encoded >> 11 & 31) + 1;
    const u32 field = (size >= 32 ? ~0u : (1u << size) - 1) << offset;
    return (encoded & 63) == 1 && (field & kModeBits) != 0;
}

ExecFn handler_for_modes(const Inst& inst) {
    if (inst.info == nullptr || inst.exec != inst.info->exec || inst.unit == Unit::salu || inst.unit == Unit::wmma) return nullptr;
    const std::string_view name = inst.info->mnemonic;
    if (!name.starts_with("v_")) return nullptr;
    for (const Row& row : kRows) {
        if (row.mnemonic == name) return row.exec;
    }
    if (std::find(kIndifferent.begin(), kIndifferent.end(), name) != kIndifferent.end() || name.find("wmma") != std::string_view::npos) return nullptr;
    if (has_half(*inst.info)) return is_exact(name) ? exec_obedient<exec_exact_half> : exec_obedient<exec_refused_half>;
    const bool has_double = inst.info->source_type == Type::f64 || inst.info->source_types[0] == Type::f64 || name.ends_with("_f64");
    return has_double ? exec_obedient<exec_double<false>> : nullptr;
}

}  // namespace hipemu
