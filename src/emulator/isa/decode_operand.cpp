#include "emulator/isa/decode_operand.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <string>
#include <utility>

namespace hipemu {
namespace {

bool consume(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

bool parse_unsigned(std::string_view& text, unsigned& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

/// "12" or "[12:15]" after a register letter.
bool parse_range(std::string_view text, unsigned& first, unsigned& count) {
    count = 1;
    if (!consume(text, "[")) return parse_unsigned(text, first) && text.empty();
    unsigned last = 0;
    if (!parse_unsigned(text, first)) return false;
    last = first;
    if (consume(text, ":") && !parse_unsigned(text, last)) return false;
    count = last - first + 1;
    return text == "]" && last >= first;
}

struct Named {
    std::string_view name;
    std::uint16_t index;
    std::uint8_t count;
};

// src_* values that follow the state of the wave have numbers beyond the register file; handlers of scalar instructions know them.
constexpr std::array kNamedScalars{
    Named{"vcc_lo", kVccLo, 1},   Named{"vcc_hi", kVccHi, 1},   Named{"vcc", kVccLo, 2},     Named{"exec_lo", kExecLo, 1},
    Named{"exec_hi", kExecHi, 1}, Named{"exec", kExecLo, 2},    Named{"m0", kM0, 1},         Named{"null", kNull, 1},
    Named{"scc", 253, 1},         Named{"src_scc", 253, 1},     Named{"src_vccz", 251, 1},   Named{"vccz", 251, 1},
    Named{"src_execz", 252, 1},   Named{"execz", 252, 1},
};

struct Aperture {
    std::string_view name;
    std::uint64_t value;
};

constexpr std::array kApertures{
    Aperture{"src_shared_base", kSharedAperture},
    Aperture{"src_shared_limit", kSharedAperture | 0xffffffffu},
    Aperture{"src_private_base", kPrivateAperture},
    Aperture{"src_private_limit", kPrivateAperture | 0xffffffffu},
};

struct Numbered {
    std::string_view name;
    unsigned number;
};

constexpr std::array kHardwareRegisters{
    Numbered{"HW_REG_MODE", 1},         Numbered{"HW_REG_STATUS", 2},         Numbered{"HW_REG_TRAPSTS", 3},
    Numbered{"HW_REG_GPR_ALLOC", 5},    Numbered{"HW_REG_LDS_ALLOC", 6},      Numbered{"HW_REG_IB_STS", 7},
    Numbered{"HW_REG_SH_MEM_BASES", 15}, Numbered{"HW_REG_FLAT_SCR_LO", 20},  Numbered{"HW_REG_FLAT_SCR_HI", 21},
    Numbered{"HW_REG_HW_ID1", 23},      Numbered{"HW_REG_HW_ID2", 24},        Numbered{"HW_REG_SHADER_CYCLES", 29},
};

constexpr std::array kMessages{
    Numbered{"MSG_INTERRUPT", 1},          Numbered{"MSG_HS_TESSFACTOR", 2},     Numbered{"MSG_DEALLOC_VGPRS", 3},
    Numbered{"MSG_GS_ALLOC_REQ", 9},       Numbered{"MSG_RTN_GET_DOORBELL", 128}, Numbered{"MSG_RTN_GET_DDID", 129},
    Numbered{"MSG_RTN_GET_TMA", 130},      Numbered{"MSG_RTN_GET_REALTIME", 131}, Numbered{"MSG_RTN_SAVE_WAVE", 132},
    Numbered{"MSG_RTN_GET_TBA", 133},
};

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

template <std::size_t N>
bool number_of(std::string_view text, const std::array<Numbered, N>& names, std::int64_t& value) {
    text = trimmed(text);
    for (const Numbered& entry : names) {
        if (entry.name == text) {
            value = entry.number;
            return true;
        }
    }
    return parse_integer(text, value);
}

/// hwreg(NAME[, offset, size]) as s_getreg and s_setreg encode it: number | offset << 6 | (size - 1) << 11.
bool parse_hwreg(std::string_view text, std::uint64_t& value) {
    if (!consume(text, "hwreg(") || !text.ends_with(")")) return false;
    text.remove_suffix(1);
    std::int64_t parts[3] = {0, 0, 32};
    for (int i = 0; i < 3 && !text.empty(); ++i) {
        const std::size_t comma = text.find(',');
        if (!number_of(text.substr(0, comma), kHardwareRegisters, parts[i])) return false;
        text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    }
    value = static_cast<std::uint64_t>(parts[0] | parts[1] << 6 | (parts[2] - 1) << 11);
    return true;
}

bool parse_message(std::string_view text, std::uint64_t& value) {
    if (!consume(text, "sendmsg(") || !text.ends_with(")")) return false;
    text.remove_suffix(1);
    std::int64_t message = 0;
    if (!number_of(text.substr(0, text.find(',')), kMessages, message)) return false;
    value = static_cast<std::uint64_t>(message);
    return true;
}

std::uint16_t half_bits(float value) {
    // Only the inline constants and what a person writes in a test come here: exact in half precision.
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = bits >> 16 & 0x8000;
    const int exponent = static_cast<int>(bits >> 23 & 0xff) - 127 + 15;
    const std::uint32_t mantissa = bits & 0x7fffff;
    if ((bits & 0x7fffffff) == 0) return static_cast<std::uint16_t>(sign);
    if (exponent >= 31) return static_cast<std::uint16_t>(sign | 0x7c00);
    const std::uint32_t shift = exponent > 0 ? 13 : static_cast<std::uint32_t>(14 - exponent);
    if (shift > 24) return static_cast<std::uint16_t>(sign);
    const std::uint32_t full = exponent > 0 ? (static_cast<std::uint32_t>(exponent) << 23 | mantissa) : (mantissa | 0x800000);
    const std::uint32_t rounded = (full + (1u << (shift - 1)) - 1 + (full >> shift & 1)) >> shift;
    return static_cast<std::uint16_t>(sign | rounded);
}

bool parse_constant(std::string_view text, Type type, Operand& out) {
    out.kind = OperandKind::constant;
    const bool wide = type == Type::b64 || type == Type::f64;
    out.count = wide ? 2 : 1;
    std::int64_t integer = 0;
    if (parse_integer(text, integer)) {
        out.value = static_cast<std::uint64_t>(integer);
        const bool literal = text.find('x') != std::string_view::npos;
        // A 32-bit literal of a double is its high half, of a 64-bit integer its low one.
        if (type == Type::f64 && literal && integer >= 0 && integer <= 0xffffffffll) out.value <<= 32;
        if (!wide) out.value &= 0xffffffffu;
        return true;
    }
    const std::string copy(text);
    char* end = nullptr;
    const double number = std::strtod(copy.c_str(), &end);
    if (end != copy.c_str() + copy.size() || copy.empty()) return false;
    out.value = float_constant_bits(number, type);
    return true;
}

}  // namespace

bool parse_integer(std::string_view text, std::int64_t& value) {
    const bool negative = consume(text, "-");
    const int base = consume(text, "0x") ? 16 : 10;
    std::uint64_t magnitude = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
    if (error != std::errc{} || end != text.data() + text.size()) return false;
    value = static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
    return true;
}

bool parse_swizzle(std::string_view text, std::int64_t& value) {
    if (!consume(text, "swizzle(") || !text.ends_with(")")) return false;
    text.remove_suffix(1);
    const std::size_t comma = text.find(',');
    if (comma == std::string_view::npos) return false;
    const std::string_view mode = trimmed(text.substr(0, comma));
    std::string_view rest = trimmed(text.substr(comma + 1));
    if (mode == "BITMASK_PERM") {  // "01pip", highest bit of the lane number first: clear, set, preserve, invert
        while (rest.starts_with("\"")) rest.remove_prefix(1);
        while (rest.ends_with("\"")) rest.remove_suffix(1);
        if (rest.size() != 5) return false;
        value = 0;
        for (int i = 0; i < 5; ++i) {
            const int bit = 4 - i;
            const char c = rest[static_cast<std::size_t>(i)];
            if (c == 'p' || c == 'i') value |= std::int64_t{1} << bit;
            if (c == '1') value |= std::int64_t{1} << (5 + bit);
            if (c == 'i') value |= std::int64_t{1} << (10 + bit);
        }
        return true;
    }
    std::int64_t numbers[4] = {};
    for (std::int64_t& number : numbers) {
        if (rest.empty()) break;
        const std::size_t next = rest.find(',');
        if (!parse_integer(trimmed(rest.substr(0, next)), number)) return false;
        rest = next == std::string_view::npos ? std::string_view{} : rest.substr(next + 1);
    }
    if (mode == "QUAD_PERM") return value = 0x8000 | numbers[0] | numbers[1] << 2 | numbers[2] << 4 | numbers[3] << 6, true;
    if (mode == "SWAP") return value = 0x1f | numbers[0] << 10, true;
    if (mode == "REVERSE") return value = 0x1f | (numbers[0] - 1) << 10, true;
    if (mode == "BROADCAST") return value = (32 - numbers[0]) | numbers[1] << 5, true;
    if (mode == "ROTATE") return value = 0xc000 | numbers[0] << 10 | numbers[1] << 5, true;
    if (mode == "FFT") return value = 0xe000 | numbers[0], true;
    return false;
}

std::uint64_t float_constant_bits(double value, Type type) {
    const float single = static_cast<float>(value);
    // 1/(2*pi) is printed with fewer digits than its bits have.
    const bool inverse_two_pi = value > 0.1591 && value < 0.1592;
    switch (type) {
        case Type::f64:
        case Type::b64: return inverse_two_pi ? 0x3fc45f306dc9c882ull : std::bit_cast<std::uint64_t>(value);
        case Type::f16:
        case Type::b16:
        case Type::pkf16: return inverse_two_pi ? 0x3118u : half_bits(single);
        case Type::bf16: return inverse_two_pi ? 0x3e22u : std::bit_cast<std::uint32_t>(single) >> 16;
        // Packed integers read the 32 bits of the single, too: 2.0 has a low half of 0.
        default: return inverse_two_pi ? 0x3e22f983u : std::bit_cast<std::uint32_t>(single);
    }
}

bool parse_operand(std::string_view text, Type type, Operand& out) {
    out = Operand{};
    if (text.empty()) return false;
    if (text == "off") {
        out.count = 0;
        return true;
    }
    if (text.size() > 1 && text.front() == '-' && (text[1] < '0' || text[1] > '9')) {
        const bool parsed = parse_operand(text.substr(1), type, out);
        out.neg = true;
        return parsed;
    }
    if (text.starts_with("neg(") && text.back() == ')') {
        const bool parsed = parse_operand(text.substr(4, text.size() - 5), type, out);
        out.neg = true;
        return parsed;
    }
    if (text.size() > 2 && text.front() == '|' && text.back() == '|') {
        const bool parsed = parse_operand(text.substr(1, text.size() - 2), type, out);
        out.abs = true;
        return parsed;
    }
    if (text.starts_with("abs(") && text.back() == ')') {
        const bool parsed = parse_operand(text.substr(4, text.size() - 5), type, out);
        out.abs = true;
        return parsed;
    }

    const char first = text.front();
    if ((first >= '0' && first <= '9') || first == '-') return parse_constant(text, type, out);
    if ((first == 'v' || first == 's') && text.size() > 1 && (text[1] == '[' || (text[1] >= '0' && text[1] <= '9'))) {
        std::string_view range = text.substr(1);
        if (range.ends_with(".l")) out.half = Half::low;
        if (range.ends_with(".h")) out.half = Half::high;
        if (out.half != Half::whole) range.remove_suffix(2);
        unsigned index = 0, count = 0;
        if (!parse_range(range, index, count)) return false;
        if (index + count > (first == 'v' ? 256u : 106u)) return false;
        out.kind = first == 'v' ? OperandKind::vgpr : OperandKind::sgpr;
        out.index = static_cast<std::uint16_t>(index);
        out.count = static_cast<std::uint8_t>(count);
        return true;
    }
    if (text.starts_with("ttmp")) {
        unsigned index = 0, count = 0;
        if (!parse_range(text.substr(4), index, count) || index + count > 16) return false;
        out.kind = OperandKind::sgpr;
        out.index = static_cast<std::uint16_t>(kTtmp0 + index);
        out.count = static_cast<std::uint8_t>(count);
        return true;
    }
    for (const Named& named : kNamedScalars) {
        if (named.name != text) continue;
        out.kind = OperandKind::sgpr;
        out.index = named.index;
        out.count = named.count;
        return true;
    }
    for (const Aperture& aperture : kApertures) {
        if (aperture.name != text) continue;
        out.kind = OperandKind::constant;
        out.count = 2;
        out.value = aperture.value;
        return true;
    }
    if (parse_hwreg(text, out.value) || parse_message(text, out.value)) {
        out.kind = OperandKind::constant;
        return true;
    }
    return false;
}

}  // namespace hipemu
