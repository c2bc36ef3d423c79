#include "hipemu_command/element.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include <nlohmann/json.hpp>

using namespace hipemu::command;
using nlohmann::json;

namespace {

constexpr ElementType kAll[] = {ElementType::i8,  ElementType::u8,  ElementType::i16, ElementType::u16, ElementType::f16, ElementType::bf16,
                                ElementType::i32, ElementType::u32, ElementType::f32, ElementType::i64, ElementType::u64, ElementType::f64};

double there_and_back(ElementType type, double value) {
    std::byte bytes[8];
    store(type, value, bytes);
    return load(type, bytes);
}

std::uint64_t word_of(const std::string& bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), bytes.size());
    return word;
}

}  // namespace

TEST_CASE("every element type has its name, and keeps small numbers") {
    for (const ElementType type : kAll) {
        CAPTURE(name_of(type));
        CHECK(find_type(name_of(type)) == type);
        CHECK(all_types().find(name_of(type)) != std::string::npos);
        for (const double value : {0.0, 1.0, 100.0}) CHECK_EQ(there_and_back(type, value), value);
        if (name_of(type).front() != 'u') CHECK_EQ(there_and_back(type, -3.0), -3.0);
    }
    CHECK_FALSE(find_type("f8").has_value());
}

TEST_CASE("numbers are rounded to the element, and integers stay in its range") {
    CHECK_EQ(there_and_back(ElementType::f16, 2049.0), 2048.0);
    CHECK_EQ(there_and_back(ElementType::bf16, 257.0), 256.0);
    CHECK_EQ(there_and_back(ElementType::i8, 1000.0), 127.0);
    CHECK_EQ(there_and_back(ElementType::u16, -1.0), 0.0);
    CHECK_EQ(there_and_back(ElementType::i32, 2.5), 2.0);
    CHECK(std::isnan(there_and_back(ElementType::f16, std::numeric_limits<double>::quiet_NaN())));
    std::byte bytes[8];
    store(ElementType::u64, 1e30, bytes);
    std::uint64_t largest = 0;
    std::memcpy(&largest, bytes, sizeof largest);
    CHECK_EQ(largest, UINT64_MAX);
}

TEST_CASE("a JSON value becomes the bytes of a scalar argument, or the message says what is needed") {
    CHECK_EQ(word_of(bytes_of(ElementType::i32, -2, "n").value()), 0xfffffffe);
    CHECK_EQ(word_of(bytes_of(ElementType::u64, std::uint64_t{18446744073709551615u}, "n").value()), UINT64_MAX);
    CHECK_EQ(word_of(bytes_of(ElementType::f16, 1, "n").value()), 0x3c00);
    CHECK_EQ(word_of(bytes_of(ElementType::f32, "-inf", "n").value()), 0xff800000);
    CHECK_EQ(bytes_of(ElementType::i8, 128, "\"value\" of argument 1").status().message(),
             "\"value\" of argument 1 is 128; an integer that i8 holds is needed");
    CHECK_FALSE(bytes_of(ElementType::u32, -1, "n").ok());
    CHECK_FALSE(bytes_of(ElementType::i32, 1.5, "n").ok());
    CHECK_FALSE(bytes_of(ElementType::f32, "1.5", "n").ok());
    CHECK_FALSE(bytes_of(ElementType::i64, std::uint64_t{1} << 63, "n").ok());
}

TEST_CASE("NumPy's types are known, and bf16 by its bits") {
    for (const ElementType type : kAll)
        if (type != ElementType::bf16) CHECK(type_of_npy(npy_type(type)) == type);
    CHECK(type_of_npy("|V2") == ElementType::bf16);
    CHECK(type_of_npy("|b1") == ElementType::u8);
    CHECK_FALSE(type_of_npy("<c8").has_value());
}

TEST_CASE("an array is converted element by element") {
    const float values[] = {1.0f, 2049.0f, -0.5f};
    const std::string halves = converted(std::as_bytes(std::span(values)), ElementType::f32, ElementType::f16);
    REQUIRE_EQ(halves.size(), 6u);
    CHECK_EQ(load(ElementType::f16, reinterpret_cast<const std::byte*>(halves.data()) + 2), 2048.0);
    CHECK_EQ(load(ElementType::f16, reinterpret_cast<const std::byte*>(halves.data()) + 4), -0.5);
}
