// Vector operations on 64-bit floats, and the three steps of division (v_div_scale, v_div_fmas, v_div_fixup) of both widths.
#include <cmath>
#include <span>

#include "emulator/exec/lanes_float.hpp"
#include "emulator/exec/lanes_half.hpp"
#include "emulator/exec/two_over_pi.hpp"
#include "emulator/exec/valu_tables.hpp"
#include "emulator/isa/op_rows.hpp"

namespace hipemu::HIPEMU_LANES {

namespace {

template <Selection S>
void select_f64(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Longs room_a, room_b, result;
    const u64* a = at.f64(0, room_a);
    const u64* b = at.f64(1, room_b);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = selected<Format64, S>(a[l], b[l], b[l]);
    clamp_f64(inst, result);
    at.store(result);
}

double fraction(double x) {
    const double f = x - std::floor(x);
    return f >= 1.0 ? 0x1.fffffffffffffp-1 : f;
}

// x * 2^n, rounded once. Beyond +-2200 every double has become zero or infinite.
double scaled(double x, i32 n) { return std::ldexp(x, n < -2200 ? -2200 : n > 2200 ? 2200 : n); }

void ldexp(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Longs room_a, result;
    Words room_n;
    const u64* a = at.f64(0, room_a);
    const u32* n = at.raw(1, room_n);
    for (int l = 0; l < kLanes; ++l) {
        result.lane[l] = is_nan64(a[l]) ? a[l] | Format64::kQuiet : as_u64(scaled(as_f64(a[l]), static_cast<i32>(n[l])));
    }
    clamp_f64(inst, result);
    at.store(result);
}

u64 normalized(u64 magnitude) { return magnitude >> 52 != 0 ? magnitude : as_u64(as_f64(magnitude) * 0x1p54); }

void frexp_mant(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Longs room, result;
    const u64* a = at.f64(0, room);
    for (int l = 0; l < kLanes; ++l) {
        const u64 magnitude = a[l] & ~kSign64;
        u64 x = (a[l] & kSign64) | (normalized(magnitude) & 0xfffffffffffffull) | 1022ull << 52;
        if (magnitude == 0 || magnitude == Format64::kInfinity) x = a[l];
        if (is_nan64(a[l])) x = a[l] | Format64::kQuiet;
        result.lane[l] = x;
    }
    clamp_f64(inst, result);
    at.store(result);
}

void frexp_exp(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Longs room;
    Words result;
    const u64* a = at.f64(0, room);
    for (int l = 0; l < kLanes; ++l) {
        const u64 magnitude = a[l] & ~kSign64;
        const bool denormal = magnitude >> 52 == 0;
        const u32 e = static_cast<u32>(normalized(magnitude) >> 52) - 1022u - (denormal ? 54u : 0u);
        result.lane[l] = magnitude == 0 || magnitude >= Format64::kInfinity ? 0u : e;
    }
    at.store(result);
}

// A window of 53 bits of 2/pi, as the reduction of large arguments wants it: src1 counts windows, a large exponent of src0 shifts further.
double trig_window(u64 x, u32 segment) {
    int shift = static_cast<int>(segment & 31) * 53;
    const int exponent = static_cast<int>(x >> 52 & 0x7ff);
    if (exponent > 1077) shift += exponent - 1077;
    const double window = static_cast<double>(bits_of_two_over_pi(shift));
    return std::ldexp(window, -53 - shift + (exponent >= 1968 ? 128 : 0));
}

void trig_preop(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Longs room_a, result;
    Words room_b;
    const u64* a = at.f64(0, room_a);
    const u32* b = at.raw(1, room_b);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = as_u64(trig_window(a[l], b[l]));
    at.store(result);
}

// Division x / y is: scale both so that nothing over- or underflows on the way, approximate and refine, fuse-multiply-add with the
// scale taken back, and fix what is not a plain quotient.
struct Single {
    using Bits = u32;
    using Real = float;
    using Format = Format32;
    static constexpr int kScale = 64, kFarExponents = 96, kTinyNumerator = 23, kUnderflow = -150;
    static constexpr Bits kDefaultNan = kDefaultNan32;
    static int exponent(Bits x) { return static_cast<int>(x >> 23 & 0xff); }
    static Real real(Bits x) { return as_f32(x); }
    static Bits bits(Real x) { return as_u32(x); }
    static constexpr int kBias = 127, kTop = 255;
};
struct Double {
    using Bits = u64;
    using Real = double;
    using Format = Format64;
    static constexpr int kScale = 128, kFarExponents = 768, kTinyNumerator = 53, kUnderflow = -1075;
    static constexpr Bits kDefaultNan = kDefaultNan64;
    static int exponent(Bits x) { return static_cast<int>(x >> 52 & 0x7ff); }
    static Real real(Bits x) { return as_f64(x); }
    static Bits bits(Real x) { return as_u64(x); }
    static constexpr int kBias = 1023, kTop = 2047;
};

template <class T>
typename T::Bits scale_by(typename T::Bits x, int power) {
    return T::bits(static_cast<typename T::Real>(std::ldexp(T::real(x), power)));
}

template <class T>
bool is_denormal(typename T::Bits x) {
    return T::exponent(x) == 0 && (x & (T::Format::kSign - 1)) != 0;
}

template <class T>
struct Scaled {
    typename T::Bits value;
    bool flag;
};

// `value` is the numerator or the denominator, whichever shall be scaled. The flag tells v_div_fmas to scale back.
template <class T>
Scaled<T> div_scale(typename T::Bits value, typename T::Bits denominator, typename T::Bits numerator) {
    using Bits = typename T::Bits;
    const Bits magnitude = T::Format::kSign - 1;
    if ((denominator & magnitude) == 0 || (numerator & magnitude) == 0) return {T::kDefaultNan ^ T::Format::kSign, true};
    const int far = T::exponent(numerator) - T::exponent(denominator);
    const bool is_denominator = value == denominator;
    if (far >= T::kFarExponents) return {is_denominator ? scale_by<T>(value, T::kScale) : value, true};
    if (is_denormal<T>(denominator)) return {scale_by<T>(value, T::kScale), false};
    // The reciprocal of 2^(kBias - 1) and more is denormal.
    const bool tiny_reciprocal = T::exponent(denominator) >= T::kTop - 2 && T::exponent(denominator) != T::kTop;
    const typename T::Real quotient = T::real(numerator) / T::real(denominator);
    // Denormal, or perhaps so by the exponents alone: a card asks for no more (the smallest normal number over 1.0 sets the flag).
    const bool tiny_quotient = T::exponent(T::bits(quotient)) == 0 || far <= 1 - T::kBias;
    if (tiny_reciprocal && tiny_quotient) return {is_denominator ? scale_by<T>(value, -T::kScale) : value, true};
    if (tiny_reciprocal) return {scale_by<T>(value, -T::kScale), false};
    if (tiny_quotient) return {value == numerator ? scale_by<T>(value, T::kScale) : value, true};
    if (T::exponent(numerator) <= T::kTinyNumerator) return {scale_by<T>(value, T::kScale), false};
    return {value, false};
}

// a * b + c times a power of two, rounded once although the result may be denormal. The quotient tells which power: the one that
// undoes what v_div_scale did.
float div_fmas(float a, float b, float c, bool flag) {
    if (!flag) return std::fma(a, b, c);
    // The product is exact in a double; the sum, rounded to odd, keeps enough bits for one more rounding.
    const double product = static_cast<double>(a) * b, addend = c, sum = product + addend, part = sum - product;
    const double error = (product - (sum - part)) + (addend - part);
    const bool inexact = error < 0.0 || error > 0.0;
    const u64 step = (error > 0.0) == (sum > 0.0) ? 1ull : ~0ull;
    const u64 bits = as_u64(sum);
    const double odd = as_f64(inexact && (bits & 1) == 0 ? bits + step : bits);
    return static_cast<float>(std::ldexp(odd, Single::exponent(as_u32(c)) > Single::kBias ? Single::kScale : -Single::kScale));
}

struct Pair {
    double sum, error;
};
Pair two_sum(double a, double b) {
    const double sum = a + b, part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
}

double div_fmas(double a, double b, double c, bool flag) {
    const double fused = std::fma(a, b, c);
    if (!flag) return fused;
    if (Double::exponent(as_u64(c)) > Double::kBias) return std::ldexp(fused, Double::kScale);
    const double scaled_back = std::ldexp(fused, -Double::kScale);
    const double lost = fused - std::ldexp(scaled_back, Double::kScale);
    const double half_unit = std::ldexp(1.0, Double::kScale - 1075);  // half of the smallest denormal, before scaling
    if (std::fabs(lost) != half_unit) return scaled_back;
    // A tie after the first rounding: what that rounding dropped decides (the exact error of a fused multiply-add, after Boldo and Muller).
    const double product = a * b;
    const Pair low = two_sum(c, std::fma(a, b, -product)), high = two_sum(product, low.sum);
    const double dropped = ((high.sum - fused) + high.error) + low.error;
    if (dropped == 0.0 || std::signbit(dropped) != std::signbit(lost)) return scaled_back;
    return scaled_back + std::copysign(std::ldexp(1.0, -1074), lost);
}

template <class T>
typename T::Bits div_fixup(typename T::Bits quotient, typename T::Bits denominator, typename T::Bits numerator) {
    using Bits = typename T::Bits;
    using Format = typename T::Format;
    constexpr Bits kSign = Format::kSign, kInfinity = Format::kInfinity;
    const Bits sign = (denominator ^ numerator) & kSign, d = denominator & (kSign - 1), n = numerator & (kSign - 1);
    if (Format::is_nan(numerator)) return numerator | Format::kQuiet;
    if (Format::is_nan(denominator)) return denominator | Format::kQuiet;
    if ((d == 0 && n == 0) || (d == kInfinity && n == kInfinity)) return T::kDefaultNan;
    if (d == 0 || n == kInfinity) return sign | kInfinity;
    if (d == kInfinity || n == 0) return sign;
    if (T::exponent(numerator) - T::exponent(denominator) < T::kUnderflow) return sign;
    if (Format::is_nan(quotient)) return sign | kInfinity;  // overflow on the way
    return sign | (quotient & (kSign - 1));
}

void div_scale32(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_b, room_c, result;
    const u32* a = at.f32(0, room_a);
    const u32* b = at.f32(1, room_b);
    const u32* c = at.f32(2, room_c);
    u32 flags = 0;
    for (int l = 0; l < kLanes; ++l) {
        const auto scaled_value = div_scale<Single>(a[l], b[l], c[l]);
        result.lane[l] = scaled_value.value;
        flags |= (scaled_value.flag ? 1u : 0u) << l;
    }
    at.store(result);
    at.store_mask(1, flags);
}

void div_scale64(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Longs room_a, room_b, room_c, result;
    const u64* a = at.f64(0, room_a);
    const u64* b = at.f64(1, room_b);
    const u64* c = at.f64(2, room_c);
    u32 flags = 0;
    for (int l = 0; l < kLanes; ++l) {
        const auto scaled_value = div_scale<Double>(a[l], b[l], c[l]);
        result.lane[l] = scaled_value.value;
        flags |= (scaled_value.flag ? 1u : 0u) << l;
    }
    at.store(result);
    at.store_mask(1, flags);
}

void div_fmas32(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_b, room_c, result;
    const u32* a = at.f32(0, room_a);
    const u32* b = at.f32(1, room_b);
    const u32* c = at.f32(2, room_c);
    const u32 flags = wave.s[kVccLo];
    for (int l = 0; l < kLanes; ++l) result.lane[l] = as_u32(div_fmas(as_f32(a[l]), as_f32(b[l]), as_f32(c[l]), (flags >> l & 1) != 0));
    settle_nans(result, a, b, c);
    finish_f32(wave, inst, result);
    at.store(result);
}

void div_fmas64(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Longs room_a, room_b, room_c, result;
    const u64* a = at.f64(0, room_a);
    const u64* b = at.f64(1, room_b);
    const u64* c = at.f64(2, room_c);
    const u32 flags = wave.s[kVccLo];
    for (int l = 0; l < kLanes; ++l) result.lane[l] = as_u64(div_fmas(as_f64(a[l]), as_f64(b[l]), as_f64(c[l]), (flags >> l & 1) != 0));
    settle_nans(result, a, b, c);
    clamp_f64(inst, result);
    at.store(result);
}

void div_fixup32(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_b, room_c, result;
    const u32* a = at.f32(0, room_a);
    const u32* b = at.f32(1, room_b);
    const u32* c = at.f32(2, room_c);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = div_fixup<Single>(a[l], b[l], c[l]);
    finish_f32(wave, inst, result);
    at.store(result);
}

void div_fixup64(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Longs room_a, room_b, room_c, result;
    const u64* a = at.f64(0, room_a);
    const u64* b = at.f64(1, room_b);
    const u64* c = at.f64(2, room_c);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = div_fixup<Double>(a[l], b[l], c[l]);
    clamp_f64(inst, result);
    at.store(result);
}

u32 div_fixup_half(u32 quotient, u32 denominator, u32 numerator) {
    const u32 sign = (denominator ^ numerator) & 0x8000u, d = denominator & 0x7fffu, n = numerator & 0x7fffu;
    if (Format16::is_nan(numerator)) return numerator | Format16::kQuiet;
    if (Format16::is_nan(denominator)) return denominator | Format16::kQuiet;
    if ((d == 0 && n == 0) || (d == 0x7c00u && n == 0x7c00u)) return 0xfe00u;
    if (d == 0 || n == 0x7c00u) return sign | 0x7c00u;
    if (d == 0x7c00u || n == 0) return sign;
    return sign | (quotient & 0x7fffu);
}

void div_fixup16(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_b, room_c, result;
    const u32* a = at.f16(0, room_a);
    const u32* b = at.f16(1, room_b);
    const u32* c = at.f16(2, room_c);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = div_fixup_half(a[l], b[l], c[l]);
    at.store16(result);
}

constexpr OpInfo row(std::string_view mnemonic, ExecFn exec) { return vector_op(mnemonic, exec, Type::f64, kDoubleCycles); }
constexpr OpInfo reads_vcc(OpInfo op) {
    op.reads_vcc = true;
    return op;
}

constexpr OpInfo kOps[] = {
    row("v_add_f64", float64<[](double a, double b) { return a + b; }, 2>),
    row("v_mul_f64", float64<[](double a, double b) { return a * b; }, 2>),
    row("v_fma_f64", float64<[](double a, double b, double c) { return std::fma(a, b, c); }, 3>),
    row("v_min_f64", select_f64<Selection::min>),
    row("v_max_f64", select_f64<Selection::max>),
    row("v_trunc_f64", float64<[](double x) { return std::trunc(x); }, 1>),
    row("v_ceil_f64", float64<[](double x) { return std::ceil(x); }, 1>),
    row("v_floor_f64", float64<[](double x) { return std::floor(x); }, 1>),
    row("v_rndne_f64", float64<[](double x) { return std::nearbyint(x); }, 1>),
    row("v_fract_f64", float64<fraction, 1>),
    with_sources(row("v_ldexp_f64", ldexp), Type::f64, Type::b32),
    row("v_frexp_mant_f64", frexp_mant),
    row("v_frexp_exp_i32_f64", frexp_exp),
    with_sources(row("v_trig_preop_f64", trig_preop), Type::f64, Type::b32),
    with_destinations(vector_op("v_div_scale_f32", div_scale32, Type::f32), 2),
    with_destinations(row("v_div_scale_f64", div_scale64), 2),
    reads_vcc(vector_op("v_div_fmas_f32", div_fmas32, Type::f32)),
    reads_vcc(row("v_div_fmas_f64", div_fmas64)),
    vector_op("v_div_fixup_f32", div_fixup32, Type::f32),
    row("v_div_fixup_f64", div_fixup64),
    with_half_result(vector_op("v_div_fixup_f16", div_fixup16, Type::f16)),
};

}  // namespace

std::span<const OpInfo> f64_ops() { return kOps; }

}  // namespace hipemu::HIPEMU_LANES
