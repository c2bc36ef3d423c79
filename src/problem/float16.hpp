// Elements of tensors on the host: binary16, bfloat16 and float by their DType. Pure functions.
#pragma once

#include <cstdint>

#include "base/float16.hpp"
#include "flashwave/tensor.hpp"

namespace flashwave {

/// The value of element `index` of an array of `dtype`.
inline float load_element(const void* data, DType dtype, std::int64_t index) noexcept {
    if (dtype == DType::f32) return static_cast<const float*>(data)[index];
    const std::uint16_t bits = static_cast<const std::uint16_t*>(data)[index];
    return dtype == DType::f16 ? f16_to_float(bits) : bf16_to_float(bits);
}

inline void store_element(void* data, DType dtype, std::int64_t index, float value) noexcept {
    if (dtype == DType::f32) static_cast<float*>(data)[index] = value;
    else static_cast<std::uint16_t*>(data)[index] = dtype == DType::f16 ? float_to_f16(value) : float_to_bf16(value);
}

/// `value` as an array of `dtype` would hold it.
inline float round_to(DType dtype, float value) noexcept {
    if (dtype == DType::f16) return f16_to_float(float_to_f16(value));
    if (dtype == DType::bf16) return bf16_to_float(float_to_bf16(value));
    return value;
}

/// `value` rounded once to f32 and once more to `dtype`; the second rounding of a double is harmless at the scale of
/// the error rule.
inline float round_to(DType dtype, double value) noexcept { return round_to(dtype, static_cast<float>(value)); }

}  // namespace flashwave
