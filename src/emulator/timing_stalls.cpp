// Where a wave waits, as far as its code shows it.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <deque>

#include "emulator/program.hpp"
#include "emulator/timing.hpp"

namespace hipemu {
namespace {

constexpr double kLdsLatency = 45, kScalarLoadLatency = 200, kMemoryLatency = 300;

/// The number behind `name` in "... name(12) ...", or -1.
int count_after(std::string_view text, std::string_view name) {
    const std::size_t at = text.find(name);
    if (at == std::string_view::npos) return -1;
    int value = -1;
    const std::string_view rest = text.substr(at + name.size());
    std::from_chars(rest.data(), rest.data() + rest.size(), value);
    return value;
}

/// Results on their way, oldest first: when each was asked for and how long it takes.
class InFlight {
public:
    void add(double now, double latency) { ready_.push_back(now + latency); }

    /// What is left to wait until at most `allowed` are on their way.
    double wait(double now, int allowed) {
        double until = now;
        while (static_cast<int>(ready_.size()) > allowed) {
            until = std::max(until, ready_.front());
            ready_.pop_front();
        }
        return until - now;
    }

private:
    std::deque<double> ready_;
};

/// s_delay_alu names the distance to a result that the next instruction needs.
double delay_of(std::string_view text, const Chip& chip) {
    double delay = 0;
    for (const std::string_view part : {"instid0(", "instid1("}) {
        const std::size_t at = text.find(part);
        if (at == std::string_view::npos) continue;
        const std::string_view what = text.substr(at + part.size());
        const int valu = what.starts_with("VALU_DEP_") ? count_after(what, "VALU_DEP_") : -1;
        const int trans = what.starts_with("TRANS32_DEP_") ? count_after(what, "TRANS32_DEP_") : -1;
        if (valu > 0) delay += std::max(chip.valu_latency - valu, 0.0);
        if (trans > 0) delay += std::max(chip.trans_latency - trans * chip.trans_cycles, 0.0);
        if (what.starts_with("SALU_CYCLE_")) delay += std::max(count_after(what, "SALU_CYCLE_"), 0);
    }
    return delay;
}

}  // namespace

std::vector<std::uint32_t> stalls_of(const Program& program, const Chip& chip) {
    std::vector<std::uint32_t> stalls(program.code.size());
    InFlight vector_loads, lds_and_scalar;
    double now = 0;
    for (std::size_t i = 0; i < program.code.size(); ++i) {
        const Inst& inst = program.code[i];
        if (inst.info == nullptr) continue;
        const std::string_view text = program.text[i];
        double stall = 0;
        switch (inst.unit) {
            case Unit::lds: lds_and_scalar.add(now, kLdsLatency); break;
            case Unit::smem: lds_and_scalar.add(now, kScalarLoadLatency); break;
            case Unit::vmem:
                if (inst.destinations > 0) vector_loads.add(now, kMemoryLatency);
                break;
            case Unit::branch: stall = chip.branch_taken_cycles; break;
            case Unit::other:
                if (text == "s_barrier") stall = chip.barrier_cycles;
                break;
            case Unit::wait:
                if (text.starts_with("s_delay_alu")) stall = delay_of(text, chip);
                if (!text.starts_with("s_waitcnt ")) break;
                if (const int allowed = count_after(text, "vmcnt("); allowed >= 0) stall = std::max(stall, vector_loads.wait(now, allowed));
                if (const int allowed = count_after(text, "lgkmcnt("); allowed >= 0) stall = std::max(stall, lds_and_scalar.wait(now, allowed));
                break;
            default: break;
        }
        stalls[i] = static_cast<std::uint32_t>(std::lround(stall * kCycleUnits));
        now += stall + static_cast<double>(cost_of(inst, chip).issue) / kCycleUnits;
    }
    return stalls;
}

}  // namespace hipemu
