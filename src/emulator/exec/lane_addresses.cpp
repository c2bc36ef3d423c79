#include "emulator/exec/lane_addresses.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "emulator/isa/op_tables.hpp"

namespace hipemu {
namespace {

// Plain loops, of which compilers make vector operations of the width that the function around them may use.

inline std::uint64_t add_offset_plainly(const std::uint32_t (&own)[kLanes], std::uint32_t offset, std::uint64_t (&address)[kLanes]) {
    std::uint32_t bits = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
        const std::uint32_t sum = own[lane] + offset;
        address[lane] = sum;
        bits |= sum;
    }
    return bits;
}

inline std::uint64_t any_bits_plainly(const std::uint64_t (&address)[kLanes]) {
    std::uint64_t bits = 0;
    for (const std::uint64_t one : address) bits |= one;
    return bits;
}

inline void narrow_plainly(const std::uint64_t (&address)[kLanes], std::uint16_t (&narrow)[kLanes]) {
    for (int lane = 0; lane < kLanes; ++lane) narrow[lane] = static_cast<std::uint16_t>(address[lane]);
}

std::uint32_t starts_of_runs_plainly(const std::uint64_t (&address)[kLanes], unsigned bytes) {
    std::uint32_t starts = 1;
    for (int lane = 1; lane < kLanes; ++lane) starts |= (address[lane] - address[lane - 1] != bytes ? 1u : 0u) << lane;
    return starts;
}

#if defined(__x86_64__)

const bool kAvx2 = chosen_lane_build() == LaneBuild::avx2;

__attribute__((target("avx2"))) std::uint64_t add_offset_avx2(const std::uint32_t (&own)[kLanes], std::uint32_t offset,
                                                              std::uint64_t (&address)[kLanes]) {
    return add_offset_plainly(own, offset, address);
}

__attribute__((target("avx2"))) std::uint64_t any_bits_avx2(const std::uint64_t (&address)[kLanes]) { return any_bits_plainly(address); }

__attribute__((target("avx2"))) void narrow_avx2(const std::uint64_t (&address)[kLanes], std::uint16_t (&narrow)[kLanes]) {
    const __m256i low16 = _mm256_set1_epi32(0xffff), pairs = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    // The lower words of four lanes and of the four behind them: 0 1 4 5 2 3 6 7.
    const auto eight = [&](int lane) __attribute__((target("avx2"))) {
        const __m256 a = _mm256_castsi256_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(address + lane)));
        const __m256 b = _mm256_castsi256_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(address + lane + 4)));
        return _mm256_and_si256(_mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88)), low16);
    };
    for (int lane = 0; lane < kLanes; lane += 16) {
        const __m256i sixteen = _mm256_permutevar8x32_epi32(_mm256_packus_epi32(eight(lane), eight(lane + 8)), pairs);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(narrow + lane), sixteen);
    }
}

__attribute__((target("avx2"))) std::uint32_t starts_of_runs_avx2(const std::uint64_t (&address)[kLanes], unsigned bytes) {
    const __m256i step = _mm256_set1_epi64x(bytes);
    const auto at = [&](int lane) __attribute__((target("avx2"))) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(address + lane)); };
    // Four lanes and the four before them; the first four have three before them.
    std::uint32_t starts = starts_of_runs_plainly(address, bytes) & 0xf;
    for (int lane = 4; lane < kLanes; lane += 4) {
        const __m256i follows = _mm256_cmpeq_epi64(_mm256_sub_epi64(at(lane), at(lane - 1)), step);
        starts |= (static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(follows))) ^ 0xfu) << lane;
    }
    return starts;
}

#else

constexpr bool kAvx2 = false;
constexpr auto add_offset_avx2 = add_offset_plainly;
constexpr auto any_bits_avx2 = any_bits_plainly;
constexpr auto narrow_avx2 = narrow_plainly;
constexpr auto starts_of_runs_avx2 = starts_of_runs_plainly;

#endif

}  // namespace

std::uint64_t add_offset(const std::uint32_t (&own)[kLanes], std::uint32_t offset, std::uint64_t (&address)[kLanes]) {
    return kAvx2 ? add_offset_avx2(own, offset, address) : add_offset_plainly(own, offset, address);
}

std::uint64_t any_bits(const std::uint64_t (&address)[kLanes]) { return kAvx2 ? any_bits_avx2(address) : any_bits_plainly(address); }

void narrow_addresses(const std::uint64_t (&address)[kLanes], std::uint16_t (&narrow)[kLanes]) {
    kAvx2 ? narrow_avx2(address, narrow) : narrow_plainly(address, narrow);
}

std::uint32_t starts_of_runs(const std::uint64_t (&address)[kLanes], unsigned bytes) {
    return kAvx2 ? starts_of_runs_avx2(address, bytes) : starts_of_runs_plainly(address, bytes);
}

}  // namespace hipemu
