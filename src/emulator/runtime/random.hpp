// SplitMix64: a sequence of numbers that the seed alone decides. One owner.
#pragma once

#include <cstdint>

namespace hipemu {

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    /// Spread evenly over [-1, 1).
    double next_symmetric() { return static_cast<double>(static_cast<std::int64_t>(next())) * 0x1p-63; }

private:
    std::uint64_t state_;
};

}  // namespace hipemu
