// The size of the elements that a load or store moves, as the instructions around it tell. ROCm lets loads and stores of gfx11 take any address,
// in LDS as well (SH_MEM_CONFIG.alignment_mode; LLVM's feature unaligned-access-mode), and compilers count on it: four neighbouring bytes
// become one word, wherever they lie. Such a word is taken apart behind its load, or was put together before its store; one that is used whole
// was meant to be a word, and an odd address of it is a mistake that the card forgives.
#pragma once

#include <cstddef>

namespace hipemu {

struct Inst;
struct Program;

/// Whether a source of a store is what it stores, not a part of the address.
bool is_stored(const Inst& store, unsigned source);

/// Where the next function begins behind code[index]: at a multiple of 256 bytes, behind an end or what fills gaps.
std::size_t end_of_function(const Program& program, std::size_t index);

/// The smallest elements that code[first] to code[end - 1] take out of LDS.
unsigned element_in_lds(const Program& program, std::size_t first, std::size_t end);

/// 1 or 2 where code[index], a load or store of vector registers, moves bytes or halves; 4 where nothing says so. Looks through straight-line
/// code and over branches as the code lies, not as it runs. A word that goes on to LDS consists of what is taken out of there: `in_lds`.
unsigned element_size(const Program& program, std::size_t index, unsigned in_lds);

}  // namespace hipemu
