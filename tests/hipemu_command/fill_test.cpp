#include "hipemu_command/fill.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace hipemu::command;

namespace {

std::vector<double> values(const Fill& fill, ElementType type, std::size_t count) {
    const std::string bytes = filled(fill, type, count);
    std::vector<double> result;
    for (std::size_t at = 0; at < bytes.size(); at += size_of(type))
        result.push_back(load(type, reinterpret_cast<const std::byte*>(bytes.data()) + at));
    return result;
}

}  // namespace

TEST_CASE("constants and ramps") {
    CHECK(filled({}, ElementType::f32, 5).empty());
    CHECK(values({.kind = FillKind::zeros}, ElementType::i16, 3) == std::vector<double>{0, 0, 0});
    CHECK(values({.kind = FillKind::ones}, ElementType::bf16, 2) == std::vector<double>{1, 1});
    CHECK(values({.kind = FillKind::constant, .first = -2.5}, ElementType::f16, 2) == std::vector<double>{-2.5, -2.5});
    CHECK(values({.kind = FillKind::iota, .first = 10, .second = -3}, ElementType::i32, 4) == std::vector<double>{10, 7, 4, 1});
}

TEST_CASE("uniform numbers fill their range, integers both ends of it") {
    const auto reals = values({.kind = FillKind::uniform, .first = -1, .second = 3, .seed = 5}, ElementType::f32, 4000);
    const auto [least, most] = std::minmax_element(reals.begin(), reals.end());
    CHECK(*least >= -1);
    CHECK(*least < -0.9);
    CHECK(*most <= 3);
    CHECK(*most > 2.9);
    const auto integers = values({.kind = FillKind::uniform, .first = 2, .second = 4, .seed = 5}, ElementType::u8, 300);
    for (const double wanted : {2.0, 3.0, 4.0}) CHECK(std::count(integers.begin(), integers.end(), wanted) > 50);
    CHECK(std::all_of(integers.begin(), integers.end(), [](double value) { return value >= 2 && value <= 4; }));
}

TEST_CASE("normal numbers have their mean and deviation") {
    const auto numbers = values({.kind = FillKind::normal, .first = 2, .second = 0.5, .seed = 1}, ElementType::f64, 20000);
    double mean = 0, squares = 0;
    for (const double value : numbers) mean += value / 20000;
    for (const double value : numbers) squares += (value - mean) * (value - mean) / 20000;
    CHECK(std::fabs(mean - 2) < 0.02);
    CHECK(std::fabs(std::sqrt(squares) - 0.5) < 0.02);
}

TEST_CASE("a seed gives the same numbers always, another one others, and a longer buffer begins alike") {
    const Fill fill{.kind = FillKind::uniform, .first = 0, .second = 1, .seed = 7};
    const auto numbers = values(fill, ElementType::f32, 100);
    CHECK(values(fill, ElementType::f32, 100) == numbers);
    auto longer = values(fill, ElementType::f32, 200);
    longer.resize(100);
    CHECK(longer == numbers);
    Fill other = fill;
    other.seed = 8;
    CHECK(values(other, ElementType::f32, 100) != numbers);
}
