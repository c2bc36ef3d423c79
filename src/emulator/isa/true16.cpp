#include "emulator/isa/true16.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "emulator/isa/decode_line.hpp"

namespace hipemu {
namespace {

using u32 = std::uint32_t;

struct Short {
    std::uint8_t opcode;
    std::string_view mnemonic;
    bool half_source = true;  // or a whole register
};

constexpr std::array kVop1{
    Short{0x0a, "v_cvt_f16_f32", false}, Short{0x1c, "v_mov_b16"}, Short{0x50, "v_cvt_f16_u16"}, Short{0x51, "v_cvt_f16_i16"},
    Short{0x52, "v_cvt_u16_f16"}, Short{0x53, "v_cvt_i16_f16"}, Short{0x54, "v_rcp_f16"}, Short{0x55, "v_sqrt_f16"},
    Short{0x56, "v_rsq_f16"}, Short{0x57, "v_log_f16"}, Short{0x58, "v_exp_f16"}, Short{0x59, "v_frexp_mant_f16"},
    Short{0x5a, "v_frexp_exp_i16_f16"}, Short{0x5b, "v_floor_f16"}, Short{0x5c, "v_ceil_f16"}, Short{0x5d, "v_trunc_f16"},
    Short{0x5e, "v_rndne_f16"}, Short{0x5f, "v_fract_f16"}, Short{0x60, "v_sin_f16"}, Short{0x61, "v_cos_f16"},
    Short{0x62, "v_sat_pk_u8_i16", false}, Short{0x63, "v_cvt_norm_i16_f16"}, Short{0x64, "v_cvt_norm_u16_f16"},
    Short{0x66, "v_swap_b16"}, Short{0x69, "v_not_b16"},
};

constexpr u32 kFmamk = 0x37, kFmaak = 0x38;
constexpr std::array kVop2{
    Short{0x32, "v_add_f16"},     Short{0x33, "v_sub_f16"}, Short{0x34, "v_subrev_f16"}, Short{0x35, "v_mul_f16"},
    Short{0x36, "v_fmac_f16"},    Short{kFmamk, "v_fmamk_f16"}, Short{kFmaak, "v_fmaak_f16"},
    Short{0x39, "v_max_f16"}, Short{0x3a, "v_min_f16"}, Short{0x3b, "v_ldexp_f16"},
};

template <std::size_t N>
const Short* find(const std::array<Short, N>& table, u32 opcode) {
    for (const Short& entry : table)
        if (entry.opcode == opcode) return &entry;
    return nullptr;
}

std::string half_register(u32 number) { return fmt::format("v{}.{}", number & 0x7f, number & 0x80 ? 'h' : 'l'); }

std::string vector_register(u32 number, bool half) { return half ? half_register(number) : fmt::format("v{}", number); }

// What src0 means below 256; 255 is a literal, 233, 234 and 250 are the lane selections of DPP.
constexpr u32 kDpp8 = 233, kDpp8Fetch = 234, kDpp16 = 250, kLiteral = 255;

std::optional<std::string> scalar_source(u32 code, bool half) {
    constexpr std::array<std::string_view, 4> kVccToM0{"null", "m0", "exec_lo", "exec_hi"};
    constexpr std::array<std::string_view, 9> kFloats{"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494"};
    constexpr std::array<u32, 9> kHalves{0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118};
    if (code < 106) return fmt::format("s{}", code);
    if (code < 108) return code == 106 ? "vcc_lo" : "vcc_hi";
    if (code < 124) return fmt::format("ttmp{}", code - 108);
    if (code < 128) return std::string(kVccToM0[code - 124]);
    if (code <= 192) return fmt::format("{}", code - 128);
    if (code <= 208) return fmt::format("-{}", code - 192);
    if (code >= 240 && code <= 248) return half ? fmt::format("{:#x}", kHalves[code - 240]) : std::string(kFloats[code - 240]);
    if (code == 253) return "src_scc";
    return std::nullopt;
}

/// The lane selection and what goes with it, of a DPP16 word.
std::optional<std::string> dpp16_text(u32 word) {
    const u32 control = word >> 8 & 0x1ff, number = control & 0xf;
    std::string text;
    if (control < 0x100) {
        text = fmt::format("quad_perm:[{},{},{},{}]", control & 3, control >> 2 & 3, control >> 4 & 3, control >> 6 & 3);
    } else if (control == 0x140 || control == 0x141) {
        text = control == 0x140 ? "row_mirror" : "row_half_mirror";
    } else {
        switch (control >> 4) {
            case 0x10: text = fmt::format("row_shl:{}", number); break;
            case 0x11: text = fmt::format("row_shr:{}", number); break;
            case 0x12: text = fmt::format("row_ror:{}", number); break;
            case 0x15: text = fmt::format("row_share:{}", number); break;
            case 0x16: text = fmt::format("row_xmask:{}", number); break;
            default: return std::nullopt;
        }
    }
    text += fmt::format(" row_mask:{:#x} bank_mask:{:#x}", word >> 28, word >> 24 & 0xf);
    if (word & 1u << 19) text += " bound_ctrl:1";
    if (word & 1u << 18) text += " fi:1";
    return text;
}

std::string dpp8_text(u32 word, bool fetch) {
    std::string text = "dpp8:[";
    for (unsigned lane = 0; lane < 8; ++lane) text += fmt::format("{}{}", lane == 0 ? "" : ",", word >> (8 + 3 * lane) & 7);
    return text + (fetch ? "] fi:1" : "]");
}

std::string with_signs(std::string operand, bool negative, bool absolute) {
    if (absolute) operand = fmt::format("|{}|", operand);
    return negative ? "-" + operand : operand;
}

/// "v167/*Invalid register, operand has 'VS_32_Lo128' register class*/" is v39.h.
void name_upper_halves(std::string& line) {
    constexpr std::string_view kNote = "/*Invalid register, operand has '";
    for (std::size_t note = line.find(kNote); note != std::string::npos; note = line.find(kNote, note)) {
        const std::size_t end = line.find("*/", note);
        std::size_t start = note;
        while (start > 0 && line[start - 1] >= '0' && line[start - 1] <= '9') --start;
        u32 number = 0;
        std::from_chars(line.data() + start, line.data() + note, number);
        if (end == std::string::npos || start == 0 || line[start - 1] != 'v' || number < 128 ||
            line.substr(note, end - note).find("Lo128") == std::string::npos)
            return;
        line.replace(start - 1, end + 2 - (start - 1), half_register(number));
    }
}

// VOP3 instructions of these numbers have a scalar result where others have op_sel.
bool has_scalar_result(u32 opcode) { return (opcode >= 0x120 && opcode <= 0x122) || (opcode >= 0x2fc && opcode <= 0x302); }

/// comgr 3 leaves out which halves most 16-bit VOP3 instructions take and give: bits 11 to 13 of the first word, a source each, and bit 14.
void name_halves(std::string& line, const ListingLine& cut) {
    if (cut.text.find("16") == std::string_view::npos || cut.text.find("op_sel") != std::string_view::npos) return;
    const std::size_t colon = line.find(": ", line.find("//"));
    if (!cut.has_address || colon == std::string::npos) return;
    u32 word = 0;
    std::from_chars(line.data() + colon + 2, line.data() + line.size(), word, 16);
    const u32 halves = word >> 11 & 0xf;
    if (word >> 26 != 0x35 || halves == 0 || has_scalar_result(word >> 16 & 0x3ff)) return;
    const InstText parts = cut_instruction(cut.text);
    const unsigned sources = parts.operand_count - (parts.mnemonic.starts_with("v_cmpx") ? 0u : 1u);
    std::string list;
    for (unsigned i = 0; i < sources; ++i) list += fmt::format("{},", i < 3 ? halves >> i & 1 : 0);
    const auto end = static_cast<std::size_t>(cut.text.data() + cut.text.size() - line.data());
    line.insert(end, fmt::format(" op_sel:[{}{}]", list, halves >> 3));
}

// The long encoding. Newer compilers write the inline constant 0 into the third source of what has two, which comgr 3 does not know.
enum class Result : std::uint8_t { half, whole, mask, exec };

struct Long {
    std::string mnemonic;
    unsigned sources = 0;   // 0: no such instruction
    Result result = Result::half;
    bool half_sources = true;
};

Long find_comparison(u32 opcode) {
    constexpr std::array<std::string_view, 16> kFloat{"f", "lt", "eq", "le", "gt", "lg", "ge", "o",
                                                      "u", "nge", "nlg", "ngt", "nle", "neq", "nlt", "t"};
    constexpr std::array<std::string_view, 6> kInteger{"lt", "eq", "le", "gt", "ne", "ge"};
    const bool sets_exec = opcode >= 0x80;
    const u32 kind = opcode & 0x7f;
    std::string name;
    if (kind < 0x10) name = fmt::format("{}_f16", kFloat[kind]);
    else if (kind >= 0x31 && kind <= 0x36) name = fmt::format("{}_i16", kInteger[kind - 0x31]);
    else if (kind >= 0x39 && kind <= 0x3e) name = fmt::format("{}_u16", kInteger[kind - 0x39]);
    else if (kind == 0x7d) name = "class_f16";
    else return {};
    return {fmt::format("v_cmp{}_{}_e64", sets_exec ? "x" : "", name), 2, sets_exec ? Result::exec : Result::mask};
}

Long find_long(u32 opcode) {
    constexpr std::array<std::pair<u32, std::string_view>, 16> kTwoSources{{
        {0x303, "v_add_nc_u16"}, {0x304, "v_sub_nc_u16"}, {0x305, "v_mul_lo_u16"}, {0x309, "v_max_u16"}, {0x30a, "v_max_i16"},
        {0x30b, "v_min_u16"}, {0x30c, "v_min_i16"}, {0x30d, "v_add_nc_i16"}, {0x30e, "v_sub_nc_i16"}, {0x338, "v_lshlrev_b16"},
        {0x339, "v_lshrrev_b16"}, {0x33a, "v_ashrrev_i16"}, {0x362, "v_and_b16"}, {0x363, "v_or_b16"}, {0x364, "v_xor_b16"},
        {0x25d, "v_cndmask_b16"},
    }};
    if (opcode < 0x100) return find_comparison(opcode);
    if (opcode == 0x18b) return {"v_cvt_f32_f16_e64", 1, Result::whole};
    if (opcode == 0x1ea) return {"v_cvt_i32_i16_e64", 1, Result::whole};
    if (opcode == 0x1eb) return {"v_cvt_u32_u16_e64", 1, Result::whole};
    if (opcode >= 0x180 && opcode < 0x200)
        if (const Short* entry = find(kVop1, opcode - 0x180)) return {fmt::format("{}_e64", entry->mnemonic), 1, Result::half, entry->half_source};
    if (opcode >= 0x100 && opcode < 0x140)
        if (const Short* entry = find(kVop2, opcode - 0x100)) return {fmt::format("{}_e64", entry->mnemonic), 2};
    for (const auto& [number, mnemonic] : kTwoSources)
        if (number == opcode) return {std::string(mnemonic), number == 0x25d ? 3u : 2u};
    return {};
}

std::string long_text(u32 word, u32 more, u32 literal, unsigned& bytes) {
    const Long entry = find_long(word >> 16 & 0x3ff);
    if (entry.sources == 0) return "";
    bytes = 8;
    const char half = word >> 14 & 1 ? 'h' : 'l';
    std::string text = entry.mnemonic, separator = " ";
    if (entry.result == Result::half) text += fmt::format(" v{}.{}", word & 0xff, half);
    if (entry.result == Result::whole) text += fmt::format(" v{}", word & 0xff);
    if (entry.result == Result::mask) text += " " + scalar_source(word & 0xff, false).value_or("?");
    if (entry.result != Result::exec) separator = ", ";
    for (unsigned i = 0; i < entry.sources; ++i) {
        const u32 source = more >> 9 * i & 0x1ff;
        const bool is_mask = i == 2;
        std::string operand;
        if (source >= 256) {
            operand = fmt::format("v{}", source & 0xff);
            if (entry.half_sources) operand += word >> (11 + i) & 1 ? ".h" : ".l";
        } else if (source == kLiteral) {
            operand = fmt::format("{:#x}", literal);
            bytes = 12;
        } else if (const auto scalar = scalar_source(source, entry.half_sources && !is_mask)) {
            operand = *scalar;
        } else {
            return "";
        }
        text += separator + with_signs(operand, more >> (29 + i) & 1, word >> (8 + i) & 1);
        separator = ", ";
    }
    if (word >> 15 & 1) text += " clamp";
    constexpr std::array<std::string_view, 4> kScales{"", " mul:2", " mul:4", " div:2"};
    return text + std::string(kScales[more >> 27 & 3]);
}

std::string pair_of(u32 bits) { return fmt::format("[{},{}]", bits & 1, bits >> 1 & 1); }

/// Packed operations of two sources, with that constant in the third.
std::string packed_text(u32 word, u32 more, u32 literal, unsigned& bytes) {
    constexpr std::array<std::string_view, 19> kPacked{
        "", "v_pk_mul_lo_u16", "v_pk_add_i16", "v_pk_sub_i16", "v_pk_lshlrev_b16", "v_pk_lshrrev_b16", "v_pk_ashrrev_i16", "v_pk_max_i16",
        "v_pk_min_i16", "", "v_pk_add_u16", "v_pk_sub_u16", "v_pk_max_u16", "v_pk_min_u16", "", "v_pk_add_f16", "v_pk_mul_f16", "v_pk_min_f16",
        "v_pk_max_f16"};
    const u32 opcode = word >> 16 & 0x7f;
    if (opcode >= kPacked.size() || kPacked[opcode].empty()) return "";
    bytes = 8;
    std::string text = fmt::format("{} v{}", kPacked[opcode], word & 0xff);
    for (unsigned i = 0; i < 2; ++i) {
        const u32 source = more >> 9 * i & 0x1ff;
        if (source >= 256) {
            text += fmt::format(", v{}", source & 0xff);
        } else if (source == kLiteral) {
            text += fmt::format(", {:#x}", literal);
            bytes = 12;
        } else {
            const bool is_float = source >= 240 && source <= 248;
            const auto scalar = scalar_source(source, false);
            if (!scalar || (is_float && !kPacked[opcode].ends_with("f16"))) return "";
            text += ", " + *scalar;
        }
    }
    if (const u32 low = word >> 11 & 3; low != 0) text += " op_sel:" + pair_of(low);
    if (const u32 high = more >> 27 & 3; high != 3) text += " op_sel_hi:" + pair_of(high);
    if (const u32 low = more >> 29 & 3; low != 0) text += " neg_lo:" + pair_of(low);
    if (const u32 high = word >> 8 & 3; high != 0) text += " neg_hi:" + pair_of(high);
    return word >> 15 & 1 ? text + " clamp" : text;
}

}  // namespace

std::string true16_text(std::span<const std::byte> code, unsigned& bytes) {
    std::array<u32, 3> words{};
    if (code.size() < 4) return "";
    std::memcpy(words.data(), code.data(), std::min<std::size_t>(code.size(), sizeof words));
    const u32 word = words[0], source = word & 0x1ff;
    if (word >> 26 == 0x35 || word >> 23 == 0x198) {
        const std::string text = word >> 26 == 0x35 ? long_text(word, words[1], words[2], bytes) : packed_text(word, words[1], words[2], bytes);
        return bytes > code.size() ? "" : text;
    }
    const bool one = word >> 25 == 0x3f, two = word >> 31 == 0 && !one;
    const Short* const entry = one ? find(kVop1, word >> 9 & 0xff) : two ? find(kVop2, word >> 25 & 0x3f) : nullptr;
    if (entry == nullptr) return "";
    const u32 opcode = entry->opcode;
    const bool constant_third = two && (opcode == kFmamk || opcode == kFmaak);
    const bool dpp8 = source == kDpp8 || source == kDpp8Fetch, dpp16 = source == kDpp16;
    bytes = constant_third || dpp8 || dpp16 || source == kLiteral ? 8 : 4;
    if (bytes > code.size() || (constant_third && (dpp8 || dpp16))) return "";

    std::string first, suffix = dpp8 || dpp16 ? "_dpp" : "_e32", lanes;
    bool negative = false, absolute = false;
    if (dpp8 || dpp16) {
        first = vector_register(words[1] & 0xff, entry->half_source);
        if (dpp8) {
            lanes = " " + dpp8_text(words[1], source == kDpp8Fetch);
        } else {
            const auto text = dpp16_text(words[1]);
            if (!text) return "";
            lanes = " " + *text;
            first = with_signs(first, words[1] >> 20 & 1, words[1] >> 21 & 1);
            negative = words[1] >> 22 & 1;
            absolute = words[1] >> 23 & 1;
        }
    } else if (source == kLiteral) {
        first = fmt::format("{:#x}", words[1]);
    } else if (source >= 256) {
        first = vector_register(source & 0xff, entry->half_source);
    } else if (const auto text = scalar_source(source, entry->half_source)) {
        first = *text;
    } else {
        return "";
    }
    if (constant_third || entry->mnemonic == "v_swap_b16") suffix = "";

    std::string text = fmt::format("{}{} {}, {}", entry->mnemonic, suffix, half_register(word >> 17 & 0xff), first);
    if (two) {
        const std::string second = with_signs(half_register(word >> 9 & 0xff), negative, absolute);
        const std::string literal = fmt::format("{:#x}", words[1]);
        if (opcode == kFmamk) text += fmt::format(", {}, {}", literal, second);
        if (opcode == kFmaak) text += fmt::format(", {}, {}", second, literal);
        if (!constant_third) text += ", " + second;
    }
    return text + lanes;
}

std::string with_true16(std::string listing, std::span<const std::byte> code, std::uint64_t start) {
    std::string result;
    result.reserve(listing.size() + listing.size() / 8);
    std::uint64_t next = start;     // where the next instruction begins
    std::uint64_t listed = start;   // where comgr thinks so: behind a word that it does not know it goes on with the next word
    for (std::size_t at = 0; at < listing.size();) {
        const std::size_t end = std::min(listing.find('\n', at), listing.size());
        std::string line = listing.substr(at, end - at);
        at = end + 1;
        name_upper_halves(line);
        const ListingLine cut = cut_line(line);
        if (cut.kind == ListingLine::Kind::instruction) {
            const std::uint64_t here = cut.has_address ? cut.address : listed;
            const bool unknown = cut.text == "<unknown>";
            listed = here + (unknown ? 4 : cut.bytes);
            name_halves(line, cut);
            if (here < next && listed <= next) continue;  // the second word of an instruction that was named here
            if (here < next) line = "\t<unknown>";         // comgr took that word for the start of a longer one
            unsigned bytes = 0;
            const std::uint64_t offset = here - start;
            if (unknown && here >= next && offset < code.size()) {
                if (const std::string text = true16_text(code.subspan(offset), bytes); !text.empty()) {
                    line = fmt::format("\t{} // {:012X}:", text, here);
                    for (unsigned i = 0; i < bytes; i += 4) {
                        u32 word = 0;
                        std::memcpy(&word, code.data() + offset + i, sizeof word);
                        line += fmt::format(" {:08X}", word);
                    }
                    next = here + bytes;
                }
            }
            next = std::max(next, listed);
        }
        result += line;
        result += '\n';
    }
    return result;
}

}  // namespace hipemu
