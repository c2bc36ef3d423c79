// One 16x16x16 product in every format of the matrix unit, as bits in the layout of its registers: a[i][k], b[j][k] packed, c and d by (row, column).
using half16 = _Float16 __attribute__((ext_vector_type(16)));
using short16 = short __attribute__((ext_vector_type(16)));
using float8 = float __attribute__((ext_vector_type(8)));
using int2v = int __attribute__((ext_vector_type(2)));
using int4v = int __attribute__((ext_vector_type(4)));
using int8v = int __attribute__((ext_vector_type(8)));

template <class Vector>
__device__ Vector row(const void* from) {
    return static_cast<const Vector*>(from)[threadIdx.x % 16];
}
__device__ int element(int r) { return (2 * r + static_cast<int>(threadIdx.x) / 16) * 16 + static_cast<int>(threadIdx.x) % 16; }

template <class Vector, class Scalar>
__device__ Vector load(const Scalar* c) {
    Vector sums;
    for (int r = 0; r < 8; ++r) sums[r] = c[element(r)];
    return sums;
}
template <class Vector, class Scalar>
__device__ void store(Scalar* d, Vector sums) {
    for (int r = 0; r < 8; ++r) d[element(r)] = sums[r];
}

extern "C" __global__ void f32_f16(const void* a, const void* b, const float* c, float* d) {
    store(d, __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(row<half16>(a), row<half16>(b), load<float8>(c)));
}
extern "C" __global__ void f32_bf16(const void* a, const void* b, const float* c, float* d) {
    store(d, __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(row<short16>(a), row<short16>(b), load<float8>(c)));
}

// 16-bit sums: the low and the high halves of the registers hold two sums, computed one after the other.
extern "C" __global__ void f16_f16(const void* a, const void* b, const _Float16* c, _Float16* d) {
    half16 sums;
    for (int r = 0; r < 8; ++r) sums[2 * r] = c[element(r)], sums[2 * r + 1] = c[256 + element(r)];
    sums = __builtin_amdgcn_wmma_f16_16x16x16_f16_w32(row<half16>(a), row<half16>(b), sums, false);
    sums = __builtin_amdgcn_wmma_f16_16x16x16_f16_w32(row<half16>(b), row<half16>(a), sums, true);
    for (int r = 0; r < 8; ++r) d[element(r)] = sums[2 * r], d[256 + element(r)] = sums[2 * r + 1];
}
extern "C" __global__ void bf16_bf16(const void* a, const void* b, const short* c, short* d) {
    short16 sums;
    for (int r = 0; r < 8; ++r) sums[2 * r] = c[element(r)], sums[2 * r + 1] = c[256 + element(r)];
    sums = __builtin_amdgcn_wmma_bf16_16x16x16_bf16_w32(row<short16>(a), row<short16>(b), sums, false);
    sums = __builtin_amdgcn_wmma_bf16_16x16x16_bf16_w32(row<short16>(b), row<short16>(a), sums, true);
    for (int r = 0; r < 8; ++r) d[element(r)] = sums[2 * r], d[256 + element(r)] = sums[2 * r + 1];
}

template <bool sign_a, bool sign_b, bool clamp>
__device__ void bytes(const void* a, const void* b, const int* c, int* d) {
    store(d, __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(sign_a, row<int4v>(a), sign_b, row<int4v>(b), load<int8v>(c), clamp));
}
template <bool sign_a, bool sign_b, bool clamp>
__device__ void nibbles(const void* a, const void* b, const int* c, int* d) {
    store(d, __builtin_amdgcn_wmma_i32_16x16x16_iu4_w32(sign_a, row<int2v>(a), sign_b, row<int2v>(b), load<int8v>(c), clamp));
}

// Signs of a and b in bits 0 and 1, saturation in bit 2 of the name's number: all eight in one launch, d + 256 * number.
extern "C" __global__ void iu8(const void* a, const void* b, const int* c, int* d) {
    bytes<false, false, false>(a, b, c, d);
    bytes<true, false, false>(a, b, c, d + 256);
    bytes<false, true, false>(a, b, c, d + 512);
    bytes<true, true, false>(a, b, c, d + 768);
    bytes<false, false, true>(a, b, c, d + 1024);
    bytes<true, false, true>(a, b, c, d + 1280);
    bytes<false, true, true>(a, b, c, d + 1536);
    bytes<true, true, true>(a, b, c, d + 1792);
}
extern "C" __global__ void iu4(const void* a, const void* b, const int* c, int* d) {
    nibbles<false, false, false>(a, b, c, d);
    nibbles<true, false, false>(a, b, c, d + 256);
    nibbles<false, true, false>(a, b, c, d + 512);
    nibbles<true, true, false>(a, b, c, d + 768);
    nibbles<false, false, true>(a, b, c, d + 1024);
    nibbles<true, false, true>(a, b, c, d + 1280);
    nibbles<false, true, true>(a, b, c, d + 1536);
    nibbles<true, true, true>(a, b, c, d + 1792);
}
