// The element types of buffers and scalar arguments: their names, sizes, NumPy's names for them, and their values as numbers. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "flashwave/status.hpp"

namespace hipemu::command {

enum class ElementType : std::uint8_t { i8, u8, i16, u16, f16, bf16, i32, u32, f32, i64, u64, f64 };

std::string_view name_of(ElementType type);
std::size_t size_of(ElementType type);
bool is_float(ElementType type);

/// "i8, u8, ...": what a message offers.
std::string all_types();
std::optional<ElementType> find_type(std::string_view name);

/// NumPy's name, "<f4". bf16 has none: its bits are "<u2".
std::string_view npy_type(ElementType type);
/// The type of the elements that a .npy file calls so; "|V2" is bf16, "|b1" u8.
std::optional<ElementType> type_of_npy(std::string_view descr);

/// `value` rounded to the type; an integer type takes the nearest integer in its range.
void store(ElementType type, double value, std::byte* to);
double load(ElementType type, const std::byte* from);

/// The bytes of a JSON number, or of "nan", "inf" and "-inf" for floating-point types. Integers must fit exactly. `what` names the value in the
/// message.
flashwave::Result<std::string> bytes_of(ElementType type, const nlohmann::json& value, std::string_view what);

/// The elements of one array as those of another type, each rounded once.
std::string converted(std::span<const std::byte> from, ElementType source, ElementType target);

}  // namespace hipemu::command
