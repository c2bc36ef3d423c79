#include "emulator/in_flight.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hipemu {
namespace {

// Halves of a register, as bits.
constexpr unsigned kLow = 1, kHigh = 2, kBoth = 3;

bool contains(const Operand& operand, OperandKind kind, unsigned r) {
    return operand.kind == kind && r >= operand.index && r < unsigned{operand.index} + operand.count;
}

bool is_memory(const Inst& inst) { return inst.unit == Unit::vmem || inst.unit == Unit::lds; }

/// The half that an operand means; `printed`: where its text does not say (.l, .h), what the mnemonic says.
unsigned halves_of(const Operand& operand, unsigned printed) {
    return operand.half == Half::low ? kLow : operand.half == Half::high ? kHigh : printed;
}

/// The halves of v[r] that an instruction writes: 16-bit results and loads leave the other one alone.
unsigned written_halves(const Inst& inst, unsigned r) {
    unsigned printed = kBoth;
    const std::string_view name = inst.info->mnemonic;
    if (is_memory(inst) && name.find("d16") != std::string_view::npos) printed = name.find("_hi") != std::string_view::npos ? kHigh : kLow;
    unsigned halves = 0;
    for (unsigned i = 0; i < inst.destinations; ++i) {
        if (contains(inst.dst[i], OperandKind::vgpr, r)) halves |= halves_of(inst.dst[i], printed);
    }
    if (inst.second != nullptr) halves |= written_halves(*inst.second, r);
    return halves;
}

/// The halves of v[r] that it reads, without the old value of what it writes.
unsigned read_halves(const Inst& inst, unsigned r) {
    const std::string_view name = inst.info->mnemonic;
    const bool narrow_store = is_memory(inst) && name.find("_store_") != std::string_view::npos &&
                              (name.find("_b16") != std::string_view::npos || name.find("_b8") != std::string_view::npos);
    const unsigned data = name.starts_with("buffer_") ? 0 : 1;
    unsigned halves = 0;
    for (unsigned i = 0; i < inst.sources; ++i) {
        if (!contains(inst.src[i], OperandKind::vgpr, r)) continue;
        const unsigned printed = narrow_store && i == data ? name.find("d16_hi") != std::string_view::npos ? kHigh : kLow : kBoth;
        halves |= halves_of(inst.src[i], printed);
    }
    if (inst.second != nullptr) halves |= read_halves(*inst.second, r);
    return halves;
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

std::optional<unsigned> InFlight::blocked_vector(const Load& load, const Inst& inst) {
    const bool in_order = counter_of(inst) != Counter::none && same_kind(*load.inst, inst);
    for (unsigned word = 0; word < 4; ++word) {
        for (std::uint64_t left = load.inst->writes.bits[word] & inst.touched.bits[word]; left != 0; left &= left - 1) {
            const unsigned r = 64 * word + static_cast<unsigned>(__builtin_ctzll(left));
            // A later result of the same kind comes later.
            const unsigned touched = read_halves(inst, r) | (in_order ? 0 : written_halves(inst, r));
            if ((touched & written_halves(*load.inst, r)) != 0) return r;
        }
    }
    return std::nullopt;
}

std::optional<unsigned> InFlight::blocked_scalar(const Load& load, const Inst& inst) {
    for (unsigned r = 0; r < 128; ++r) {
        if (load.inst->scalar_writes.contains(r) && inst.scalar_touched.contains(r)) return r;
    }
    return std::nullopt;
}

bool InFlight::really_blocks(const Inst& inst) const {
    if (inst.info == nullptr || inst.info->any_register) return false;  // which one is known only when it runs
    return std::any_of(loads_.begin(), loads_.end(), [&](const Load& load) {
        return load.writes && (blocked_vector(load, inst) || blocked_scalar(load, inst));
    });
}

std::string InFlight::register_of(const Inst& inst) const {
    for (const Load& load : loads_) {
        if (!load.writes) continue;
        if (const auto r = blocked_vector(load, inst)) return fmt::format("v{}", *r);
        if (const auto r = blocked_scalar(load, inst)) return *r == kVccLo ? "vcc_lo" : *r == kM0 ? "m0" : fmt::format("s{}", *r);
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
