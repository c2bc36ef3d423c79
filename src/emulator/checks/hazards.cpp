#include "emulator/checks/hazards.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "emulator/isa/program.hpp"

namespace hipemu {
namespace {

constexpr Hazard kPairHazards[] = {Hazard::matrix_operand, Hazard::transcendental_use, Hazard::exchange_lanes};

// A transcendental result is there once more than five vector instructions, or more than one other transcendental, have been issued behind it.
constexpr int kVectorsBetween = 5, kTranscendentalsBetween = 1;

bool is_vector(const Inst& inst) {
    return inst.unit == Unit::valu || inst.unit == Unit::trans || inst.unit == Unit::wmma || inst.unit == Unit::vopd;
}

std::string_view name_of(const Inst& inst) { return inst.info != nullptr ? inst.info->mnemonic : std::string_view(); }

void add_vector_sources(const Inst& inst, RegSet& set) {
    for (unsigned i = 0; i < inst.sources; ++i) {
        if (inst.src[i].kind == OperandKind::vgpr) set.add(inst.src[i].index, inst.src[i].count);
    }
    if (inst.info->reads_destination && inst.dst[0].kind == OperandKind::vgpr) set.add(inst.dst[0].index, inst.dst[0].count);
    if (inst.second != nullptr) add_vector_sources(*inst.second, set);
}

/// The registers in which `hazard` would reach an instruction; nothing if it cannot.
std::optional<RegSet> registers_at_risk(const Inst& inst, Hazard hazard) {
    if (inst.info == nullptr || !is_vector(inst)) return std::nullopt;
    RegSet set;
    switch (hazard) {
        case Hazard::matrix_operand:
            if (inst.unit != Unit::wmma) return std::nullopt;
            for (unsigned i = 0; i < 2; ++i) {
                if (inst.src[i].kind == OperandKind::vgpr) set.add(inst.src[i].index, inst.src[i].count);
            }
            return set;
        case Hazard::transcendental_use:
            add_vector_sources(inst, set);
            if (set.empty()) return std::nullopt;
            return set;
        case Hazard::exchange_lanes:
            if (!name_of(inst).starts_with("v_permlane")) return std::nullopt;
            return set;
        case Hazard::wide_multiply_add:
        case Hazard::matrix_overlap:
        case Hazard::freed_registers: break;  // no pair
    }
    return std::nullopt;
}

/// s_waitcnt_depctr whose field va_vdst, bits 12 to 15, is 0: all vector results are there.
bool waits_for_vectors(std::string_view text) {
    if (text.find("va_vdst(0)") != std::string_view::npos) return true;
    const std::size_t number = text.find("0x");
    if (number == std::string_view::npos) return false;
    return (std::strtoul(std::string(text.substr(number)).c_str(), nullptr, 16) >> 12 & 15) == 0;
}

/// Looks back from an instruction, one earlier instruction after the other.
struct LookBack {
    enum class Answer : std::uint8_t { found, over, further };

    Hazard hazard;
    RegSet registers;
    int vectors = 0, transcendentals = 0;  // passed so far

    Answer at(const Inst& earlier, std::string_view text) {
        const bool vector = is_vector(earlier);
        switch (hazard) {
            case Hazard::matrix_operand:
                if (earlier.unit == Unit::wmma && earlier.writes.meets(registers)) return Answer::found;
                return vector ? Answer::over : Answer::further;
            case Hazard::exchange_lanes:
                if (earlier.info != nullptr && earlier.info->writes_exec && vector) return Answer::found;
                return vector && name_of(earlier) != "v_nop" ? Answer::over : Answer::further;
            case Hazard::transcendental_use:
                if (vectors > kVectorsBetween || transcendentals > kTranscendentalsBetween) return Answer::over;
                // These wait for vector results by themselves; buffer_gl0_inv goes the way of memory instructions.
                if (earlier.unit == Unit::vmem || earlier.unit == Unit::lds) return Answer::over;
                if (name_of(earlier).starts_with("buffer_gl")) return Answer::over;
                if (text.starts_with("s_waitcnt_depctr") && waits_for_vectors(text)) return Answer::over;
                if (earlier.unit == Unit::trans && earlier.writes.meets(registers)) return Answer::found;
                vectors += vector ? 1 : 0;
                transcendentals += earlier.unit == Unit::trans ? 1 : 0;
                return Answer::further;
            case Hazard::wide_multiply_add:
            case Hazard::matrix_overlap:
            case Hazard::freed_registers: break;
        }
        return Answer::over;
    }
};

/// Who may run right before each instruction.
class Predecessors {
public:
    explicit Predecessors(const Program& program) : jumps_(program.code.size()), falls_(program.code.size()) {
        for (std::size_t i = 0; i < program.code.size(); ++i) {
            const Inst& inst = program.code[i];
            const std::string_view name = name_of(inst);
            const bool conditional = name.starts_with("s_cbranch");
            if ((conditional || name == "s_branch") && inst.target < jumps_.size()) jumps_[inst.target].push_back(static_cast<std::uint32_t>(i));
            const bool leaves = inst.info == nullptr || name == "s_branch" || name.starts_with("s_endpgm") || name == "s_setpc_b64" ||
                                name == "s_swappc_b64" || name == "s_call_b64";
            if (!leaves && i + 1 < falls_.size()) falls_[i + 1] = true;
        }
    }

    template <class Visit>
    void of(std::size_t index, Visit&& visit) const {
        if (falls_[index]) visit(index - 1);
        for (const std::uint32_t jump : jumps_[index]) visit(jump);
    }

private:
    std::vector<std::vector<std::uint32_t>> jumps_;
    std::vector<bool> falls_;
};

/// True if some path to code[index] holds the hazard.
bool is_possible(const Program& program, const Predecessors& predecessors, std::size_t index, const LookBack& start) {
    struct Visit {
        std::size_t index;
        LookBack look;
    };
    std::vector<Visit> open;
    std::vector<Visit> seen;  // the paths are short: a handful of instructions
    const auto come_to = [&](std::size_t at, const LookBack& look) {
        const bool known = std::any_of(seen.begin(), seen.end(), [&](const Visit& visit) {
            return visit.index == at && visit.look.vectors <= look.vectors && visit.look.transcendentals <= look.transcendentals;
        });
        if (known) return;
        seen.push_back({at, look});
        open.push_back({at, look});
    };
    predecessors.of(index, [&](std::size_t at) { come_to(at, start); });
    while (!open.empty()) {
        Visit visit = open.back();
        open.pop_back();
        switch (visit.look.at(program.code[visit.index], program.text[visit.index])) {
            case LookBack::Answer::found: return true;
            case LookBack::Answer::over: break;
            case LookBack::Answer::further: predecessors.of(visit.index, [&](std::size_t at) { come_to(at, visit.look); });
        }
    }
    return false;
}

/// v_mad_u64_u32 whose result overlaps what it reads. The upper half of the addend does not count: compilers leave it undefined where they want
/// only the lower half of the sum, and let the result lie over it.
bool overlaps_itself(const Inst& inst) {
    const std::string_view name = name_of(inst);
    if (name != "v_mad_u64_u32" && name != "v_mad_i64_i32") return false;
    RegSet reads;
    for (std::size_t i = 0; i < inst.sources; ++i)
        if (inst.src[i].kind == OperandKind::vgpr) reads.add(inst.src[i].index, 1);
    return inst.writes.meets(reads);
}

/// WMMA whose result lies over A or B, or over C without being C. LLVM's gfx11 matrix instructions are "early clobber" for this reason.
bool matrix_overlaps(const Inst& inst) {
    if (inst.unit != Unit::wmma || inst.dst[0].kind != OperandKind::vgpr) return false;
    for (unsigned i = 0; i < inst.sources; ++i) {
        const Operand& source = inst.src[i];
        if (source.kind != OperandKind::vgpr || (i == 2 && source.index == inst.dst[0].index)) continue;
        RegSet reads;
        reads.add(source.index, source.count);
        if (inst.writes.meets(reads)) return true;
    }
    return false;
}

/// The instruction on the straight line to code[index] that gives the wave's vector registers back; none if it does not use any.
std::optional<std::size_t> freed_before(const Program& program, std::size_t index) {
    const Inst& inst = program.code[index];
    if (inst.reads.empty() && inst.writes.empty()) return std::nullopt;
    for (std::size_t i = index; i-- > 0 && !program.code[i].ends_block;) {
        const std::string_view text = program.text[i];
        if (text.starts_with("s_sendmsg") && text.find("DEALLOC_VGPRS") != std::string_view::npos) return i;
    }
    return std::nullopt;
}

bool frees_registers(const Program& program) {
    return std::any_of(program.text.begin(), program.text.end(), [](std::string_view text) {
        return text.starts_with("s_sendmsg") && text.find("DEALLOC_VGPRS") != std::string_view::npos;
    });
}

/// The instruction that code[index] follows too closely on the path that was taken.
std::optional<std::size_t> culprit_of(const Program& program, std::size_t index, std::uint32_t entry, const RecentPath& path, LookBack look) {
    Stretch stretch{entry, static_cast<std::uint32_t>(index)};
    for (std::size_t back = 0;; ++back) {
        for (std::size_t i = stretch.end; i-- > stretch.first;) {
            switch (look.at(program.code[i], program.text[i])) {
                case LookBack::Answer::found: return i;
                case LookBack::Answer::over: return std::nullopt;
                case LookBack::Answer::further: break;
            }
        }
        const std::optional<Stretch> earlier = path.before(back);
        if (!earlier) return std::nullopt;
        const std::string_view last = name_of(program.code[earlier->end - 1]);
        if (last == "s_setpc_b64" || last == "s_swappc_b64" || last == "s_call_b64") return std::nullopt;
        stretch = *earlier;
    }
}

std::string_view advice_of(Hazard hazard) {
    switch (hazard) {
        case Hazard::matrix_operand: return "reads A or B from the result of `{}`: another vector instruction has to stand between them";
        case Hazard::transcendental_use:
            return "reads the result of `{}`, which may not be there yet: s_waitcnt_depctr 0xfff has to stand between them";
        case Hazard::exchange_lanes:
            return "follows `{}`, which sets EXEC: another vector instruction has to stand between them, and v_nop does not count";
        case Hazard::wide_multiply_add:
        case Hazard::matrix_overlap:
        case Hazard::freed_registers: break;  // no pair
    }
    return "";
}

}  // namespace

bool has_hazard(const Chip& chip, Hazard hazard) {
    // Mended in gfx1150 and gfx1151: LLVM's features valu-trans-use-hazard and mad-intra-fwd-bug are of gfx110x.
    if (hazard == Hazard::transcendental_use || hazard == Hazard::wide_multiply_add) return std::string_view(chip.target).starts_with("gfx110");
    return std::string_view(chip.target).starts_with("gfx11");
}

std::vector<bool> find_hazards(const Program& program) {
    std::vector<bool> found(program.code.size());
    const Predecessors predecessors(program);
    const bool frees = frees_registers(program);
    for (std::size_t i = 0; i < found.size(); ++i) {
        found[i] = overlaps_itself(program.code[i]) || matrix_overlaps(program.code[i]) || (frees && freed_before(program, i));
        for (const Hazard hazard : kPairHazards) {
            const std::optional<RegSet> registers = registers_at_risk(program.code[i], hazard);
            if (registers && is_possible(program, predecessors, i, {.hazard = hazard, .registers = *registers})) found[i] = true;
        }
    }
    return found;
}

std::optional<std::string> hazard_of(const Program& program, const Chip& chip, std::size_t index, std::uint32_t entry, const RecentPath& path) {
    for (const Hazard hazard : kPairHazards) {
        if (!has_hazard(chip, hazard)) continue;
        const std::optional<RegSet> registers = registers_at_risk(program.code[index], hazard);
        if (!registers) continue;
        const auto culprit = culprit_of(program, index, entry, path, {.hazard = hazard, .registers = *registers});
        if (culprit) return fmt::format(fmt::runtime(advice_of(hazard)), program.text[*culprit]);
    }
    if (has_hazard(chip, Hazard::wide_multiply_add) && overlaps_itself(program.code[index]))
        return "writes a register that it reads, which this card does not do right";
    if (matrix_overlaps(program.code[index]))
        return "writes its result over an operand, which it reads in several passes: D may be C, and must not touch A or B";
    if (const auto freed = freed_before(program, index)) return fmt::format("uses a vector register that `{}` has given back", program.text[*freed]);
    return std::nullopt;
}

}  // namespace hipemu
