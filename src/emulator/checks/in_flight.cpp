#include "emulator/checks/in_flight.hpp"

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
    forget_registers();
    on_vector_ = lds_ = on_scalar_ = lds_issued_ = stores_ = 0;
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
    on_vector_ += loads_.back().until_vector ? 1 : 0;
    on_scalar_ += loads_.back().until_scalar ? 1 : 0;
    if (!loads_.back().writes) return;
    ++writers_;
    share_ |= overlaps(inst.writes, inst.scalar_writes);
    vector_ |= inst.writes;
    scalar_ |= inst.scalar_writes;
}

void InFlight::wait(const WaitCounts& counts) {
    if (counts.vector_stores != WaitCounts::kAny) stores_ = std::min<std::size_t>(stores_, counts.vector_stores);
    // The newest of each kind stay on their way, the oldest are done.
    const auto done = [](std::size_t outstanding, std::uint8_t allowed) {
        return allowed == WaitCounts::kAny || allowed >= outstanding ? 0 : outstanding - allowed;
    };
    std::size_t vector = done(on_vector_, counts.vector_loads), lds = done(lds_, counts.lds_scalar);
    const bool scalar = counts.lds_scalar == 0 && on_scalar_ > 0;
    if (vector == 0 && lds == 0 && !scalar) return;
    on_vector_ -= vector;
    lds_ -= lds;
    if (scalar) on_scalar_ = 0;
    if (on_vector_ + lds_ + on_scalar_ == 0) {
        loads_.clear();
        forget_registers();
        return;
    }
    std::size_t kept = 0;
    for (Load load : loads_) {
        if (load.until_vector && vector > 0) --vector, load.until_vector = false;
        if (load.until_lds && lds > 0) --lds, load.until_lds = false;
        if (scalar) load.until_scalar = false;
        if (load.until_vector || load.until_lds || load.until_scalar) {
            loads_[kept++] = load;
        } else if (load.writes) {
            --writers_;
            vector_ -= load.inst->writes;
            scalar_ -= load.inst->scalar_writes;
        }
    }
    loads_.resize(kept);
    if (writers_ == 0) return forget_registers();
    if (!share_) return;
    // A register that was filled may be the aim of a later load as well.
    for (const Load& load : loads_) {
        if (load.writes) vector_ |= load.inst->writes, scalar_ |= load.inst->scalar_writes;
    }
}

void InFlight::forget_registers() {
    vector_ = {};
    scalar_ = {};
    writers_ = 0;
    share_ = false;
}

}  // namespace hipemu
