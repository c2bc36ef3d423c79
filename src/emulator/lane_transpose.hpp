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

/// Lanes first to first + 15; `place(lane)` points at a lane's bytes.
template <class Place>
__attribute__((target("avx2"))) inline void transpose_sixteen(const Place& place, std::uint32_t (*rows)[kLanes], int first) {
    for (int i = first; i < first + 16; i += 8) {
        __m256i row[4];
        for (int k = 0; k < 4; ++k) {
            row[k] = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(place(i + k)))),
                                             _mm_loadu_si128(reinterpret_cast<const __m128i*>(place(i + k + 4))), 1);
        }
        const __m256i a = _mm256_unpacklo_epi32(row[0], row[1]), b = _mm256_unpackhi_epi32(row[0], row[1]);
        const __m256i c = _mm256_unpacklo_epi32(row[2], row[3]), d = _mm256_unpackhi_epi32(row[2], row[3]);
        _mm256_store_si256(reinterpret_cast<__m256i*>(&rows[0][i]), _mm256_unpacklo_epi64(a, c));
        _mm256_store_si256(reinterpret_cast<__m256i*>(&rows[1][i]), _mm256_unpackhi_epi64(a, c));
        _mm256_store_si256(reinterpret_cast<__m256i*>(&rows[2][i]), _mm256_unpacklo_epi64(b, d));
        _mm256_store_si256(reinterpret_cast<__m256i*>(&rows[3][i]), _mm256_unpackhi_epi64(b, d));
    }
}

#endif

}  // namespace hipemu
