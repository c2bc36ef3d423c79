// Sixteen bytes of each lane, as they lie in memory, become four registers, and back: 4x4 transposes for hosts with AVX2.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <cstddef>
#include <cstdint>

#include "emulator/isa/inst.hpp"

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

/// The other way round, for a whole wave: registers `rows` into `bytes` (8 or 16) of each lane, lane after lane, so that of two lanes at one
/// place the higher one wins.
template <unsigned bytes, class Place>
__attribute__((target("avx2"))) inline void scatter_rows(const std::uint32_t (*rows)[kLanes], const Place& place) {
    static_assert(bytes == 8 || bytes == 16);
    const auto row = [&](int r, int first) __attribute__((target("avx2"))) {
        return _mm256_load_si256(reinterpret_cast<const __m256i*>(&rows[r][first]));
    };
    const auto put = [&](int lane, __m128i value) __attribute__((target("avx2"))) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(place(lane)), value);
    };
    const auto put_two = [&](int lane, __m128i value) __attribute__((target("avx2"))) {
        _mm_storel_epi64(reinterpret_cast<__m128i*>(place(lane)), value);
        _mm_storel_epi64(reinterpret_cast<__m128i*>(place(lane + 1)), _mm_unpackhi_epi64(value, value));
    };
    for (int first = 0; first < kLanes; first += 8) {
        const __m256i low = _mm256_unpacklo_epi32(row(0, first), row(1, first)), high = _mm256_unpackhi_epi32(row(0, first), row(1, first));
        if constexpr (bytes == 8) {
            put_two(first, _mm256_castsi256_si128(low));
            put_two(first + 2, _mm256_castsi256_si128(high));
            put_two(first + 4, _mm256_extracti128_si256(low, 1));
            put_two(first + 6, _mm256_extracti128_si256(high, 1));
        } else {
            const __m256i low2 = _mm256_unpacklo_epi32(row(2, first), row(3, first)), high2 = _mm256_unpackhi_epi32(row(2, first), row(3, first));
            const __m256i a = _mm256_unpacklo_epi64(low, low2), b = _mm256_unpackhi_epi64(low, low2);
            const __m256i c = _mm256_unpacklo_epi64(high, high2), d = _mm256_unpackhi_epi64(high, high2);
            put(first, _mm256_castsi256_si128(a));
            put(first + 1, _mm256_castsi256_si128(b));
            put(first + 2, _mm256_castsi256_si128(c));
            put(first + 3, _mm256_castsi256_si128(d));
            put(first + 4, _mm256_extracti128_si256(a, 1));
            put(first + 5, _mm256_extracti128_si256(b, 1));
            put(first + 6, _mm256_extracti128_si256(c, 1));
            put(first + 7, _mm256_extracti128_si256(d, 1));
        }
    }
}

#endif

}  // namespace hipemu
