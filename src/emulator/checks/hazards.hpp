// Instructions that the hardware of gfx11 does not hold back although they follow another too closely: compilers put something between them,
// hand-written assembly may not. The rules are those of LLVM's GCNHazardRecognizer for these cards in wave32.
//
// (VALUPartialForwardingHazard and VALUMaskWriteHazard of gfx11 need wave64, which the emulator does not run; those of LDS-direct need
// instructions of graphics.)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/isa/inst.hpp"
#include "emulator/timing/chips.hpp"
#include "emulator/timing/trace.hpp"

namespace hipemu {

struct Program;

enum class Hazard : std::uint8_t {
    matrix_operand,      // WMMA reads A or B from the result of the WMMA before it: one vector instruction between them
    transcendental_use,  // a vector instruction reads what v_exp, v_rcp, ... has just begun: s_waitcnt_depctr va_vdst(0) between them
    exchange_lanes,      // v_permlane after v_cmpx: one vector instruction, not v_nop, between them
    wide_multiply_add,   // v_mad_u64_u32 and v_mad_i64_i32 write a register that they read
    matrix_overlap,      // WMMA writes over its A or B, or over a part of C: it reads them in several passes
    freed_registers,     // a vector register is used after s_sendmsg(MSG_DEALLOC_VGPRS)
};

/// The cards that have it.
bool has_hazard(const Chip& chip, Hazard hazard);

/// For each instruction of a program: true if on some path through its branches it follows another too closely. Calls and jumps through
/// registers take longer than any hazard lasts.
std::vector<bool> find_hazards(const Program& program);

/// The latest stretches of straight-line code that a wave has left, for the question on which path it came.
class RecentPath {
public:
    void clear() { count_ = 0; }
    void add(Stretch stretch) { stretches_[count_++ % stretches_.size()] = stretch; }
    /// The stretch that was left `back` stretches before the one that runs; none if that is too long ago.
    std::optional<Stretch> before(std::size_t back) const {
        if (back >= count_ || back >= stretches_.size()) return std::nullopt;
        return stretches_[(count_ - 1 - back) % stretches_.size()];
    }

private:
    std::array<Stretch, 16> stretches_{};  // more than there are vector instructions in the longest hazard
    std::size_t count_ = 0;
};

/// What is wrong with running an instruction on the path that the wave really took; nothing if that path is fine. `entry`: where the stretch
/// of straight-line code that runs was entered.
std::optional<std::string> hazard_of(const Program& program, const Chip& chip, std::size_t index, std::uint32_t entry, const RecentPath& path);

}  // namespace hipemu
