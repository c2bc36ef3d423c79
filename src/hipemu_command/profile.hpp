// A kernel instruction by instruction: how often each ran and what the model says it took. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hipemu::command {

struct ProfiledInstruction {
    std::uint64_t offset = 0;  // in the text section
    std::string text;          // as listed
    std::uint64_t count = 0;   // times that a wave ran it
    double issue_cycles = 0;   // its pipe was taken, in the work-groups that were timed
    double stall_cycles = 0;   // waves waited at it, likewise

    double cycles() const { return issue_cycles + stall_cycles; }
};

struct MnemonicCount {
    std::string mnemonic;
    std::uint64_t count = 0;
    double issue_cycles = 0, stall_cycles = 0;
};

struct Profile {
    std::vector<ProfiledInstruction> instructions;  // in address order

    std::uint64_t count() const;
    double cycles() const;
    /// Most frequent first. How an instruction is encoded ("_e32", "_e64", "_dpp") makes no difference.
    std::vector<MnemonicCount> by_mnemonic() const;
    /// Indices of the `most` that took the most cycles, in address order; those that never ran are not among them.
    std::vector<std::size_t> hottest(std::size_t most) const;
};

/// "v_add_f32" of "v_add_f32_e32 v0, v1, v2".
std::string_view mnemonic_of(std::string_view text);

}  // namespace hipemu::command
