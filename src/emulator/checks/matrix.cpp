#include "emulator/checks/matrix.hpp"

#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <fmt/format.h>

#include "emulator/isa/op_tables.hpp"

namespace hipemu {
namespace {

constexpr int kHalf = kLanes / 2;

bool halves_are_equal(const Wave& wave, const Operand& source) {
    if (source.kind != OperandKind::vgpr) return true;
    for (unsigned word = 0; word < source.count; ++word) {
        const std::uint32_t* const row = wave.v[(source.index + word) & 255];
        if (std::memcmp(row, row + kHalf, kHalf * sizeof(*row)) != 0) return false;
    }
    return true;
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) bool halves_are_equal_avx2(const Wave& wave, const Operand& source) {
    if (source.kind != OperandKind::vgpr) return true;
    __m256i different = _mm256_setzero_si256();
    const auto compare = [&](const std::uint32_t (&lanes)[kLanes]) __attribute__((target("avx2"))) {
        const auto* const row = reinterpret_cast<const __m256i*>(lanes);
        different = _mm256_or_si256(different, _mm256_xor_si256(_mm256_load_si256(row), _mm256_load_si256(row + 2)));
        different = _mm256_or_si256(different, _mm256_xor_si256(_mm256_load_si256(row + 1), _mm256_load_si256(row + 3)));
    };
    constexpr unsigned kHalfPrecision = 8;  // registers of an operand of fp16 or bf16: a number that compilers unroll
    if (source.count == kHalfPrecision && source.index + kHalfPrecision <= 256) {
        const std::uint32_t(*const rows)[kLanes] = wave.v + source.index;
        for (unsigned word = 0; word < kHalfPrecision; ++word) compare(rows[word]);
    } else {
        for (unsigned word = 0; word < source.count; ++word) compare(wave.v[(source.index + word) & 255]);
    }
    return _mm256_testz_si256(different, different) != 0;
}

const bool kAvx2 = chosen_lane_build() == LaneBuild::avx2;

#else

constexpr bool kAvx2 = false;
bool halves_are_equal_avx2(const Wave& wave, const Operand& source) { return halves_are_equal(wave, source); }

#endif

bool undefined_alike(const Wave& wave, unsigned reg, int lane, unsigned other, int other_lane) {
    const auto word = [&](unsigned r, int l) { return wave.defined.contains(r) ? 0 : wave.undefined[r][l]; };
    for (int i = 0; i < kHalf; ++i)
        if (word(reg, lane + i) != word(other, other_lane + i)) return false;
    return true;
}

/// What lanes 16 to 31 have in register `high` of an operand is what lanes 0 to 15 have in its register `low`.
bool same_in_halves(const Wave& wave, const Operand& source, unsigned high, unsigned low) {
    const unsigned from = (source.index + high) & 255, to = (source.index + low) & 255;
    return std::memcmp(wave.v[from] + kHalf, wave.v[to], kHalf * sizeof(wave.v[0][0])) == 0 && undefined_alike(wave, from, kHalf, to, 0);
}

/// A product sums over the registers of A and B in pairs: their order does not matter as long as A and B have the same, and it may be another in
/// each half. rocWMMA gives the upper half neighbouring registers the other way round, and its results were compared on cards.
bool halves_have_an_order_each(const Wave& wave, const Operand& a, const Operand& b) {
    if (a.kind != OperandKind::vgpr || b.kind != OperandKind::vgpr || a.count != b.count) return false;
    std::uint32_t taken = 0;
    for (unsigned high = 0; high < a.count; ++high) {
        unsigned low = 0;
        while (low < a.count && ((taken >> low & 1) != 0 || !same_in_halves(wave, a, high, low) || !same_in_halves(wave, b, high, low))) ++low;
        if (low == a.count) return false;
        taken |= 1u << low;
    }
    return true;
}

}  // namespace

void check_matrix_halves(Wave& wave, const Inst& inst) {
    const auto are_equal = kAvx2 ? halves_are_equal_avx2 : halves_are_equal;
    if (are_equal(wave, inst.src[0]) && are_equal(wave, inst.src[1])) [[likely]] return;
    if (halves_have_an_order_each(wave, inst.src[0], inst.src[1])) return;
    for (unsigned operand = 0; operand < 2; ++operand) {
        const Operand& source = inst.src[operand];
        if (source.kind != OperandKind::vgpr) continue;
        for (unsigned word = 0; word < source.count; ++word) {
            const std::uint32_t(&row)[kLanes] = wave.v[source.index + word];
            if (std::memcmp(row, row + kLanes / 2, sizeof(row) / 2) == 0) continue;
            const unsigned r = source.index + word;
            const auto undefined = [&](int lane) { return wave.defined.contains(r) ? 0 : wave.undefined[r][lane]; };
            const auto value_in = [&](int lane) {
                return undefined(lane) != 0 ? fmt::format("undefined bits in lane {}", lane) : fmt::format("{:#x} in lane {}", row[lane], lane);
            };
            for (int low = 0, high = kLanes / 2; high < kLanes; ++low, ++high) {
                // Bits that are undefined in both lanes make the product undefined, which is found where that matters.
                if (((row[low] ^ row[high]) & ~(undefined(low) & undefined(high))) == 0) continue;
                wave.stop_with_fault(FaultKind::wmma_halves,
                                     fmt::format("v{} of operand {} holds {} and {}; the two must be equal", r, operand == 0 ? "A" : "B", value_in(low),
                                                 value_in(high)),
                                     undefined(high) != 0 ? high : low);
                return;
            }
        }
    }
}

}  // namespace hipemu
