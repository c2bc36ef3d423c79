#include "emulator/isa/decode_line.hpp"

#include <charconv>

#include "emulator/isa/decode_operand.hpp"

namespace hipemu {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

/// "000000001858: BFA204D4 F8000000 <fwd+0x13A8>"
void read_address_comment(std::string_view comment, ListingLine& line) {
    comment = trimmed(comment);
    std::uint64_t address = 0;
    const char* const end = comment.data() + comment.size();
    const auto [after, error] = std::from_chars(comment.data(), end, address, 16);
    if (error != std::errc{} || after == end || *after != ':') return;
    line.has_address = true;
    line.address = address;
    unsigned words = 0;
    const char* p = after + 1;
    while (p < end) {
        while (p < end && is_blank(*p)) ++p;
        const char* word = p;
        while (p < end && ((*p >= '0' && *p <= '9') || (*p >= 'A' && *p <= 'F') || (*p >= 'a' && *p <= 'f'))) ++p;
        if (p - word != 8) break;
        if (words == 0) line.has_word = std::from_chars(word, p, line.word, 16).ec == std::errc{};
        ++words;
    }
    if (words > 0) line.bytes = static_cast<std::uint8_t>(4 * words);
}

/// Packs "[1,0,3]" as one bit (or `bits` bits) an entry, the first entry lowest.
bool parse_list(std::string_view text, unsigned bits, std::uint32_t& value) {
    if (text.size() < 2 || text.front() != '[' || text.back() != ']') return false;
    text = text.substr(1, text.size() - 2);
    value = 0;
    for (unsigned shift = 0; !text.empty(); shift += bits) {
        const std::size_t comma = text.find(',');
        std::int64_t entry = 0;
        if (!parse_integer(trimmed(text.substr(0, comma)), entry) || shift >= 32) return false;
        value |= static_cast<std::uint32_t>(entry) << shift;
        text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    }
    return true;
}

bool set_row(Modifiers& mod, DppControl control, std::uint32_t value) {
    mod.dpp = control;
    mod.dpp_value = value;
    return true;
}

bool parse_modifier(std::string_view name, std::string_view argument, Modifiers& mod) {
    if (argument.empty()) {
        if (name == "glc") return mod.glc = true;
        if (name == "slc") return mod.slc = true;
        if (name == "dlc") return mod.dlc = true;
        if (name == "gds") return mod.gds = true;
        if (name == "offen") return mod.offen = true;
        if (name == "idxen") return mod.idxen = true;
        if (name == "clamp") return mod.clamp = true;
        if (name == "row_mirror") return set_row(mod, DppControl::row_mirror, 0);
        if (name == "row_half_mirror") return set_row(mod, DppControl::row_half_mirror, 0);
        return false;
    }
    std::uint32_t list = 0;
    if (argument.front() == '[') {
        const unsigned bits = name == "quad_perm" ? 2 : name == "dpp8" ? 3 : 1;
        if (!parse_list(argument, bits, list)) return false;
        const auto flags = static_cast<std::uint8_t>(list);
        if (name == "op_sel") return mod.op_sel = flags, true;
        if (name == "op_sel_hi") return mod.op_sel_hi = flags, true;
        if (name == "neg_lo") return mod.neg_lo = flags, true;
        if (name == "neg_hi") return mod.neg_hi = flags, true;
        if (name == "quad_perm") return set_row(mod, DppControl::quad_perm, list);
        if (name == "dpp8") return set_row(mod, DppControl::dpp8, list);
        return false;
    }
    std::int64_t value = 0;
    if (!parse_integer(argument, value) && !parse_swizzle(argument, value)) return false;
    const auto number = static_cast<std::uint32_t>(value);
    if (name == "offset" || name == "offset0") return mod.offset = static_cast<std::int32_t>(value), true;
    if (name == "offset1") return mod.offset1 = static_cast<std::int32_t>(value), true;
    if (name == "mul") return mod.omod = value == 2 ? 1 : 2, value == 2 || value == 4;
    if (name == "div") return mod.omod = 3, value == 2;
    if (name == "row_shl") return set_row(mod, DppControl::row_shl, number);
    if (name == "row_shr") return set_row(mod, DppControl::row_shr, number);
    if (name == "row_ror") return set_row(mod, DppControl::row_ror, number);
    if (name == "row_share") return set_row(mod, DppControl::row_share, number);
    if (name == "row_xmask") return set_row(mod, DppControl::row_xmask, number);
    if (name == "row_mask") return mod.row_mask = static_cast<std::uint8_t>(value), true;
    if (name == "bank_mask") return mod.bank_mask = static_cast<std::uint8_t>(value), true;
    if (name == "bound_ctrl") return mod.bound_ctrl = true;  // printed only when set, as :1 (:0 by old assemblers)
    if (name == "fi") return mod.fetch_inactive = value != 0, true;
    return name == "wait_exp" || name == "wait_vdst";
}

}  // namespace

ListingLine cut_line(std::string_view line) {
    ListingLine result;
    const std::size_t comment = line.find("//");
    if (comment != std::string_view::npos) {
        read_address_comment(line.substr(comment + 2), result);
        line = line.substr(0, comment);
    }
    const std::size_t semicolon = line.find(';');
    if (semicolon != std::string_view::npos) line = line.substr(0, semicolon);
    line = trimmed(line);
    if (line.empty() || line.starts_with("Disassembly of section") || line.find("file format") != std::string_view::npos) return result;
    if (line.back() == ':' && line.find(' ') == std::string_view::npos) {
        result.kind = ListingLine::Kind::label;
        result.text = line.substr(0, line.size() - 1);
        return result;
    }
    if (line.ends_with(">:")) {  // "0000000000001800 <fwd>:"
        const std::size_t open = line.find('<');
        if (open == std::string_view::npos) return result;
        result.kind = ListingLine::Kind::label;
        result.text = line.substr(open + 1, line.size() - open - 3);
        return result;
    }
    result.kind = ListingLine::Kind::instruction;
    result.text = line;
    return result;
}

InstText cut_instruction(std::string_view text) {
    InstText result;
    const std::size_t space = text.find_first_of(" \t");
    result.mnemonic = text.substr(0, space);
    if (space == std::string_view::npos) return result;
    text = trimmed(text.substr(space));

    // A comma outside brackets ends an operand; a space outside brackets that follows no comma ends the last one.
    while (!text.empty() && result.operand_count < result.operands.size()) {
        int depth = 0;
        std::size_t end = 0;
        for (; end < text.size(); ++end) {
            const char c = text[end];
            if (c == '[' || c == '(') ++depth;
            if (c == ']' || c == ')') --depth;
            if (depth == 0 && (c == ',' || is_blank(c))) break;
        }
        result.operands[result.operand_count++] = text.substr(0, end);
        if (end == text.size()) return result;
        const bool comma = text[end] == ',';
        text = trimmed(text.substr(end + 1));
        if (!comma) {
            if (!text.empty() && text.front() == ',') {
                text = trimmed(text.substr(1));
                continue;
            }
            result.modifiers = text;
            return result;
        }
    }
    return result;
}

bool parse_modifiers(std::string_view text, Modifiers& mod) {
    while (!text.empty()) {
        int depth = 0;
        std::size_t end = 0;
        for (; end < text.size(); ++end) {
            if (text[end] == '[' || text[end] == '(') ++depth;
            if (text[end] == ']' || text[end] == ')') --depth;
            if (depth == 0 && is_blank(text[end])) break;
        }
        const std::string_view word = text.substr(0, end);
        text = trimmed(text.substr(end));
        const std::size_t colon = word.find(':');
        const std::string_view argument = colon == std::string_view::npos ? std::string_view{} : word.substr(colon + 1);
        if (!parse_modifier(word.substr(0, colon), argument, mod)) return false;
    }
    return true;
}

std::string_view base_mnemonic(std::string_view mnemonic) {
    if (mnemonic.ends_with("_dpp")) mnemonic.remove_suffix(4);
    if (mnemonic.ends_with("_e32") || mnemonic.ends_with("_e64")) mnemonic.remove_suffix(4);
    return mnemonic;
}

}  // namespace hipemu
