// Sixteen bytes of each lane, as they lie in memory, become four registers: 4x4 transposes for hosts with AVX2.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <cstddef>
#include <cstdint>

#include "emulator/inst.hpp"

namespace hipemu {

#if defined(__x86_64__)

/// The bytes of two lanes side by side.
__attribute__((target("avx2"))) inline __m256i two_lanes(const std::byte* low, const std::byte* high) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(low))),
                                   _mm_loadu_si128(reinterpret_cast<const __m128i*>(high)), 1);
}

/// Lanes first to first + 7; `place(lane)` points at a lane's bytes. Spelled out: compilers do not unroll such loops below -O3.
template <class Place>
__attribute__((target("avx2"))) inline void transpose_eight(const Place& place, std::uint32_t (*rows)[kLanes], int first) {
    const __m256i row0 = two_lanes(place(first), place(first + 4)), row1 = two_lanes(place(first + 1), place(first + 5));
    const __m256i row2 = two_lanes(place(first + 2), place(first + 6)), row3 = two_lanes(place(first + 3), place(first + 7));
    const __m256i a = _mm256_unpacklo_epi32(row0, row1), b = _mm256_unpackhi_epi32(row0, row1);
    const __m256i c = _mm256_unpacklo_epi32(row2, row3), d = _mm256_unpackhi_epi32(row2, row3);
    _mm256_store_si256(reinterpret_cast<__m256i*>(&rows[0][first]), _mm256_unpacklo_epi64(a, c));
    _mm256_store_si256(reinterpret_cast<__m256i*>(&rows[1][first]), _mm256_unpackhi_epi64(a, c));
    _mm256_store_si256(reinterpret_cast<__m256i*>(&rows[2][first]), _mm256_unpacklo_epi64(b, d));
    _mm256_store_si256(reinterpret_cast<__m256i*>(&rows[3][first]), _mm256_unpackhi_epi64(b, d));
}

template <class Place>
__attribute__((target("avx2"))) inline void transpose_sixteen(const Place& place, std::uint32_t (*rows)[kLanes], int first) {
    transpose_eight(place, rows, first);
    transpose_eight(place, rows, first + 8);
}

#endif

}  // namespace hipemu
