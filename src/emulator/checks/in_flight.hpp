// What one wave has asked of memory and not waited for: a register that a load has yet to fill must not be touched. A result is taken to
// arrive as late as the waits allow. (What a store or an address is made of may be overwritten at once: the hardware of gfx11 holds back
// who does so before it is read.)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
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
    bool blocks(const Inst& inst) const { return may_block(inst.touched, inst.scalar_touched) && really_blocks(inst); }
    /// False if blocks() is for every instruction that touches no other registers than these.
    bool may_block(const RegSet& vector, const ScalarSet& scalar) const {
        return vector_.meets(vector) || ((scalar.bits[0] & scalar_.bits[0]) | (scalar.bits[1] & scalar_.bits[1])) != 0;
    }

    /// "v4" or "s2": the first register for which blocks() is true.
    std::string register_of(const Inst& inst) const;

    /// A memory instruction is issued. `writes`: it will fill its destination (some lane is active).
    void issue(const Inst& inst, bool writes) {
        writes = writes && inst.destinations > 0;
        if (inst.unit == Unit::lds) add(kLds, inst, writes);
        else issue_other(inst, writes);
    }
    void wait(const WaitCounts& counts);

    std::size_t lds_outstanding() const { return queues_[kLds].outstanding(); }  // LDS instructions that no wait has retired
    std::size_t lds_issued() const { return lds_issued_; }                       // those that were ever issued

private:
    struct Load {
        const Inst* inst = nullptr;
        std::uint32_t number = 0;  // in program order
        bool writes = false;
    };
    /// What is on its way and returns in order, the oldest first; some are done already.
    struct Queue {
        std::vector<Load> loads;
        std::size_t done = 0;

        std::size_t outstanding() const { return loads.size() - done; }
    };

    // On vmcnt; LDS and flat accesses on lgkmcnt; scalar loads and messages, which return in any order, so that only a wait for none at all
    // retires them. A flat load is in two queues, and done when it is in neither.
    enum Kind : std::size_t { kVector, kLds, kScalar };

    void add(Kind kind, const Inst& inst, bool writes) {
        queues_[kind].loads.push_back({.inst = &inst, .number = issued_++, .writes = writes});
        if (kind == kLds) ++lds_issued_;
        if (!writes) return;
        share_ = share_ || may_block(inst.writes, inst.scalar_writes);
        vector_ |= inst.writes;
        scalar_ |= inst.scalar_writes;
    }
    void issue_other(const Inst& inst, bool writes);
    bool really_blocks(const Inst& inst) const;
    /// The first register that `load` has yet to fill and `inst` must not touch before.
    static std::optional<unsigned> blocked_vector(const Load& load, const Inst& inst);
    static std::optional<unsigned> blocked_scalar(const Load& load, const Inst& inst);
    /// Those on their way that fill registers, in program order.
    std::vector<Load> writers() const;

    void retire(Queue& queue, std::size_t count);
    void find_registers();

    std::array<Queue, 3> queues_;
    RegSet vector_;            // registers that will be filled
    ScalarSet scalar_;
    bool share_ = false;       // two loads may fill the same one, or one is in two queues
    std::uint32_t issued_ = 0;
    std::size_t lds_issued_ = 0;
};

}  // namespace hipemu
