// What one wave has asked of memory and not waited for: a register that a load has yet to fill must not be touched. A result is taken to
// arrive as late as the waits allow. (What a store or an address is made of may be overwritten at once: the hardware of gfx11 holds back
// who does so before it is read.)
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "emulator/isa/inst.hpp"
#include "emulator/isa/wait_counts.hpp"

namespace hipemu {

class InFlight {
public:
    void clear();

    /// True if an instruction touches a register, or the half of one, that is on its way. A memory access may overwrite what an earlier one
    /// of its own kind has yet to fill, since these return in order.
    bool blocks(const Inst& inst) const { return writers_ > 0 && overlaps(inst.touched, inst.scalar_touched) && really_blocks(inst); }

    /// "v4" or "s2": the first register for which blocks() is true.
    std::string register_of(const Inst& inst) const;

    /// A memory instruction is issued. `writes`: it will fill its destination (some lane is active).
    void issue(const Inst& inst, bool writes);
    void wait(const WaitCounts& counts);

    std::size_t lds_outstanding() const { return lds_; }        // LDS instructions that no wait has retired
    std::size_t lds_issued() const { return lds_issued_; }      // those that were ever issued
    std::size_t stores_outstanding() const { return stores_; }  // likewise stores to global memory

private:
    struct Load {
        const Inst* inst = nullptr;
        // What it still hangs on. Whatever hangs on vmcnt returns in order; on lgkmcnt LDS and flat accesses do so among themselves, while
        // scalar loads and messages return in any order, so that only a wait for none at all retires them (until_scalar).
        bool until_vector = false, until_lds = false, until_scalar = false;
        bool writes = false;
    };

    bool overlaps(const RegSet& vector, const ScalarSet& scalar) const {
        return ((vector.bits[0] & vector_.bits[0]) | (vector.bits[1] & vector_.bits[1]) | (vector.bits[2] & vector_.bits[2]) |
                (vector.bits[3] & vector_.bits[3]) | (scalar.bits[0] & scalar_.bits[0]) | (scalar.bits[1] & scalar_.bits[1])) != 0;
    }
    bool really_blocks(const Inst& inst) const;
    /// The first register that `load` has yet to fill and `inst` must not touch before.
    static std::optional<unsigned> blocked_vector(const Load& load, const Inst& inst);
    static std::optional<unsigned> blocked_scalar(const Load& load, const Inst& inst);

    void forget_registers();

    std::vector<Load> loads_;  // in program order
    RegSet vector_;            // registers that loads_ will fill
    ScalarSet scalar_;
    std::size_t writers_ = 0;  // of loads_ those that fill registers
    bool share_ = false;       // two of them may fill the same one
    std::size_t on_vector_ = 0, lds_ = 0, on_scalar_ = 0;  // of loads_ those that hang on each
    std::size_t lds_issued_ = 0, stores_ = 0;
};

}  // namespace hipemu
