// 16-bit instructions that address the upper half of a vector register, as compilers from LLVM 22 on use them for gfx1150 and gfx1151, named
// from their words where comgr 3 does not: in a short encoding bit 7 of a register's number says "upper half", which it lists as <unknown> or
// as a register that is "invalid"; in the long one it leaves op_sel out. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace hipemu {

/// The text of the instruction that `code` begins with, as newer compilers list it ("v_mov_b16_e32 v39.h, v104.l"), and its size in
/// `bytes`; empty if it is none of those.
std::string true16_text(std::span<const std::byte> code, unsigned& bytes);

/// A listing with those instructions named. `code` is the text section, which begins at `start`.
std::string with_true16(std::string listing, std::span<const std::byte> code, std::uint64_t start);

}  // namespace hipemu
