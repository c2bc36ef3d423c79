// How undefined bits pass through scalar instructions.
#include "emulator/scalar.hpp"
#include "emulator/undefined.hpp"

namespace hipemu {
namespace {

/// What a scalar instruction can change.
struct Outcome {
    std::uint32_t result[2] = {0, 0};
    std::uint32_t exec = 0;
    bool scc = false;
};

class Trial {
public:
    Trial(Wave& wave, const Inst& inst) : wave_(wave), inst_(inst) {
        for (int r = 0; r < kScalars; ++r) saved_[r] = wave.s[r];
        saved_scc_ = wave.scc;
    }

    /// The handler's outcome with the undefined bits of source i replaced by copies of bit i of `pattern` (bit 6: SCC, bit 7: the old result).
    Outcome run(unsigned pattern) {
        for (unsigned i = 0; i < inst_.sources; ++i) replace(inst_.src[i], pattern >> i & 1);
        if (inst_.info->reads_destination && inst_.destinations > 0) replace(inst_.dst[0], pattern >> 7 & 1);
        if (scc_undefined(wave_)) wave_.scc = pattern >> 6 & 1;
        inst_.exec(wave_, inst_);
        Outcome outcome;
        for (unsigned word = 0; inst_.destinations > 0 && word < 2 && word < inst_.dst[0].count; ++word) {
            outcome.result[word] = wave_.s[inst_.dst[0].index + word];
        }
        outcome.exec = wave_.s[kExecLo];
        outcome.scc = wave_.scc;
        for (int r = 0; r < kScalars; ++r) wave_.s[r] = saved_[r];
        wave_.scc = saved_scc_;
        return outcome;
    }

private:
    void replace(const Operand& operand, bool ones) {
        if (operand.kind != OperandKind::sgpr) return;
        for (unsigned word = 0; word < operand.count && operand.index + word < 128u; ++word) {
            const std::uint32_t undefined = scalar_undefined_bits(wave_, operand.index + word);
            if (undefined == 0) continue;
            std::uint32_t& value = wave_.s[operand.index + word];
            value = ones ? value | undefined : value & ~undefined;
        }
    }

    Wave& wave_;
    const Inst& inst_;
    std::uint32_t saved_[kScalars];
    bool saved_scc_;
};

bool any_source_undefined(const Wave& wave, const Inst& inst) {
    for (unsigned i = 0; i < inst.sources; ++i) {
        if (any_undefined(wave, inst.src[i])) return true;
    }
    if (inst.info->reads_destination && inst.destinations > 0 && any_undefined(wave, inst.dst[0])) return true;
    return inst.info->reads_scc && scc_undefined(wave);
}

void set_results(Wave& wave, const Inst& inst, std::uint32_t low, std::uint32_t high) {
    const std::uint32_t words[2] = {low, high};
    for (unsigned d = 0; d < inst.destinations; ++d) {
        for (unsigned word = 0; word < inst.dst[d].count; ++word) {
            set_scalar_undefined(wave, inst.dst[d].index + word, words[word < 2 ? word : 1]);
        }
    }
}

}  // namespace

void taint_scalar_whole(Wave& wave, const Inst& inst) {
    const bool undefined = any_source_undefined(wave, inst);
    const std::uint32_t all = undefined ? ~0u : 0u;
    set_results(wave, inst, all, all);
    if (inst.info->writes_scc) set_scc_undefined(wave, undefined);
}

void taint_scalar_trial(Wave& wave, const Inst& inst) {
    if (!any_source_undefined(wave, inst)) {
        taint_scalar_defined(wave, inst);
        return;
    }
    Trial trial(wave, inst);
    const Outcome first = trial.run(0);
    Outcome changed;
    for (unsigned pattern = 1; pattern < 16; ++pattern) {
        // Bits 0, 1: the sources; 2: SCC; 3: the old result.
        const Outcome other = trial.run((pattern & 3) | (pattern & 4) << 4 | (pattern & 8) << 4);
        for (int word = 0; word < 2; ++word) changed.result[word] |= first.result[word] ^ other.result[word];
        changed.exec |= first.exec ^ other.exec;
        changed.scc |= first.scc != other.scc;
    }
    if (inst.info->writes_exec && changed.exec != 0) {
        wave.stop_with_fault(FaultKind::undefined_branch, "EXEC is set from undefined bits", __builtin_ctz(changed.exec));
        return;
    }
    set_results(wave, inst, changed.result[0], changed.result[1]);
    if (inst.info->writes_scc) set_scc_undefined(wave, changed.scc);
}

void taint_scalar_defined(Wave& wave, const Inst& inst) {
    set_results(wave, inst, 0, 0);
    if (inst.info->writes_scc) set_scc_undefined(wave, false);
}

}  // namespace hipemu
