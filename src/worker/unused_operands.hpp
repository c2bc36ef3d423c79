// Code objects of newer compilers than the disassembler at hand.
//
// A VOP3 instruction with fewer than three sources leaves source fields unused. Hardware ignores them; LLVM 21 writes and expects 0
// there, later versions write 0x80 (the inline constant 0), which LLVM 21 lists as `<unknown>`. Needed until the oldest comgr
// in use reads both.
#pragma once

#include <string>
#include <string_view>

namespace flashwave {

/// Sets such fields to 0 in `code_object` at each place that `listing` could not name. Returns how many instructions changed; the listing
/// has to be made again when there are any, since it may have lost its step behind one.
int clear_unused_operands(std::string& code_object, std::string_view listing);

}  // namespace flashwave
