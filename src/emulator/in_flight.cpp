#include "emulator/in_flight.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hipemu {
namespace {

/// The registers that an access reads before it is issued: addresses and data, not the half of a destination that it leaves alone.
void add_sources(const Inst& inst, RegSet& vector, ScalarSet& scalar) {
    for (unsigned i = 0; i < inst.sources; ++i) {
        const Operand& source = inst.src[i];
        if (source.kind == OperandKind::vgpr) vector.add(source.index, source.count);
        if (source.kind == OperandKind::sgpr) scalar.add(source.index, source.count);
    }
}

/// Flat accesses may go to LDS, so they count there, too: stores as well as loads.
bool is_flat(const Inst& inst) { return inst.unit == Unit::vmem && inst.info->mnemonic.starts_with("flat_"); }

/// Both return in one order.
bool same_kind(const Inst& a, const Inst& b) {
    return a.unit == b.unit && (a.unit == Unit::lds || a.unit == Unit::vmem) && counter_of(a) == counter_of(b);
}

}  // namespace

void InFlight::clear() {
    loads_.clear();
    vector_ = {};
    scalar_ = {};
    busy_ = false;
    lds_ = lds_issued_ = stores_ = 0;
}

bool InFlight::really_blocks(const Inst& inst) const {
    if (inst.info == nullptr || inst.info->any_register) return false;  // which one is known only when it runs
    if (counter_of(inst) == Counter::none) return true;
    RegSet vector;
    ScalarSet scalar;
    add_sources(inst, vector, scalar);
    if (overlaps(vector, scalar)) return true;
    return std::any_of(loads_.begin(), loads_.end(), [&](const Load& load) {
        if (!load.writes || same_kind(*load.inst, inst)) return false;
        for (unsigned word = 0; word < 4; ++word) {
            if ((load.inst->writes.bits[word] & inst.writes.bits[word]) != 0) return true;
        }
        return (load.inst->scalar_writes.bits[0] & inst.scalar_writes.bits[0]) != 0 ||
               (load.inst->scalar_writes.bits[1] & inst.scalar_writes.bits[1]) != 0;
    });
}

std::string InFlight::register_of(const Inst& inst) const {
    for (unsigned r = 0; r < 256; ++r) {
        if (inst.touched.contains(r) && vector_.contains(r)) return fmt::format("v{}", r);
    }
    for (unsigned r = 0; r < 128; ++r) {
        if (inst.scalar_touched.contains(r) && scalar_.contains(r)) return r == kVccLo ? "vcc_lo" : r == kM0 ? "m0" : fmt::format("s{}", r);
    }
    return "a register";
}

void InFlight::issue(const Inst& inst, bool writes) {
    const Counter counter = counter_of(inst);
    if (counter == Counter::none) return;
    if (counter == Counter::vector_stores) {
        ++stores_;
        if (!is_flat(inst)) return;
    }
    const bool in_lds_order = inst.unit == Unit::lds || is_flat(inst);
    if (in_lds_order) ++lds_, ++lds_issued_;
    loads_.push_back({.inst = &inst,
                      .until_vector = counter == Counter::vector_loads || counter == Counter::both,
                      .until_lds = in_lds_order,
                      .until_scalar = counter == Counter::lds_scalar && !in_lds_order,
                      .writes = writes && inst.destinations > 0});
    if (!loads_.back().writes) return;
    busy_ = true;
    vector_ |= inst.writes;
    scalar_ |= inst.scalar_writes;
}

void InFlight::wait(const WaitCounts& counts) {
    if (counts.vector_stores != WaitCounts::kAny) stores_ = std::min<std::size_t>(stores_, counts.vector_stores);
    if (loads_.empty()) return;
    // The newest `allowed` of each kind stay on their way.
    std::size_t vector = counts.vector_loads, lds = counts.lds_scalar;
    if (counts.vector_loads == WaitCounts::kAny) vector = loads_.size();
    if (counts.lds_scalar == WaitCounts::kAny) lds = loads_.size();
    for (std::size_t i = loads_.size(); i-- > 0;) {
        Load& load = loads_[i];
        if (load.until_vector) {
            if (vector > 0) --vector;
            else load.until_vector = false;
        }
        if (load.until_lds) {
            if (lds > 0) --lds;
            else load.until_lds = false;
        }
        if (counts.lds_scalar == 0) load.until_scalar = false;
    }
    std::erase_if(loads_, [](const Load& load) { return !load.until_vector && !load.until_lds && !load.until_scalar; });
    collect();
}

void InFlight::collect() {
    vector_ = {};
    scalar_ = {};
    busy_ = false;
    lds_ = 0;
    for (const Load& load : loads_) {
        lds_ += load.until_lds ? 1 : 0;
        if (!load.writes) continue;
        busy_ = true;
        vector_ |= load.inst->writes;
        scalar_ |= load.inst->scalar_writes;
    }
}

}  // namespace hipemu
