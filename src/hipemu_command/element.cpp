#include "hipemu_command/element.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/float16.hpp"

namespace hipemu::command {

using flashwave::Code;
using flashwave::Result;
using flashwave::Status;

namespace {

struct Row {
    ElementType type;
    std::string_view name;
    std::size_t size;
    std::string_view npy;
};

// In the order of ElementType.
constexpr std::array kRows{
    Row{ElementType::i8, "i8", 1, "|i1"},   Row{ElementType::u8, "u8", 1, "|u1"},   Row{ElementType::i16, "i16", 2, "<i2"},
    Row{ElementType::u16, "u16", 2, "<u2"}, Row{ElementType::f16, "f16", 2, "<f2"}, Row{ElementType::bf16, "bf16", 2, "<u2"},
    Row{ElementType::i32, "i32", 4, "<i4"}, Row{ElementType::u32, "u32", 4, "<u4"}, Row{ElementType::f32, "f32", 4, "<f4"},
    Row{ElementType::i64, "i64", 8, "<i8"}, Row{ElementType::u64, "u64", 8, "<u8"}, Row{ElementType::f64, "f64", 8, "<f8"},
};

const Row& row_of(ElementType type) { return kRows[static_cast<std::size_t>(type)]; }

/// Calls `use` with a value of the C++ type that holds an element; f16 and bf16 are left to the caller.
template <class Use>
void with_native(ElementType type, Use use) {
    switch (type) {
        case ElementType::i8: use(std::int8_t{}); break;
        case ElementType::u8: use(std::uint8_t{}); break;
        case ElementType::i16: use(std::int16_t{}); break;
        case ElementType::u16: use(std::uint16_t{}); break;
        case ElementType::i32: use(std::int32_t{}); break;
        case ElementType::u32: use(std::uint32_t{}); break;
        case ElementType::f32: use(float{}); break;
        case ElementType::i64: use(std::int64_t{}); break;
        case ElementType::u64: use(std::uint64_t{}); break;
        case ElementType::f64: use(double{}); break;
        case ElementType::f16:
        case ElementType::bf16: break;
    }
}

bool is_half(ElementType type) { return type == ElementType::f16 || type == ElementType::bf16; }

template <class Integer>
Integer nearest(double value) {
    // The limits of 64-bit types are no doubles: what rounds beyond them is cut.
    if (std::isnan(value)) return 0;
    if (value <= static_cast<double>(std::numeric_limits<Integer>::min())) return std::numeric_limits<Integer>::min();
    if (value >= static_cast<double>(std::numeric_limits<Integer>::max())) return std::numeric_limits<Integer>::max();
    return static_cast<Integer>(std::nearbyint(value));
}

/// Whether a JSON integer is a value of the type.
template <class Integer>
bool fits(const nlohmann::json& value) {
    if (value.is_number_unsigned())
        return value.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<Integer>::max());
    const auto number = value.get<std::int64_t>();
    if (number < 0) return std::is_signed_v<Integer> && number >= static_cast<std::int64_t>(std::numeric_limits<Integer>::min());
    return static_cast<std::uint64_t>(number) <= static_cast<std::uint64_t>(std::numeric_limits<Integer>::max());
}

std::optional<double> float_of(const nlohmann::json& value) {
    if (value.is_number()) return value.get<double>();
    if (!value.is_string()) return std::nullopt;
    const auto& text = value.get_ref<const std::string&>();
    if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (text == "inf") return std::numeric_limits<double>::infinity();
    if (text == "-inf") return -std::numeric_limits<double>::infinity();
    return std::nullopt;
}

}  // namespace

std::string_view name_of(ElementType type) { return row_of(type).name; }
std::size_t size_of(ElementType type) { return row_of(type).size; }
std::string_view npy_type(ElementType type) { return row_of(type).npy; }
bool is_float(ElementType type) { return row_of(type).name.find('f') != std::string_view::npos; }

std::string all_types() {
    std::string names;
    for (const Row& row : kRows) names += (names.empty() ? "" : ", ") + std::string(row.name);
    return names;
}

std::optional<ElementType> find_type(std::string_view name) {
    const auto row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& one) { return one.name == name; });
    return row == kRows.end() ? std::nullopt : std::optional(row->type);
}

std::optional<ElementType> type_of_npy(std::string_view descr) {
    if (descr == "|V2" || descr == "<V2") return ElementType::bf16;
    if (descr == "|b1") return ElementType::u8;
    // One byte has no byte order, and '=' is this machine's: NumPy writes neither, other writers do.
    for (const Row& row : kRows)
        if (descr.size() == 3 && descr.substr(1) == row.npy.substr(1)) return row.type;
    return std::nullopt;
}

void store(ElementType type, double value, std::byte* to) {
    if (is_half(type)) {
        const auto single = static_cast<float>(value);
        const std::uint16_t bits = type == ElementType::f16 ? flashwave::float_to_f16(single) : flashwave::float_to_bf16(single);
        std::memcpy(to, &bits, sizeof bits);
        return;
    }
    with_native(type, [&]<class Native>(Native element) {
        if constexpr (std::is_floating_point_v<Native>) element = static_cast<Native>(value);
        else element = nearest<Native>(value);
        std::memcpy(to, &element, sizeof element);
    });
}

double load(ElementType type, const std::byte* from) {
    if (is_half(type)) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, from, sizeof bits);
        return type == ElementType::f16 ? flashwave::f16_to_float(bits) : flashwave::bf16_to_float(bits);
    }
    double value = 0;
    with_native(type, [&]<class Native>(Native element) {
        std::memcpy(&element, from, sizeof element);
        value = static_cast<double>(element);
    });
    return value;
}

Result<std::string> bytes_of(ElementType type, const nlohmann::json& value, std::string_view what) {
    std::string bytes(size_of(type), '\0');
    auto* const to = reinterpret_cast<std::byte*>(bytes.data());
    if (is_float(type)) {
        const auto number = float_of(value);
        if (!number)
            return Status(Code::invalid_argument,
                          fmt::format("{} is {}; a number, \"nan\", \"inf\" or \"-inf\" is needed", what, value.dump()));
        store(type, *number, to);
        return bytes;
    }
    bool good = value.is_number_integer();
    with_native(type, [&]<class Native>(Native element) {
        if constexpr (std::is_integral_v<Native>) {
            good = good && fits<Native>(value);
            if (!good) return;
            element = value.get<Native>();
            std::memcpy(to, &element, sizeof element);
        }
    });
    if (!good)
        return Status(Code::invalid_argument,
                      fmt::format("{} is {}; an integer that {} holds is needed", what, value.dump(), name_of(type)));
    return bytes;
}

std::string converted(std::span<const std::byte> from, ElementType source, ElementType target) {
    const std::size_t count = from.size() / size_of(source);
    std::string to(count * size_of(target), '\0');
    for (std::size_t i = 0; i < count; ++i)
        store(target, load(source, from.data() + i * size_of(source)),
              reinterpret_cast<std::byte*>(to.data()) + i * size_of(target));
    return to;
}

}  // namespace hipemu::command
