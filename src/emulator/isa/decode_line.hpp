// Cuts one line of a comgr listing into mnemonic, operands, modifiers, address and size. Views into the line; nothing is copied.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "emulator/isa/inst.hpp"

namespace hipemu {

struct ListingLine {
    enum class Kind : std::uint8_t { empty, label, instruction };
    Kind kind = Kind::empty;
    std::string_view text;      // mnemonic and operands, or the label's name
    bool has_address = false;
    std::uint64_t address = 0;
    std::uint8_t bytes = 4;
    bool has_word = false;
    std::uint32_t word = 0;     // the first of its encoding
};

ListingLine cut_line(std::string_view line);

/// The text of one instruction (one half of a VOPD).
struct InstText {
    std::string_view mnemonic;
    std::array<std::string_view, 8> operands;
    unsigned operand_count = 0;
    std::string_view modifiers;  // what follows the last operand
};

InstText cut_instruction(std::string_view text);

/// Adds what "offset:16 glc op_sel:[0,1]" says to `mod`; false at a word that is not known.
bool parse_modifiers(std::string_view text, Modifiers& mod);

/// The mnemonic without _e32, _e64, _dpp, _e64_dpp.
std::string_view base_mnemonic(std::string_view mnemonic);

}  // namespace hipemu
