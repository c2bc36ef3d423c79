// How undefined bits pass through scalar instructions.
#include <bit>
#include <string_view>

#include "emulator/state/scalar.hpp"
#include "emulator/state/undefined.hpp"

namespace hipemu {
namespace {

/// What a scalar instruction can change.
struct Outcome {
    std::uint32_t result[2] = {0, 0};
    std::uint32_t exec = 0;
    bool scc = false;
};

/// A source whose bits decide where other bits go: every value that its undefined bits can have is tried.
struct Selector {
    std::string_view mnemonic;
    unsigned source;
    std::uint32_t used;  // its bits that matter
};
constexpr Selector kSelectors[] = {
    {"s_lshl_b32", 1, 31},          {"s_lshr_b32", 1, 31},          {"s_ashr_i32", 1, 31},          {"s_lshl_b64", 1, 63},
    {"s_lshr_b64", 1, 63},          {"s_ashr_i64", 1, 63},          {"s_bfe_u32", 1, 0x7f001f},     {"s_bfe_i32", 1, 0x7f001f},
    {"s_bfe_u64", 1, 0x7f003f},     {"s_bfe_i64", 1, 0x7f003f},     {"s_bitcmp0_b32", 1, 31},       {"s_bitcmp1_b32", 1, 31},
    {"s_bitcmp0_b64", 1, 63},       {"s_bitcmp1_b64", 1, 63},       {"s_bitset0_b32", 0, 31},       {"s_bitset1_b32", 0, 31},
    {"s_bitset0_b64", 0, 63},       {"s_bitset1_b64", 0, 63},
};

/// The selector of an instruction, if it is a register with undefined bits that matter; `bits` of them.
const Selector* undefined_selector(const Wave& wave, const Inst& inst, unsigned& bits) {
    for (const Selector& selector : kSelectors) {
        if (selector.mnemonic != inst.info->mnemonic) continue;
        const Operand& source = inst.src[selector.source];
        if (source.kind != OperandKind::sgpr || source.index >= kScalars) return nullptr;
        bits = static_cast<unsigned>(std::popcount(scalar_undefined_bits(wave, source.index) & selector.used));
        return bits == 0 ? nullptr : &selector;
    }
    return nullptr;
}

class Trial {
public:
    Trial(Wave& wave, const Inst& inst) : wave_(wave), inst_(inst) {
        for (int r = 0; r < kScalars; ++r) saved_[r] = wave.s[r];
        saved_scc_ = wave.scc;
    }

    /// The handler's outcome with the undefined bits of source i replaced by copies of bit i of `pattern` (bit 6: SCC, bit 7: the old result).
    /// Of the selector, if there is one, the undefined bits that matter are those of `selected` one by one.
    Outcome run(unsigned pattern, const Selector* selector = nullptr, std::uint32_t selected = 0) {
        for (unsigned i = 0; i < inst_.sources; ++i) replace(inst_.src[i], pattern >> i & 1);
        if (selector != nullptr) {
            const unsigned r = inst_.src[selector->source].index;
            const std::uint32_t undefined = scalar_undefined_bits(wave_, r) & selector->used;
            wave_.s[r] = (wave_.s[r] & ~undefined) | static_cast<std::uint32_t>(deposit(selected, undefined));
        }
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

/// What is multiplied by zero does not matter.
bool multiplies_by_zero(const Wave& wave, const Inst& inst) {
    if (!inst.info->mnemonic.starts_with("s_mul_")) return false;
    const auto is_zero = [&](const Operand& source) { return !any_undefined(wave, source) && scalar_word(wave, source) == 0; };
    return is_zero(inst.src[0]) || is_zero(inst.src[1]);
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
    const bool undefined = any_source_undefined(wave, inst) && !multiplies_by_zero(wave, inst);
    const std::uint32_t all = undefined ? ~0u : 0u;
    set_results(wave, inst, all, all);
    if (inst.info->writes_scc) set_scc_undefined(wave, undefined);
}

void taint_scalar_trial(Wave& wave, const Inst& inst) {
    if (!any_source_undefined(wave, inst)) {
        taint_scalar_defined(wave, inst);
        return;
    }
    unsigned selector_bits = 0;
    const Selector* const selector = undefined_selector(wave, inst, selector_bits);
    // s_bfm makes a mask of two numbers: an undefined one leaves nothing known.
    if (inst.info->mnemonic == "s_bfm_b32") {
        taint_scalar_whole(wave, inst);
        return;
    }
    Trial trial(wave, inst);
    const Outcome first = trial.run(0, selector, 0);
    Outcome changed;
    for (unsigned run = 1; run < 16u << selector_bits; ++run) {
        // Bits 0, 1: the sources; 2: SCC; 3: the old result; then those of the selector.
        const unsigned pattern = run & 15;
        const Outcome other = trial.run((pattern & 3) | (pattern & 4) << 4 | (pattern & 8) << 4, selector, run >> 4);
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
