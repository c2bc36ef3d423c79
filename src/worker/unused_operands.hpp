// Code objects of newer compilers than the disassembler at hand.
//
// An instruction with fewer operands than its encoding has room for leaves fields unused. Hardware ignores them; LLVM 21 writes and expects
// 0 there and lists anything else as `<unknown>`. Later versions write 0x80 (the inline constant 0) into the spare source fields of
// VOP3; hand-made code has what it likes in the destination of a DS instruction without a result and in the second source of a
// VOPD move. Needed until the oldest comgr in use reads them all.
#pragma once

#include <string>
#include <string_view>

namespace flashwave {

/// Sets such fields to 0 in `code_object` at each place that `listing` could not name. Returns how many instructions changed; the listing
/// has to be made again when there are any, since it may have lost its step behind one.
int clear_unused_operands(std::string& code_object, std::string_view listing);

}  // namespace flashwave
