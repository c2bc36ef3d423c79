#include "emulator/checks/in_flight.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace hipemu {
namespace {

// Halves of a register, as bits.
constexpr unsigned kLow = 1, kHigh = 2, kBoth = 3;

/// Loads that are done and still kept.
constexpr std::size_t kMostDone = 64;

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
    for (Queue& queue : queues_) queue.loads.clear(), queue.done = 0;
    find_registers();
    issued_ = 0;
    lds_issued_ = 0;
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
    return std::any_of(queues_.begin(), queues_.end(), [&](const Queue& queue) {
        return std::any_of(queue.loads.begin() + static_cast<std::ptrdiff_t>(queue.done), queue.loads.end(), [&](const Load& load) {
            return load.writes && (blocked_vector(load, inst) || blocked_scalar(load, inst));
        });
    });
}

std::vector<InFlight::Load> InFlight::writers() const {
    std::vector<Load> loads;
    for (const Queue& queue : queues_) {
        std::copy_if(queue.loads.begin() + static_cast<std::ptrdiff_t>(queue.done), queue.loads.end(), std::back_inserter(loads),
                     [](const Load& load) { return load.writes; });
    }
    std::sort(loads.begin(), loads.end(), [](const Load& a, const Load& b) { return a.number < b.number; });
    return loads;
}

std::string InFlight::register_of(const Inst& inst) const {
    for (const Load& load : writers()) {
        if (const auto r = blocked_vector(load, inst)) return fmt::format("v{}", *r);
        if (const auto r = blocked_scalar(load, inst)) return *r == kVccLo ? "vcc_lo" : *r == kM0 ? "m0" : fmt::format("s{}", *r);
    }
    return "a register";
}

void InFlight::issue_other(const Inst& inst, bool writes) {
    const Counter counter = counter_of(inst);
    if (counter == Counter::none) return;
    const bool flat = is_flat(inst);
    if (counter == Counter::vector_loads || counter == Counter::both) add(kVector, inst, writes);
    if (flat) add(kLds, inst, writes);
    if (counter == Counter::lds_scalar) add(kScalar, inst, writes);
}

void InFlight::wait(const WaitCounts& counts) {
    // The newest of each kind stay on their way, the oldest are done.
    bool any = false;
    const auto wait_for = [&](Kind kind, std::size_t allowed) {
        const std::size_t outstanding = queues_[kind].outstanding();
        if (allowed >= outstanding) return;
        retire(queues_[kind], outstanding - allowed);
        any = true;
    };
    if (counts.vector_loads != WaitCounts::kAny) wait_for(kVector, counts.vector_loads);
    if (counts.lds_scalar != WaitCounts::kAny) wait_for(kLds, counts.lds_scalar);
    if (counts.lds_scalar == 0) wait_for(kScalar, 0);
    if (any && share_) find_registers();
}

void InFlight::retire(Queue& queue, std::size_t count) {
    for (; count > 0; --count) {
        const Load& load = queue.loads[queue.done++];
        if (load.writes) vector_ -= load.inst->writes, scalar_ -= load.inst->scalar_writes;
    }
    if (queue.outstanding() > 0 && queue.done < kMostDone) return;
    queue.loads.erase(queue.loads.begin(), queue.loads.begin() + static_cast<std::ptrdiff_t>(queue.done));
    queue.done = 0;
}

/// A register that was filled may be the aim of another load as well.
void InFlight::find_registers() {
    vector_ = {};
    scalar_ = {};
    std::size_t outstanding = 0;
    for (const Queue& queue : queues_) {
        outstanding += queue.outstanding();
        for (std::size_t i = queue.done; i < queue.loads.size(); ++i) {
            const Load& load = queue.loads[i];
            if (load.writes) vector_ |= load.inst->writes, scalar_ |= load.inst->scalar_writes;
        }
    }
    share_ = share_ && outstanding > 0;
}

}  // namespace hipemu
