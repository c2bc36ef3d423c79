// The first 1201 bits of 2/pi, which v_trig_preop_f64 hands out in windows of 53.
#pragma once

#include <cstdint>

namespace hipemu {

inline constexpr int kTwoOverPiBits = 1201;

/// Most significant first; the first bit weighs 2^-1.
inline constexpr std::uint64_t kTwoOverPi[] = {
    0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull,
    0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull,
    0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full,
    0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull,
    0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull,
};

/// Bits [shift, shift + 53) behind the binary point, as an integer; past the end there are zeros.
inline std::uint64_t bits_of_two_over_pi(int shift) {
    std::uint64_t window = 0;
    for (int i = shift; i < shift + 53; ++i) {
        const std::uint64_t bit = i < kTwoOverPiBits ? kTwoOverPi[i / 64] >> (63 - i % 64) & 1 : 0;
        window = window << 1 | bit;
    }
    return window;
}

}  // namespace hipemu
