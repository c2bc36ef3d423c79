// Bitwise logic of scalars, alone and with EXEC. SCC: the result is not zero.
#include <array>
#include <cstdint>

#include "emulator/exec/scalar_rows.hpp"

namespace hipemu {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

enum class Logic { and_, or_, xor_, nand, nor, xnor, and_not1, or_not1, and_not0, or_not0 };

template <Logic logic, class Word>
Word combine(Word a, Word b) {
    switch (logic) {
        case Logic::and_: return a & b;
        case Logic::or_: return a | b;
        case Logic::xor_: return a ^ b;
        case Logic::nand: return ~(a & b);
        case Logic::nor: return ~(a | b);
        case Logic::xnor: return ~(a ^ b);
        case Logic::and_not1: return a & ~b;
        case Logic::or_not1: return a | ~b;
        case Logic::and_not0: return ~a & b;
        case Logic::or_not0: return ~a | b;
    }
    return 0;
}

template <Logic logic, class Word>
Word logic_op(Word a, Word b, bool& scc) {
    const Word result = combine<logic>(a, b);
    scc = result != 0;
    return result;
}

template <class Word>
Word not_op(Word a, bool& scc) {
    const Word result = ~a;
    scc = result != 0;
    return result;
}

/// D = EXEC; EXEC = S0 op EXEC; SCC = EXEC is not 0.
template <Logic logic>
void exec_saveexec32(Wave& wave, const Inst& inst) {
    const u32 source = scalar_word(wave, inst.src[0]);
    const u32 saved = wave.s[kExecLo];
    set_scalar_word(wave, inst.dst[0], saved);
    wave.s[kExecLo] = combine<logic>(source, saved);
    wave.scc = wave.s[kExecLo] != 0;
}

template <Logic logic>
void exec_saveexec64(Wave& wave, const Inst& inst) {
    const u64 source = scalar_pair(wave, inst.src[0]);
    const u64 saved = wave.s[kExecLo] | u64{wave.s[kExecHi]} << 32;
    const u64 exec = combine<logic>(source, saved);
    set_scalar_pair(wave, inst.dst[0], saved);
    wave.s[kExecLo] = static_cast<u32>(exec);
    wave.s[kExecHi] = static_cast<u32>(exec >> 32);
    wave.scc = exec != 0;
}

/// EXEC = S0 op EXEC; D = EXEC.
template <Logic logic>
void exec_wrexec32(Wave& wave, const Inst& inst) {
    const u32 exec = combine<logic>(scalar_word(wave, inst.src[0]), wave.s[kExecLo]);
    wave.s[kExecLo] = exec;
    set_scalar_word(wave, inst.dst[0], exec);
    wave.scc = exec != 0;
}

template <Logic logic>
void exec_wrexec64(Wave& wave, const Inst& inst) {
    const u64 exec = combine<logic>(scalar_pair(wave, inst.src[0]), wave.s[kExecLo] | u64{wave.s[kExecHi]} << 32);
    wave.s[kExecLo] = static_cast<u32>(exec);
    wave.s[kExecHi] = static_cast<u32>(exec >> 32);
    set_scalar_pair(wave, inst.dst[0], exec);
    wave.scc = exec != 0;
}

#define LOGIC_ROWS(name, logic)                                                \
    bits("s_" name "_b32", exec_binary32<logic_op<Logic::logic, u32>>),        \
        bits64("s_" name "_b64", exec_binary64<logic_op<Logic::logic, u64>>),  \
        with_exec(bits("s_" name "_saveexec_b32", exec_saveexec32<Logic::logic>)), \
        with_exec(bits64("s_" name "_saveexec_b64", exec_saveexec64<Logic::logic>))

constexpr std::array kOps{
    LOGIC_ROWS("and", and_),
    LOGIC_ROWS("or", or_),
    LOGIC_ROWS("xor", xor_),
    LOGIC_ROWS("nand", nand),
    LOGIC_ROWS("nor", nor),
    LOGIC_ROWS("xnor", xnor),
    LOGIC_ROWS("and_not1", and_not1),
    LOGIC_ROWS("or_not1", or_not1),
    with_exec(bits("s_and_not0_saveexec_b32", exec_saveexec32<Logic::and_not0>)),
    with_exec(bits64("s_and_not0_saveexec_b64", exec_saveexec64<Logic::and_not0>)),
    with_exec(bits("s_or_not0_saveexec_b32", exec_saveexec32<Logic::or_not0>)),
    with_exec(bits64("s_or_not0_saveexec_b64", exec_saveexec64<Logic::or_not0>)),
    with_exec(bits("s_and_not0_wrexec_b32", exec_wrexec32<Logic::and_not0>)),
    with_exec(bits64("s_and_not0_wrexec_b64", exec_wrexec64<Logic::and_not0>)),
    with_exec(bits("s_and_not1_wrexec_b32", exec_wrexec32<Logic::and_not1>)),
    with_exec(bits64("s_and_not1_wrexec_b64", exec_wrexec64<Logic::and_not1>)),
    bits("s_not_b32", exec_unary32<not_op<u32>>),
    bits64("s_not_b64", exec_unary64<not_op<u64>>),
};

#undef LOGIC_ROWS

}  // namespace

std::span<const OpInfo> salu_logic_ops() { return kOps; }

}  // namespace hipemu
