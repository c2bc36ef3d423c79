// Every instruction that a target has: each opcode of each encoding, with operands that any of them accepts, put into a code object as
// raw words and named by the disassembler. One thread.
#pragma once

#include <set>
#include <string>

namespace hip_test {

/// The mnemonics, encoding suffixes stripped, both halves of VOPD among them. A failure ends the test case.
std::set<std::string> instructions_of(const std::string& target);

/// The listing that those names come from.
const std::string& listing_of_all_instructions(const std::string& target);

}  // namespace hip_test
