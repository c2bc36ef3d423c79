// One field list of a struct, and all that follows from it: text, parser, comparison, JSON, flag names, hash input.
//
//     struct Candidate {
//         Staging staging; int block_q; bool prefetch;
//         static constexpr std::string_view kFieldsOf = "candidate";
//         static constexpr auto fields() {
//             return std::tuple{field("staging", &Candidate::staging), field("block_q", &Candidate::block_q), ...};
//         }
//     };
//     constexpr auto enum_names(Staging) {  // found by its argument; the names are what is stored
//         return std::array{EnumName{Staging::lds, "lds"}, EnumName{Staging::registers, "registers"}};
//     }
//
// A field is an integer, a bool, an enum with enum_names(), a std::string or a ShortText. The text form is canonical:
// "staging=lds,block_q=64,prefetch=true". Pure functions.
#pragma once

#include <charconv>
#include <compare>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "base/short_text.hpp"
#include "flashwave/status.hpp"

namespace flashwave {

template <class E>
struct EnumName {
    E value;
    std::string_view name;
};
template <class E>
EnumName(E, const char*) -> EnumName<E>;

template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E value) { enum_names(value); };

template <class Struct, class Value>
struct Field {
    std::string_view name;
    Value Struct::*member;
};

template <class Struct, class Value>
constexpr Field<Struct, Value> field(std::string_view name, Value Struct::*member) {
    return {name, member};
}

template <class T>
concept Described = requires {
    T::fields();
    { T::kFieldsOf } -> std::convertible_to<std::string_view>;
};

/// Calls visit(name, value) for each field, in order; the values are references into `object`.
template <class T, class Visit>
constexpr void for_each_field(T& object, Visit&& visit) {
    std::apply([&](const auto&... one) { (visit(one.name, object.*(one.member)), ...); }, std::remove_const_t<T>::fields());
}

template <NamedEnum E>
constexpr std::string_view enum_name(E value) {
    for (const auto& entry : enum_names(E{}))
        if (entry.value == value) return entry.name;
    return "?";
}

namespace detail {

using NamedValues = std::vector<std::pair<std::string, std::string>>;

// Characters that would end a value are written as %XX.
std::string escape_value(std::string_view value);
std::string quote_json(std::string_view value);
/// "a=1,b=x" into names and values.
Result<NamedValues> split_text(std::string_view text, std::string_view what);
/// A flat JSON object, numbers and booleans as they stand, strings without their quotes.
Result<NamedValues> split_json(std::string_view text, std::string_view what);

Status unknown_field(std::string_view what, std::string_view name, const std::vector<std::string_view>& known);
Status missing_field(std::string_view what, std::string_view name);
Status repeated_field(std::string_view what, std::string_view name);
Status bad_value(std::string_view what, std::string_view name, std::string_view value, std::string_view allowed);

template <class V>
std::string value_text(const V& value) {
    if constexpr (std::same_as<V, bool>) return value ? "true" : "false";
    else if constexpr (std::integral<V>) return std::to_string(value);
    else if constexpr (NamedEnum<V>) return std::string(enum_name(value));
    else return std::string(std::string_view(value));
}

/// "" where the text was understood, otherwise what is allowed.
template <class V>
std::string assign_value(V& value, std::string_view text) {
    if constexpr (std::same_as<V, bool>) {
        if (text != "true" && text != "false") return "true or false";
        value = text == "true";
    } else if constexpr (std::integral<V>) {
        V parsed{};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
        if (error != std::errc() || end != text.data() + text.size())
            return "an integer from " + std::to_string(std::numeric_limits<V>::min()) + " to " + std::to_string(std::numeric_limits<V>::max());
        value = parsed;
    } else if constexpr (NamedEnum<V>) {
        std::string allowed = "one of";
        for (const auto& entry : enum_names(V{})) {
            if (entry.name == text) {
                value = entry.value;
                return {};
            }
            allowed.append(allowed.size() > 6 ? ", " : " ").append(entry.name);
        }
        return allowed;
    } else if constexpr (std::same_as<V, std::string>) {
        value = std::string(text);
    } else {
        if (!value.assign(text)) return "at most " + std::to_string(V::kCapacity) + " characters";
    }
    return {};
}

inline std::uint64_t mix(std::uint64_t state, std::uint64_t value) {
    // The finaliser of SplitMix64 over a running sum: every bit of a field reaches every bit of the result.
    state += value + 0x9e3779b97f4a7c15u;
    state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
    state = (state ^ (state >> 27)) * 0x94d049bb133111ebu;
    return state ^ (state >> 31);
}

template <class V>
std::uint64_t mix_value(std::uint64_t state, const V& value) {
    if constexpr (std::integral<V> || std::is_enum_v<V>) {
        return mix(state, static_cast<std::uint64_t>(value));
    } else {
        const std::string_view text(value);
        state = mix(state, text.size());
        for (std::size_t i = 0; i < text.size(); i += 8) {
            std::uint64_t word = 0;
            for (std::size_t j = i; j < text.size() && j < i + 8; ++j) word = word << 8 | static_cast<unsigned char>(text[j]);
            state = mix(state, word);
        }
        return state;
    }
}

}  // namespace detail

template <Described T>
std::vector<std::string_view> field_names() {
    std::vector<std::string_view> names;
    std::apply([&](const auto&... one) { (names.push_back(one.name), ...); }, T::fields());
    return names;
}

/// The command line's word for a field: "block_q" -> "--block-q".
std::string flag_name(std::string_view field_name);

/// Sets one field from its text; a sentence for an unknown name or a value that is not allowed.
template <Described T>
Status set_field(T& object, std::string_view name, std::string_view text) {
    bool found = false;
    std::string allowed;
    for_each_field(object, [&](std::string_view field_name, auto& value) {
        if (field_name != name) return;
        found = true;
        allowed = detail::assign_value(value, text);
    });
    if (!found) return detail::unknown_field(T::kFieldsOf, name, field_names<T>());
    if (!allowed.empty()) return detail::bad_value(T::kFieldsOf, name, text, allowed);
    return {};
}

template <Described T>
std::string to_text(const T& object) {
    std::string text;
    for_each_field(object, [&](std::string_view name, const auto& value) {
        if (!text.empty()) text.push_back(',');
        text.append(name).append("=").append(detail::escape_value(detail::value_text(value)));
    });
    return text;
}

/// One line, no spaces, fields in order: this text is stored and compared.
template <Described T>
std::string to_json(const T& object) {
    std::string text = "{";
    for_each_field(object, [&]<class V>(std::string_view name, const V& value) {
        if (text.size() > 1) text.push_back(',');
        text.append("\"").append(name).append("\":");
        text.append(std::integral<V> ? detail::value_text(value) : detail::quote_json(detail::value_text(value)));
    });
    return text.append("}");
}

namespace detail {

template <Described T>
Result<T> from_named_values(Result<NamedValues> values, T object, bool all_required) {
    if (!values.ok()) return values.status();
    std::vector<std::string_view> missing = field_names<T>();
    for (const auto& [name, value] : *values) {
        FLASHWAVE_RETURN_IF_ERROR(set_field(object, name, value));
        if (std::erase(missing, std::string_view(name)) == 0) return repeated_field(T::kFieldsOf, name);
    }
    if (all_required && !missing.empty()) return missing_field(T::kFieldsOf, missing.front());
    return object;
}

}  // namespace detail

/// Every field must be there, in any order.
template <Described T>
Result<T> parse_text(std::string_view text) {
    return detail::from_named_values<T>(detail::split_text(text, T::kFieldsOf), T{}, true);
}
template <Described T>
Result<T> parse_json(std::string_view text) {
    return detail::from_named_values<T>(detail::split_json(text, T::kFieldsOf), T{}, true);
}
/// Fields that are not named keep their value in `defaults`.
template <Described T>
Result<T> parse_text_over(T defaults, std::string_view text) {
    return detail::from_named_values<T>(detail::split_text(text, T::kFieldsOf), std::move(defaults), false);
}
template <Described T>
Result<T> parse_json_over(T defaults, std::string_view text) {
    return detail::from_named_values<T>(detail::split_json(text, T::kFieldsOf), std::move(defaults), false);
}

template <Described T>
std::strong_ordering compare_fields(const T& left, const T& right) {
    std::strong_ordering order = std::strong_ordering::equal;
    std::apply(
        [&](const auto&... one) {
            ((order == std::strong_ordering::equal ? void(order = left.*(one.member) <=> right.*(one.member)) : void()), ...);
        },
        T::fields());
    return order;
}

template <Described T>
bool equal_fields(const T& left, const T& right) {
    return std::apply([&](const auto&... one) { return ((left.*(one.member) == right.*(one.member)) && ...); }, T::fields());
}

/// For tables in memory, on the hit path: no allocation. Never stored.
template <Described T>
std::uint64_t quick_hash(const T& object) {
    std::uint64_t state = 0;
    for_each_field(object, [&](std::string_view, const auto& value) { state = detail::mix_value(state, value); });
    return state;
}

/// Adds names and values, so that a renamed or added field changes the fingerprint.
template <Described T>
void hash_fields(Sha256& hash, const T& object) {
    hash.field(T::kFieldsOf);
    for_each_field(object, [&](std::string_view name, const auto& value) { hash.field(name).field(detail::value_text(value)); });
}

}  // namespace flashwave
