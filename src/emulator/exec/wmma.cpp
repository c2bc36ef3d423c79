// WMMA of gfx11, wave32: D = A B + C, all 16x16. EXEC is ignored.
//
// Layouts. A: row i in lane i (and i + 16), k runs along the registers' halves, bytes or nibbles. B: column j in lane j (and j + 16),
// k likewise. C and D: element (i, j) in register i/2, lane 16 (i mod 2) + j; 16-bit elements in the low half (op_sel[2]: the high half), the
// other half of D keeps its value. Lanes 0 to 15 of A and B are read; the hardware demands the same data in the others.
//
// Arithmetic of the float forms, by HIPEMU_WMMA:
//   fast (default)  one fused multiply-add of floats for each k in turn; denormals are kept; 16-bit results are rounded once at the end.
//   exact           the chain of two-element dot products that the hardware computes (lanes_dot2.hpp); 16-bit results are rounded after
//                   each. About twenty times slower.
// The default is fast because the two differ by less than the spread among correct kernels (16 roundings of relative 2^-24 against 8 on a
// coarser grid), while tests and tuning run millions of these; exact is there to compare with a card bit by bit.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <span>

#include "emulator/exec/lanes_dot2.hpp"
#include "emulator/exec/lanes_half.hpp"
#include "emulator/exec/valu_tables.hpp"
#include "emulator/isa/op_rows.hpp"

namespace hipemu::HIPEMU_LANES {

namespace {

constexpr int kSize = 16;

struct alignas(64) Matrix {
    float at[kSize][kSize];
};

bool exact_asked() {
    static const bool exact = [] {
        const char* mode = std::getenv("HIPEMU_WMMA");
        return mode != nullptr && std::strcmp(mode, "exact") == 0;
    }();
    return exact;
}

// Eight registers of an operand as floats, k first: to.at[k][lane].
template <bool Bfloat>
inline void unpack(const Wave& wave, const Operand& source, Matrix& to) {
    for (unsigned r = 0; r < 8; ++r) {
        const u32* from = wave.v[(source.index + r) & 255];
#if defined(__F16C__) && defined(__AVX2__)
        for (int l = 0; l < kSize; l += 8) {
            const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + l));
            if constexpr (Bfloat) {
                _mm256_store_si256(reinterpret_cast<__m256i*>(to.at[2 * r] + l), _mm256_slli_epi32(x, 16));
                _mm256_store_si256(reinterpret_cast<__m256i*>(to.at[2 * r + 1] + l), _mm256_and_si256(x, _mm256_set1_epi32(-65536)));
            } else {
                // In each half of the register the four low halves, then the four high ones; then all low ones, all high ones.
                const __m256i sorted = _mm256_shuffle_epi8(x, _mm256_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15,  //
                                                                               0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15));
                const __m256i both = _mm256_permute4x64_epi64(sorted, 0xd8);
                _mm256_store_ps(to.at[2 * r] + l, _mm256_cvtph_ps(_mm256_castsi256_si128(both)));
                _mm256_store_ps(to.at[2 * r + 1] + l, _mm256_cvtph_ps(_mm256_extracti128_si256(both, 1)));
            }
        }
#else
        for (int l = 0; l < kSize; ++l) {
            const u32 low = from[l] & 0xffffu, high = from[l] >> 16;
            to.at[2 * r][l] = as_f32(Bfloat ? bf16_to_f32(low) : half_to_f32(low));
            to.at[2 * r + 1][l] = as_f32(Bfloat ? bf16_to_f32(high) : half_to_f32(high));
        }
#endif
    }
}

#if defined(__F16C__) && defined(__AVX2__)
constexpr bool kPairs = true;
#else
constexpr bool kPairs = false;
#endif

// The same of A, whose elements are only read one by one. Halves stay as they lie in memory, two neighbours of a row side by side.
template <bool Bfloat>
inline void unpack_left(const Wave& wave, const Operand& source, Matrix& to) {
#if defined(__F16C__) && defined(__AVX2__)
    if constexpr (!Bfloat) {
        float* out = &to.at[0][0];
        for (unsigned r = 0; r < 8; ++r) {
            const u32* from = wave.v[(source.index + r) & 255];
            for (int l = 0; l < kSize; l += 4, out += 8) {
                _mm256_store_ps(out, _mm256_cvtph_ps(_mm_load_si128(reinterpret_cast<const __m128i*>(from + l))));
            }
        }
        return;
    }
#endif
    unpack<Bfloat>(wave, source, to);
}

// Where element (i, k) of A is, from its first. Two steps of k further everything is 2 kSize further.
template <bool Pairs>
constexpr int place(int i, int k) {
    return Pairs ? k / 2 * 2 * kSize + 2 * i + k % 2 : k * kSize + i;
}

// d += a^T b, a fused multiply-add for each k in turn; a and b are k first (Pairs: a as unpack_left has halves). True if d holds a NaN.
template <bool Pairs>
bool multiply(const Matrix& a, const Matrix& b, float* d) {
#if defined(__AVX2__) && defined(__FMA__)
    constexpr int kRows = 4;  // 8 accumulators: enough to cover the latency of the multiply-add, and few enough registers
    __m256 nan = _mm256_setzero_ps();
    for (int i = 0; i < kSize; i += kRows) {
        __m256 sum[kRows][2];
        for (int r = 0; r < kRows; ++r) {
            sum[r][0] = _mm256_loadu_ps(d + kSize * (i + r));
            sum[r][1] = _mm256_loadu_ps(d + kSize * (i + r) + 8);
        }
        // Unrolled by two: the loads of A then need no arithmetic for their addresses, which would cost more than the multiply-adds. Unrolled
        // further, compilers read each b once for every use, and loads become what costs most.
        const float *left = &a.at[0][0] + place<Pairs>(i, 0), *right = b.at[0];
#pragma GCC unroll 1
        for (int pair = 0; pair < kSize / 2; ++pair, left += 2 * kSize, right += 2 * kSize) {
#pragma GCC unroll 2
            for (int k = 0; k < 2; ++k) {
                const __m256 b0 = _mm256_load_ps(right + kSize * k), b1 = _mm256_load_ps(right + kSize * k + 8);
#pragma GCC unroll 4
                for (int r = 0; r < kRows; ++r) {
                    const __m256 x = _mm256_broadcast_ss(left + place<Pairs>(r, k));
                    sum[r][0] = _mm256_fmadd_ps(x, b0, sum[r][0]);
                    sum[r][1] = _mm256_fmadd_ps(x, b1, sum[r][1]);
                }
            }
        }
        for (int r = 0; r < kRows; ++r) {
            nan = _mm256_or_ps(nan, _mm256_cmp_ps(sum[r][0], sum[r][1], _CMP_UNORD_Q));
            _mm256_storeu_ps(d + kSize * (i + r), sum[r][0]);
            _mm256_storeu_ps(d + kSize * (i + r) + 8, sum[r][1]);
        }
    }
    return _mm256_movemask_ps(nan) != 0;
#else
    bool nan = false;
    for (int i = 0; i < kSize; ++i) {
        for (int j = 0; j < kSize; ++j) {
            float sum = d[kSize * i + j];
            for (int k = 0; k < kSize; ++k) sum = std::fma((&a.at[0][0])[place<Pairs>(i, k)], b.at[k][j], sum);
            d[kSize * i + j] = sum;
            nan |= sum != sum;
        }
    }
    return nan;
#endif
}

// Hosts pick a NaN by operand order; here every NaN result is the one that an invalid operation gives.
void settle(float* d) {
    for (int e = 0; e < kSize * kSize; ++e) d[e] = d[e] != d[e] ? as_f32(kDot2Invalid) : d[e];
}

enum class Out { f32, f16, bf16 };

template <Out To>
float narrowed(float x) {
    if (To == Out::f16) return as_f32(half_to_f32(f32_to_half(as_u32(x))));
    if (To == Out::bf16) return as_f32(bf16_to_f32(f32_to_bf16(as_u32(x))));
    return x;
}

template <bool Bfloat>
u32 factor(float x) {
    const u32 bits = as_u32(x);
    return Bfloat && std::fabs(x) < 0x1p-126f ? bits & kSign32 : bits;
}

template <bool Bfloat, Out To>
void multiply_exact(const Matrix& a, const Matrix& b, Matrix& d) {
    for (int i = 0; i < kSize; ++i) {
        for (int j = 0; j < kSize; ++j) {
            float sum = d.at[i][j];
            for (int k = 0; k < kSize; k += 2) {
                sum = as_f32(dot2(as_u32(sum), factor<Bfloat>(a.at[k][i]), factor<Bfloat>(b.at[k][j]), factor<Bfloat>(a.at[k + 1][i]),
                                  factor<Bfloat>(b.at[k + 1][j])));
                sum = narrowed<To>(sum);
            }
            d.at[i][j] = sum;
        }
    }
}

template <Out To>
void load_sum(const Wave& wave, const Inst& inst, Matrix& d) {
    const Operand& source = inst.src[2];
    const int shift = (inst.mod.op_sel >> 2 & 1) != 0 && source.kind == OperandKind::vgpr ? 16 : 0;
    for (unsigned r = 0; r < 8; ++r) {
        Words room;
        const u32* from = source.kind == OperandKind::vgpr ? words(wave, source, r, room) : words(wave, source, 0, room);
        float* even = d.at[2 * r];  // lanes 16 to 31 are the odd row, which follows it
        for (int l = 0; l < kLanes; ++l) {
            u32 bits = from[l];
            if (To == Out::f16) bits = half_to_f32(bits >> shift & 0xffffu);
            if (To == Out::bf16) bits = bf16_to_f32(bits >> shift & 0xffffu);
            even[l] = as_f32(bits);
        }
    }
    // Negation of C, the only modifier it has.
    if ((inst.mod.neg_lo & 4) == 0) return;
    for (auto& row : d.at) {
        for (float& x : row) x = -x;
    }
}

template <Out To>
void store_sum(Wave& wave, const Inst& inst, const Matrix& d) {
    const bool high = (inst.mod.op_sel >> 2 & 1) != 0;
    for (unsigned r = 0; r < 8; ++r) {
        u32* to = wave.v[(inst.dst[0].index + r) & 255];
        const float* even = d.at[2 * r];
        if constexpr (To == Out::f32) {
            std::memcpy(to, even, sizeof(wave.v[0]));
        } else {
            for (int l = 0; l < kLanes; ++l) {
                const u32 bits = To == Out::f16 ? f32_to_half(as_u32(even[l])) : f32_to_bf16(as_u32(even[l]));
                to[l] = high ? (to[l] & 0xffffu) | bits << 16 : (to[l] & 0xffff0000u) | bits;
            }
        }
    }
}

template <bool Bfloat, Out To, bool Exact>
void wmma(Wave& wave, const Inst& inst) {
    Matrix a, b, d;
    unpack<Bfloat>(wave, inst.src[0], a);
    unpack<Bfloat>(wave, inst.src[1], b);
    load_sum<To>(wave, inst, d);
    if constexpr (Exact) {
        multiply_exact<Bfloat, To>(a, b, d);
    } else {
        if (multiply<false>(a, b, &d.at[0][0])) settle(&d.at[0][0]);
    }
    store_sum<To>(wave, inst, d);
}

// Sums of floats, in the registers of D: eight registers of 32 lanes are just its 16 rows, one after the other.
template <bool Bfloat>
void wmma_f32(Wave& wave, const Inst& inst) {
    constexpr bool pairs = kPairs && !Bfloat;
    Matrix a, b;
    unpack_left<Bfloat>(wave, inst.src[0], a);
    unpack<Bfloat>(wave, inst.src[1], b);
    const Operand& c = inst.src[2];
    u32* registers = wave.v[inst.dst[0].index];
    if (c.kind != OperandKind::vgpr) {
        Words room;
        const u32* value = words(wave, c, 0, room);
        for (int r = 0; r < 8; ++r) std::memcpy(registers + kLanes * r, value, sizeof(wave.v[0]));
    } else if (c.index != inst.dst[0].index) {
        std::memmove(registers, wave.v[c.index], 8 * sizeof(wave.v[0]));
    }
#if defined(__AVX2__) && defined(__FMA__)
    // Vector loads and stores may alias anything.
    float* sums = reinterpret_cast<float*>(registers);
    if (!multiply<pairs>(a, b, sums)) [[likely]] return;
    for (int e = 0; e < kSize * kSize; ++e) registers[e] = is_nan32(registers[e]) ? kDot2Invalid : registers[e];
#else
    float sums[kSize * kSize];
    std::memcpy(sums, registers, sizeof(sums));
    if (multiply<pairs>(a, b, sums)) settle(sums);
    std::memcpy(registers, sums, sizeof(sums));
#endif
}

template <bool Bfloat, Out To>
ExecFn select_wmma(const Inst& inst) {
    if (exact_asked()) return wmma<Bfloat, To, true>;
    const Operand &c = inst.src[2], &d = inst.dst[0];
    const bool whole = (c.kind != OperandKind::vgpr || c.index <= 248) && d.index <= 248;  // no register numbers that wrap around
    return To == Out::f32 && whole && (inst.mod.neg_lo & 4) == 0 ? wmma_f32<Bfloat> : wmma<Bfloat, To, false>;
}

// Width bits an element; neg_lo says which side is signed.
template <int Width>
void wmma_int(Wave& wave, const Inst& inst) {
    constexpr int kPerWord = 32 / Width;
    i32 a[kSize][kSize], b[kSize][kSize];  // k first
    for (int side = 0; side < 2; ++side) {
        const bool is_signed = (inst.mod.neg_lo >> side & 1) != 0;
        for (int r = 0; r < kSize / kPerWord; ++r) {
            Words room;
            const u32* from = words(wave, inst.src[side], static_cast<unsigned>(r), room);
            for (int e = 0; e < kPerWord; ++e) {
                for (int l = 0; l < kSize; ++l) {
                    const u32 top = from[l] << (32 - Width - Width * e);
                    const i32 value = is_signed ? static_cast<i32>(top) >> (32 - Width) : static_cast<i32>(top >> (32 - Width));
                    (side == 0 ? a : b)[kPerWord * r + e][l] = value;
                }
            }
        }
    }
    Words result[8];
    for (unsigned r = 0; r < 8; ++r) {
        Words room;
        const u32* c = inst.src[2].kind == OperandKind::vgpr ? words(wave, inst.src[2], r, room) : words(wave, inst.src[2], 0, room);
        for (int odd = 0; odd < 2; ++odd) {
            const int i = 2 * static_cast<int>(r) + odd;
            i32 sum[kSize] = {};  // 16 products of bytes fit
            for (int k = 0; k < kSize; ++k) {
                for (int j = 0; j < kSize; ++j) sum[j] += a[k][i] * b[k][j];
            }
            for (int j = 0; j < kSize; ++j) {
                const u32 start = c[16 * odd + j];
                const i64 exact = static_cast<i64>(static_cast<i32>(start)) + sum[j];
                result[r].lane[16 * odd + j] =
                    inst.mod.clamp ? static_cast<u32>(static_cast<i32>(std::clamp<i64>(exact, INT32_MIN, INT32_MAX))) : start + static_cast<u32>(sum[j]);
            }
        }
    }
    for (unsigned r = 0; r < 8; ++r) std::memcpy(wave.v[(inst.dst[0].index + r) & 255], result[r].lane, sizeof(wave.v[0]));
}

// Matrix pipe cycles per SIMD as measured on gfx1151 with the register banks that compilers choose; 32 and 16 at best.
constexpr std::uint8_t kWmmaCycles = 34, kWmma4Cycles = 17;

constexpr OpInfo matrix(std::string_view mnemonic, ExecFn exec, Type sum, std::uint8_t cycles, SelectFn select = nullptr) {
    OpInfo op = with_sources(vector_op(mnemonic, exec, Type::b32, cycles), Type::b32, Type::b32, sum);
    op.unit = Unit::wmma;
    op.taint = Taint::custom;
    op.taint_fn = taint_matrix;
    op.select = select;
    return op;
}

constexpr OpInfo kOps[] = {
    matrix("v_wmma_f32_16x16x16_f16", wmma<false, Out::f32, false>, Type::f32, kWmmaCycles, select_wmma<false, Out::f32>),
    matrix("v_wmma_f32_16x16x16_bf16", wmma<true, Out::f32, false>, Type::f32, kWmmaCycles, select_wmma<true, Out::f32>),
    with_accumulator(matrix("v_wmma_f16_16x16x16_f16", wmma<false, Out::f16, false>, Type::f16, kWmmaCycles, select_wmma<false, Out::f16>)),
    with_accumulator(matrix("v_wmma_bf16_16x16x16_bf16", wmma<true, Out::bf16, false>, Type::bf16, kWmmaCycles, select_wmma<true, Out::bf16>)),
    matrix("v_wmma_i32_16x16x16_iu8", wmma_int<8>, Type::b32, kWmmaCycles),
    matrix("v_wmma_i32_16x16x16_iu4", wmma_int<4>, Type::b32, kWmma4Cycles),
};

}  // namespace

std::span<const OpInfo> matrix_ops() { return kOps; }

}  // namespace hipemu::HIPEMU_LANES
