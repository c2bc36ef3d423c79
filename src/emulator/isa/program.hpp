// The decoded text section of one code object, and the decoder that makes it from a listing. Immutable once made.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/isa/access_shape.hpp"
#include "emulator/isa/inst.hpp"
#include "emulator/isa/wait_counts.hpp"
#include "flashwave/status.hpp"

namespace hipemu {

/// The instructions from one on that no watch wants to see (watch.hpp), up to the first that it does or that ends a block.
struct QuietRun {
    std::uint32_t end = 0;
    RegSet touched;             // by all of them
    ScalarSet scalar_touched;
};

struct Program {
    std::vector<Inst> code;                          // in address order; a last one more stops whoever runs past the end
    std::vector<std::unique_ptr<Inst>> second_halves;  // Y halves of VOPD instructions
    std::vector<std::string> text;                   // code[i] as listed, for findings and traces
    std::uint64_t load_address = 0;                  // device address of text offset 0, for s_getpc and indirect calls
    std::uint32_t text_bytes = 0;

    /// Index of the instruction at a byte offset of the text section, or -1.
    std::int32_t index_of(std::uint64_t offset) const;
    std::vector<std::int32_t> index_by_dword;

    // What the checks and the timing model know of code[i] beforehand (watch.hpp).
    std::vector<AccessShape> accesses;
    std::vector<WaitCounts> waits;
    std::vector<std::uint8_t> marks;
    std::vector<QuietRun> quiet;
};

/// Decodes a comgr listing ("\tmnemonic operands // ADDRESS: words <sym+0x..>"). Lines without an address comment are accepted too and
/// count 4 bytes each, so that tests can write instructions by hand. A mnemonic without semantics is no error here: its Inst
/// stops the wave that reaches it with FaultKind::unknown_instruction. `text_start` is the address that text offset 0 has in the listing.
flashwave::Result<std::shared_ptr<Program>> decode(std::string_view listing, std::string_view target, std::uint64_t text_start);

/// Lets the instructions of a program obey a MODE other than the usual one, at the cost of speed; decode does so where the text changes it.
void obey_mode(Program& program);

/// True if the mnemonic (with or without encoding suffix) has semantics for the target.
bool has_semantics(std::string_view mnemonic, std::string_view target);

/// Every mnemonic with semantics, without encoding suffix.
std::vector<std::string_view> known_mnemonics();

}  // namespace hipemu
