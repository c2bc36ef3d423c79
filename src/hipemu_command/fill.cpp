#include "hipemu_command/fill.hpp"

#include <cmath>
#include <numbers>

namespace hipemu::command {
namespace {

/// SplitMix64 (Steele, Lea, Flood 2014): one well-mixed word for every number, so that element i depends on the seed and i only.
std::uint64_t random_word(std::uint64_t seed, std::uint64_t index) {
    std::uint64_t word = seed * 0xd1342543de82ef95u + (index + 1) * 0x9e3779b97f4a7c15u;
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9u;
    word = (word ^ word >> 27) * 0x94d049bb133111ebu;
    return word ^ word >> 31;
}

/// In [0, 1), 53 bits.
double random_unit(std::uint64_t seed, std::uint64_t index) {
    return static_cast<double>(random_word(seed, index) >> 11) * 0x1p-53;
}

double value_at(const Fill& fill, ElementType type, std::uint64_t index) {
    switch (fill.kind) {
        case FillKind::none:
        case FillKind::zeros: return 0;
        case FillKind::ones: return 1;
        case FillKind::constant: return fill.first;
        case FillKind::iota: return fill.first + fill.second * static_cast<double>(index);
        case FillKind::uniform: {
            const double unit = random_unit(fill.seed, index);
            if (!is_float(type)) return fill.first + std::floor(unit * (fill.second - fill.first + 1));
            return fill.first + unit * (fill.second - fill.first);
        }
        case FillKind::normal: {
            // Box and Muller; 1 - unit is never 0.
            const double radius = std::sqrt(-2 * std::log(1 - random_unit(fill.seed, 2 * index)));
            return fill.first + fill.second * radius * std::cos(2 * std::numbers::pi * random_unit(fill.seed, 2 * index + 1));
        }
    }
    return 0;
}

}  // namespace

std::string filled(const Fill& fill, ElementType type, std::size_t count) {
    if (fill.kind == FillKind::none) return {};
    const std::size_t size = size_of(type);
    std::string bytes(count * size, '\0');
    auto* const to = reinterpret_cast<std::byte*>(bytes.data());
    for (std::size_t i = 0; i < count; ++i) store(type, value_at(fill, type, i), to + i * size);
    return bytes;
}

}  // namespace hipemu::command
