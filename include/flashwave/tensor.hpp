// Tensors as flashwave sees them: a device pointer, an element type, four logical dimensions and their strides.
//
// A TensorView owns nothing and copies nothing. The order of the dimensions is always [batch, heads, length, head_dim];
// where they lie in memory is told by the strides, so that BHSD, BSHD, sliced and interleaved tensors are all served as
// they are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "flashwave/export.hpp"

namespace flashwave {

/// Element types. The numbers are part of the stored format and of the C ABI: do not renumber.
enum class DType : std::uint8_t {
    f16 = 1,   ///< IEEE 754 binary16
    bf16 = 2,  ///< bfloat16: the upper half of an f32
    f32 = 3,   ///< IEEE 754 binary32; the type of LSE, not yet of q, k, v or o
};

/// "f16", "bf16", "f32".
FLASHWAVE_API std::string_view name(DType dtype) noexcept;
/// Bytes of one element.
FLASHWAVE_API std::size_t size_of(DType dtype) noexcept;

struct TensorView {
    /// Device memory of the first element. The caller keeps it alive until the work launched with it has finished.
    /// Inputs are only read.
    void* data = nullptr;
    DType dtype = DType::f16;
    /// [batch, heads, length, head_dim]
    std::array<std::int64_t, 4> shape{};
    /// Distance between neighbours in each dimension, in elements (not bytes). head_dim must be contiguous (stride 1);
    /// the others are free, but kernels are fastest where the pointer and every stride are multiples of 16 bytes. An
    /// input may have a stride of 0 (keys broadcast over the batch, for instance), an output may not.
    std::array<std::int64_t, 4> strides{};

    /// A dense tensor stored as [batch, heads, length, head_dim].
    static constexpr TensorView bhsd(void* data, DType dtype, std::int64_t batch, std::int64_t heads,
                                     std::int64_t length, std::int64_t head_dim) noexcept {
        return {
            data, dtype, {batch, heads, length, head_dim}, {heads * length * head_dim, length * head_dim, head_dim, 1}};
    }
    /// A dense tensor stored as [batch, length, heads, head_dim]. The arguments keep the logical order.
    static constexpr TensorView bshd(void* data, DType dtype, std::int64_t batch, std::int64_t heads,
                                     std::int64_t length, std::int64_t head_dim) noexcept {
        return {
            data, dtype, {batch, heads, length, head_dim}, {length * heads * head_dim, head_dim, heads * head_dim, 1}};
    }
};

}  // namespace flashwave
