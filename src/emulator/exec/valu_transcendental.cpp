// Transcendental operations of the three float widths. Halves are evaluated as floats, and keep their denormals.
#include <cmath>
#include <span>

#include "emulator/exec/lanes_float.hpp"
#include "emulator/exec/lanes_half.hpp"
#include "emulator/exec/lanes_math.hpp"
#include "emulator/exec/valu_tables.hpp"
#include "emulator/isa/op_rows.hpp"

namespace hipemu::HIPEMU_LANES {

namespace {

template <auto F>
void unary_f16(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room, a, result;
    halves_to_f32(at.f16(0, room), a);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = as_u32(F(as_f32(a.lane[l])));
    if (has_nan(result)) [[unlikely]] settle_nans(result, a.lane, nullptr, nullptr);
    finish_f32(wave, inst, result);
    f32_to_halves(result.lane, room);
    at.store16(room);
}

#if defined(__AVX2__)
// exp2_f32 of all lanes. Attention runs it as often as matrix instructions, and compilers make too many selects of the plain loop.
void exp2_lanes(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room, result;
    const u32* const a = at.f32(0, room);
    __m256 nan = _mm256_setzero_ps();
    for (int l = 0; l < kLanes; l += 8) {
        const __m256 x = _mm256_load_ps(reinterpret_cast<const float*>(a + l));
        const __m256 limited = _mm256_min_ps(_mm256_max_ps(x, _mm256_set1_ps(-150.0f)), _mm256_set1_ps(150.0f));
        const __m256d low = exp2_core(_mm256_cvtps_pd(_mm256_castps256_ps128(limited)));
        const __m256d high = exp2_core(_mm256_cvtps_pd(_mm256_extractf128_ps(limited, 1)));
        const __m256 y = _mm256_set_m128(_mm256_cvtpd_ps(high), _mm256_cvtpd_ps(low));
        const __m256 unordered = _mm256_cmp_ps(x, x, _CMP_UNORD_Q);
        const __m256 quiet = _mm256_andnot_ps(_mm256_cmp_ps(x, _mm256_set1_ps(-126.0f), _CMP_LT_OQ), y);
        _mm256_store_ps(reinterpret_cast<float*>(result.lane + l), _mm256_blendv_ps(quiet, x, unordered));
        nan = _mm256_or_ps(nan, unordered);
    }
    if (_mm256_movemask_ps(nan) != 0) [[unlikely]] settle_nans(result, a, nullptr, nullptr);
    finish_f32(wave, inst, result);
    at.store(result);
}
#else
void exp2_lanes(Wave& wave, const Inst& inst) { unary_f32<exp2_f32>(wave, inst); }
#endif

// As floats, halves are never denormal; only what the float forms flush needs forms of its own.
float exp2_half(float x) {
    const float limited = x < -40.0f ? -40.0f : x > 40.0f ? 40.0f : x;
    return x != x ? x : static_cast<float>(exp2_core(static_cast<double>(limited)));
}

constexpr OpInfo f32(std::string_view mnemonic, ExecFn exec) { return transcendental(vector_op(mnemonic, exec, Type::f32)); }
constexpr OpInfo f16(std::string_view mnemonic, ExecFn exec) { return transcendental(with_half_result(vector_op(mnemonic, exec, Type::f16))); }
constexpr OpInfo f64(std::string_view mnemonic, ExecFn exec) {
    OpInfo op = transcendental(vector_op(mnemonic, exec, Type::f64));
    op.issue_cycles = kDoubleCycles;
    return op;
}

constexpr OpInfo kOps[] = {
    f32("v_exp_f32", exp2_lanes),
    f32("v_log_f32", unary_f32<log2_f32>),
    f32("v_rcp_f32", unary_f32<rcp_f32>),
    f32("v_rcp_iflag_f32", unary_f32<rcp_f32>),
    f32("v_rsq_f32", unary_f32<rsq_f32>),
    f32("v_sqrt_f32", unary_f32<[](float x) { return std::sqrt(x); }>),
    f32("v_sin_f32", unary_f32<sin_f32>),
    f32("v_cos_f32", unary_f32<cos_f32>),
    f16("v_exp_f16", unary_f16<exp2_half>),
    f16("v_log_f16", unary_f16<log2_f32>),
    f16("v_rcp_f16", unary_f16<[](float x) { return 1.0f / x; }>),
    f16("v_rsq_f16", unary_f16<rsq_f32>),
    f16("v_sqrt_f16", unary_f16<[](float x) { return std::sqrt(x); }>),
    f16("v_sin_f16", unary_f16<sin_f32>),
    f16("v_cos_f16", unary_f16<cos_f32>),
    f64("v_rcp_f64", float64<[](double x) { return 1.0 / x; }, 1>),
    f64("v_rsq_f64", float64<[](double x) { return 1.0 / std::sqrt(x); }, 1>),
    f64("v_sqrt_f64", float64<[](double x) { return std::sqrt(x); }, 1>),
};

}  // namespace

std::span<const OpInfo> transcendental_ops() { return kOps; }

}  // namespace hipemu::HIPEMU_LANES
