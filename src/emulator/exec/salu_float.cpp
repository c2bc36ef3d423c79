// Floats of scalar instructions, which gfx11.5 has: the same results as the vector instructions of the same names, without input modifiers.
// Rounding and denormals are as MODE says. A half is in bits 0..15 of its register; a half result clears the others.
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "emulator/exec/scalar_rows.hpp"
#include "emulator/isa/float_mode.hpp"
#include "emulator/state/undefined.hpp"

namespace hipemu {
namespace {

using i32 = std::int32_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kQuiet32 = 0x00400000u, kQuiet16 = 0x200u;
constexpr u32 kDefaultNan32 = 0xffc00000u, kDefaultNan16 = 0xfe00u;  // of an invalid operation, as vector instructions give it

float as_f32(u32 bits) { return std::bit_cast<float>(bits); }
u32 as_u32(float value) { return std::bit_cast<u32>(value); }
bool is_nan32(u32 x) { return (x & 0x7fffffffu) > 0x7f800000u; }
bool is_nan16(u32 x) { return (x & 0x7fffu) > 0x7c00u; }

/// What the operations of one width have in common.
struct F32 {
    using Value = float;
    static constexpr u32 kQuiet = kQuiet32, kDefaultNan = kDefaultNan32, kSign = 0x80000000u;
    static bool is_nan(u32 x) { return is_nan32(x); }
    static u32 read(const Wave& wave, u32 word) { return reads_denormals32(wave.mode) ? word : without_denormal32(word); }
    static u32 given(const Wave& wave, u32 bits) { return gives_denormals32(wave.mode) ? bits : without_denormal32(bits); }
    static Rounding rounding(const Wave& wave) { return rounding32(wave.mode); }
    static float value(u32 bits) { return as_f32(bits); }
    static u32 bits(const Wave&, float value) { return as_u32(value); }
};
struct F16 {
    using Value = double;  // holds sums and products of halves; what it rounds, it rounds in the direction of the half
    static constexpr u32 kQuiet = kQuiet16, kDefaultNan = kDefaultNan16, kSign = 0x8000u;
    static bool is_nan(u32 x) { return is_nan16(x); }
    static u32 read(const Wave& wave, u32 word) { return reads_denormals64(wave.mode) ? word & 0xffffu : without_denormal16(word & 0xffffu); }
    static u32 given(const Wave& wave, u32 bits) { return gives_denormals64(wave.mode) ? bits : without_denormal16(bits); }
    static Rounding rounding(const Wave& wave) { return rounding64(wave.mode); }
    static double value(u32 bits) { return half_to_double(bits); }
    static u32 bits(const Wave& wave, double value) { return double_to_half(value, rounding64(wave.mode)); }
};

/// The result's NaN is the first one among the sources, made quiet.
template <class F>
u32 settled(u32 result, std::initializer_list<u32> sources) {
    if (!F::is_nan(result)) return result;
    for (const u32 source : sources) {
        if (F::is_nan(source)) return source | F::kQuiet;
    }
    return F::kDefaultNan;
}

// The operations must not be moved out of the scope that sets the host's rounding: they are called through pointers that are not constants.
template <class Value>
using Unary = Value (*)(Value);
template <class Value>
using Binary = Value (*)(Value, Value);
template <class Value>
using Ternary = Value (*)(Value, Value, Value);

template <class F, Unary<typename F::Value> op>
void exec_unary(Wave& wave, const Inst& inst) {  // to an integral value: exact, whatever the rounding
    const u32 a = F::read(wave, scalar_word(wave, inst.src[0]));
    set_scalar_word(wave, inst.dst[0], F::given(wave, settled<F>(F::bits(wave, op(F::value(a))), {a})));
}

template <class F, Binary<typename F::Value> op>
void exec_binary(Wave& wave, const Inst& inst) {
    const u32 a = F::read(wave, scalar_word(wave, inst.src[0])), b = F::read(wave, scalar_word(wave, inst.src[1]));
    const HostRounding rounding(F::rounding(wave));
    Binary<typename F::Value> volatile operation = op;
    const u32 result = F::bits(wave, operation(F::value(a), F::value(b)));
    set_scalar_word(wave, inst.dst[0], F::given(wave, settled<F>(result, {a, b})));
}

template <class F, bool accumulate>
void exec_fma(Wave& wave, const Inst& inst) {
    using Value = typename F::Value;
    const u32 a = F::read(wave, scalar_word(wave, inst.src[0])), b = F::read(wave, scalar_word(wave, inst.src[1]));
    const u32 c = F::read(wave, scalar_word(wave, accumulate ? inst.dst[0] : inst.src[2]));
    const HostRounding rounding(F::rounding(wave));
    Ternary<Value> volatile operation = [](Value x, Value y, Value z) { return std::fma(x, y, z); };
    const u32 result = F::bits(wave, operation(F::value(a), F::value(b), F::value(c)));
    set_scalar_word(wave, inst.dst[0], F::given(wave, settled<F>(result, {a, b, c})));
}

/// A signalling NaN wins, a quiet one loses; -0 is below +0.
template <class F, bool maximum>
void exec_extreme(Wave& wave, const Inst& inst) {
    const u32 a = F::read(wave, scalar_word(wave, inst.src[0])), b = F::read(wave, scalar_word(wave, inst.src[1]));
    const auto signals = [](u32 x) { return F::is_nan(x) && (x & F::kQuiet) == 0; };
    u32 result = a;
    if (signals(a)) result = a | F::kQuiet;
    else if (signals(b)) result = b | F::kQuiet;
    else if (F::is_nan(a)) result = b;
    else if (!F::is_nan(b)) {
        const auto x = F::value(a), y = F::value(b);
        const bool less = x < y || (x == y && (a & F::kSign) != 0 && (b & F::kSign) == 0);
        result = less == maximum ? b : a;
    }
    set_scalar_word(wave, inst.dst[0], F::given(wave, result));
}

template <class F, bool (*holds)(typename F::Value, typename F::Value)>
void exec_compare(Wave& wave, const Inst& inst) {
    const u32 a = F::read(wave, scalar_word(wave, inst.src[0])), b = F::read(wave, scalar_word(wave, inst.src[1]));
    wave.scc = holds(F::value(a), F::value(b));
}

// Conversions

template <bool is_signed>
void exec_int_to_f32(Wave& wave, const Inst& inst) {
    const u32 a = scalar_word(wave, inst.src[0]);
    const HostRounding rounding(rounding32(wave.mode));
    float (*volatile operation)(u32) = [](u32 x) { return is_signed ? static_cast<float>(static_cast<i32>(x)) : static_cast<float>(x); };
    set_scalar_word(wave, inst.dst[0], as_u32(operation(a)));
}

void exec_f32_to_i32(Wave& wave, const Inst& inst) {
    const float x = as_f32(F32::read(wave, scalar_word(wave, inst.src[0])));
    const i32 result = x >= 0x1p31f ? INT32_MAX : x >= -0x1p31f ? static_cast<i32>(x) : x < 0.0f ? INT32_MIN : 0;
    set_scalar_word(wave, inst.dst[0], static_cast<u32>(result));
}
void exec_f32_to_u32(Wave& wave, const Inst& inst) {
    const float x = as_f32(F32::read(wave, scalar_word(wave, inst.src[0])));
    set_scalar_word(wave, inst.dst[0], x >= 0x1p32f ? UINT32_MAX : x > 0.0f ? static_cast<u32>(static_cast<u64>(x)) : 0u);
}

u32 half_of(const Wave& wave, u32 bits, Rounding rounding) {
    const u32 a = F32::read(wave, bits);
    if (is_nan32(a)) return (a >> 16 & 0x8000u) | 0x7e00u | (a >> 13 & 0x3ffu);
    return double_to_half(static_cast<double>(as_f32(a)), rounding);
}
void exec_f32_to_f16(Wave& wave, const Inst& inst) {
    set_scalar_word(wave, inst.dst[0], F16::given(wave, half_of(wave, scalar_word(wave, inst.src[0]), rounding64(wave.mode))));
}
void exec_pack_toward_zero(Wave& wave, const Inst& inst) {
    const u32 low = half_of(wave, scalar_word(wave, inst.src[0]), Rounding::zero);
    set_scalar_word(wave, inst.dst[0], low | half_of(wave, scalar_word(wave, inst.src[1]), Rounding::zero) << 16);
}
template <int shift>
void exec_f16_to_f32(Wave& wave, const Inst& inst) {
    const u32 half = F16::read(wave, scalar_word(wave, inst.src[0]) >> shift);
    const u32 nan = (half & 0x8000u) << 16 | 0x7fc00000u | (half & 0x3ffu) << 13;
    set_scalar_word(wave, inst.dst[0], is_nan16(half) ? nan : as_u32(static_cast<float>(half_to_double(half))));
}

template <class V>
V add(V a, V b) { return a + b; }
template <class V>
V sub(V a, V b) { return a - b; }
template <class V>
V mul(V a, V b) { return a * b; }
template <class V>
V ceil(V a) { return std::ceil(a); }
template <class V>
V floor(V a) { return std::floor(a); }
template <class V>
V trunc(V a) { return std::trunc(a); }
template <class V>
V rndne(V a) { return std::nearbyint(a); }

template <class V>
bool lt(V a, V b) { return a < b; }
template <class V>
bool eq(V a, V b) { return a == b; }
template <class V>
bool le(V a, V b) { return a <= b; }
template <class V>
bool gt(V a, V b) { return a > b; }
template <class V>
bool lg(V a, V b) { return a < b || a > b; }
template <class V>
bool ge(V a, V b) { return a >= b; }
template <class V>
bool o(V a, V b) { return a == a && b == b; }
template <class V>
bool u(V a, V b) { return a != a || b != b; }
template <class V>
bool nge(V a, V b) { return !(a >= b); }
template <class V>
bool nlg(V a, V b) { return !(a < b || a > b); }
template <class V>
bool ngt(V a, V b) { return !(a > b); }
template <class V>
bool nle(V a, V b) { return !(a <= b); }
template <class V>
bool neq(V a, V b) { return !(a == b); }
template <class V>
bool nlt(V a, V b) { return !(a < b); }

/// Of a half only its 16 bits matter, whatever the rest of the register holds.
template <u32 read_bits, u32 given_bits>
void taint_float(Wave& wave, const Inst& inst) {
    u32 undefined = 0;
    for (unsigned i = 0; i < inst.sources; ++i) {
        if (inst.src[i].kind == OperandKind::sgpr) undefined |= scalar_undefined_bits(wave, inst.src[i].index);
    }
    const bool has_result = inst.destinations > 0;
    if (has_result && inst.info->reads_destination) undefined |= scalar_undefined_bits(wave, inst.dst[0].index);
    const bool any = (undefined & read_bits) != 0;
    if (has_result) set_scalar_undefined(wave, inst.dst[0].index, any ? given_bits : 0);
    if (inst.info->writes_scc) set_scc_undefined(wave, any);
}
constexpr u32 kAll = 0xffffffffu, kLow = 0xffffu, kHigh = 0xffff0000u;

constexpr OpInfo operation(std::string_view mnemonic, ExecFn exec, Type type) {
    return scalar_op(mnemonic, exec, type == Type::f16 ? taint_float<kLow, kLow> : taint_float<kAll, kAll>, false, type);
}
constexpr OpInfo comparison(std::string_view mnemonic, ExecFn exec, Type type) {
    OpInfo op = operation(mnemonic, exec, type);
    op.destinations = 0;
    op.writes_scc = true;
    return op;
}
constexpr OpInfo with_rule(OpInfo op, TaintFn rule) {
    op.taint_fn = rule;
    return op;
}

#define FLOAT_ROWS(suffix, F, type)                                                                  \
    operation("s_add_" suffix, exec_binary<F, add<F::Value>>, type),                                 \
        operation("s_sub_" suffix, exec_binary<F, sub<F::Value>>, type),                             \
        operation("s_mul_" suffix, exec_binary<F, mul<F::Value>>, type),                             \
        operation("s_min_" suffix, exec_extreme<F, false>, type),                                    \
        operation("s_max_" suffix, exec_extreme<F, true>, type),                                     \
        with_old(operation("s_fmac_" suffix, exec_fma<F, true>, type)),                              \
        operation("s_ceil_" suffix, exec_unary<F, ceil<F::Value>>, type),                            \
        operation("s_floor_" suffix, exec_unary<F, floor<F::Value>>, type),                          \
        operation("s_trunc_" suffix, exec_unary<F, trunc<F::Value>>, type),                          \
        operation("s_rndne_" suffix, exec_unary<F, rndne<F::Value>>, type),                          \
        comparison("s_cmp_lt_" suffix, exec_compare<F, lt<F::Value>>, type),                            \
        comparison("s_cmp_eq_" suffix, exec_compare<F, eq<F::Value>>, type),                            \
        comparison("s_cmp_le_" suffix, exec_compare<F, le<F::Value>>, type),                            \
        comparison("s_cmp_gt_" suffix, exec_compare<F, gt<F::Value>>, type),                            \
        comparison("s_cmp_lg_" suffix, exec_compare<F, lg<F::Value>>, type),                            \
        comparison("s_cmp_ge_" suffix, exec_compare<F, ge<F::Value>>, type),                            \
        comparison("s_cmp_o_" suffix, exec_compare<F, o<F::Value>>, type),                              \
        comparison("s_cmp_u_" suffix, exec_compare<F, u<F::Value>>, type),                              \
        comparison("s_cmp_nge_" suffix, exec_compare<F, nge<F::Value>>, type),                          \
        comparison("s_cmp_nlg_" suffix, exec_compare<F, nlg<F::Value>>, type),                          \
        comparison("s_cmp_ngt_" suffix, exec_compare<F, ngt<F::Value>>, type),                          \
        comparison("s_cmp_nle_" suffix, exec_compare<F, nle<F::Value>>, type),                          \
        comparison("s_cmp_neq_" suffix, exec_compare<F, neq<F::Value>>, type),                          \
        comparison("s_cmp_nlt_" suffix, exec_compare<F, nlt<F::Value>>, type)

constexpr std::array kOps{
    FLOAT_ROWS("f32", F32, Type::f32),
    FLOAT_ROWS("f16", F16, Type::f16),
    operation("s_fmaak_f32", exec_fma<F32, false>, Type::f32),
    operation("s_fmamk_f32", exec_fma<F32, false>, Type::f32),
    operation("s_cvt_f32_i32", exec_int_to_f32<true>, Type::b32),
    operation("s_cvt_f32_u32", exec_int_to_f32<false>, Type::b32),
    operation("s_cvt_i32_f32", exec_f32_to_i32, Type::f32),
    operation("s_cvt_u32_f32", exec_f32_to_u32, Type::f32),
    with_rule(operation("s_cvt_f16_f32", exec_f32_to_f16, Type::f32), taint_float<kAll, kLow>),
    operation("s_cvt_pk_rtz_f16_f32", exec_pack_toward_zero, Type::f32),
    with_rule(operation("s_cvt_f32_f16", exec_f16_to_f32<0>, Type::f16), taint_float<kLow, kAll>),
    with_rule(operation("s_cvt_hi_f32_f16", exec_f16_to_f32<16>, Type::b32), taint_float<kHigh, kAll>),
};

#undef FLOAT_ROWS

}  // namespace

std::span<const OpInfo> salu_float_ops() { return kOps; }

}  // namespace hipemu
