#include "emulator/timing/program.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "emulator/isa/op_rows.hpp"
#include "emulator/isa/program.hpp"

namespace hipemu {
namespace {

std::uint16_t sixteenths(double cycles) { return static_cast<std::uint16_t>(std::min<long>(std::lround(cycles * kFraction), 0xffff)); }
std::uint16_t whole(double cycles) { return static_cast<std::uint16_t>(std::lround(cycles)); }

/// The last operand as a number: "s_nop 3", "s_setprio 0x1".
std::uint32_t operand_number(std::string_view text) {
    while (text.ends_with(' ')) text.remove_suffix(1);
    text = text.substr(text.find_last_of(" ,") + 1);
    const int base = text.starts_with("0x") ? 16 : 10;
    if (base == 16) text.remove_prefix(2);
    std::uint32_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value, base);
    return value;
}

/// Runs of a register set, as many as fit.
template <class Set, std::size_t N>
std::uint8_t ranges_of(const Set& set, std::array<RegisterRange, N>& ranges) {
    std::uint8_t used = 0;
    for (unsigned r = 0; r < 256 && used < N;) {
        if (!set.contains(r)) {
            ++r;
            continue;
        }
        unsigned end = r;
        while (end < 256 && end - r < 255 && set.contains(end)) ++end;
        ranges[used++] = {.first = static_cast<std::uint8_t>(r), .count = static_cast<std::uint8_t>(end - r)};
        r = end;
    }
    return used;
}

template <std::size_t N>
std::uint8_t scalars_of(const ScalarSet& set, std::array<std::uint8_t, N>& list) {
    std::uint8_t used = 0;
    for (unsigned r = 0; r < 128 && used < N; ++r)
        if (set.contains(r)) list[used++] = static_cast<std::uint8_t>(r);
    return used;
}

class Translator {
public:
    explicit Translator(const Chip& chip) : chip_(chip) {}

    TimedInst translate(const Program& program, std::size_t index) {
        const Inst& inst = program.code[index];
        TimedInst timed;
        timed.line = inst.address / std::max(chip_.instruction_line_bytes, 4u);
        if (inst.info == nullptr) return timed;
        const std::string_view text = program.text[index];
        if (inst.info->no_effect) {
            hint(timed, inst.info->mnemonic, text, program.waits[index]);
            return timed;
        }
        registers(timed, inst);
        timed.counter = counter_of(inst);
        timed.traced = timed.counter != Counter::none;
        const AccessShape& access = program.accesses[index];
        switch (inst.unit) {
            case Unit::valu:
            case Unit::trans: vector(timed, inst); break;
            case Unit::vopd: pair(timed, inst); break;
            case Unit::wmma: matrix(timed, inst); break;
            case Unit::lds: lds(timed, inst, access); break;
            case Unit::vmem: vmem(timed, inst, access); break;
            case Unit::smem: use(timed, TimedKind::smem, Port::smem); break;
            case Unit::salu: use(timed, inst.info->ends_block ? TimedKind::branch : TimedKind::scalar, Port::salu); break;
            case Unit::branch: use(timed, TimedKind::branch, Port::branch); break;
            default:
                use(timed, inst.info->mnemonic == "s_barrier" ? TimedKind::barrier
                           : inst.info->mnemonic.starts_with("s_endpgm") ? TimedKind::end
                                                                         : TimedKind::hint,
                    Port::branch);
        }
        return timed;
    }

private:
    static void use(TimedInst& timed, TimedKind kind, Port port) {
        timed.kind = kind;
        timed.port = port;
        timed.busy = timed.busy_matrix = kFraction;
    }

    void registers(TimedInst& timed, const Inst& inst) {
        timed.reads = ranges_of(inst.reads, timed.read);
        timed.writes = ranges_of(inst.writes, timed.written);
        timed.scalar_reads = scalars_of(inst.scalar_reads, timed.scalar_read);
        timed.scalar_writes = scalars_of(inst.scalar_writes, timed.scalar_written);
        const std::string_view name = inst.info->mnemonic;
        const auto reads = [&](std::uint16_t r) { timed.scalar_read[timed.scalar_reads++] = static_cast<std::uint8_t>(r); };
        if (timed.scalar_reads > 0) return;
        if (name.starts_with("s_cbranch_exec")) reads(kExecLo);
        if (name.starts_with("s_cbranch_vcc")) reads(kVccLo);
        if (name.starts_with("s_cbranch_scc")) reads(kSccBit);
    }

    void vector(TimedInst& timed, const Inst& inst) {
        const bool trans = inst.unit == Unit::trans;
        const std::string_view name = inst.info->mnemonic;
        use(timed, trans ? TimedKind::trans : TimedKind::vector, trans ? Port::trans : Port::valu);
        double cycles = chip_.valu_cycles;
        if (inst.issue_cycles == kDoubleCycles) cycles = chip_.f64_cycles;
        else if (trans) cycles = chip_.trans_cycles;
        else if (inst.issue_cycles == kShift64Cycles) cycles = chip_.shift64_cycles;
        else if (name.find("mad_u64") != std::string_view::npos || name.find("mad_i64") != std::string_view::npos) cycles = chip_.mad64_cycles;
        else if (inst.issue_cycles >= kQuarterRate) cycles = chip_.mul32_cycles;
        timed.busy = timed.busy_matrix = sixteenths(cycles);
        const double base = trans ? chip_.trans_latency - chip_.trans_cycles : chip_.valu_latency - chip_.valu_cycles;
        timed.latency = whole(base + cycles);
    }

    void pair(TimedInst& timed, const Inst& inst) {
        use(timed, TimedKind::vector, Port::valu);
        timed.busy = sixteenths(chip_.vopd_cycles);
        timed.busy_matrix = sixteenths(chip_.vopd_matrix_cycles);
        timed.latency = whole(chip_.valu_latency);
        (void)inst;
    }

    void matrix(TimedInst& timed, const Inst& inst) {
        use(timed, TimedKind::matrix, Port::matrix);
        const Operand &a = inst.src[0], &b = inst.src[1], &c = inst.src[2];
        timed.has_accumulator = c.kind == OperandKind::vgpr;
        timed.reads = 0;
        for (const Operand* source : {&a, &b, &c}) {
            if (source->kind != OperandKind::vgpr) continue;
            timed.read[timed.reads++] = {.first = static_cast<std::uint8_t>(source->index), .count = source->count};
        }
        // Three banks serve A, B and C together; an accumulator that is a constant needs none.
        const bool spread = a.index % 4 != b.index % 4 && (!timed.has_accumulator || (c.index % 4 != a.index % 4 && c.index % 4 != b.index % 4));
        const bool iu4 = inst.info->mnemonic.find("iu4") != std::string_view::npos;
        const double cycles = iu4 ? (spread ? chip_.wmma_iu4_spread_cycles : chip_.wmma_iu4_cycles)
                                  : (spread ? chip_.wmma_spread_cycles : chip_.wmma_cycles);
        timed.busy = timed.busy_matrix = sixteenths(cycles);
        timed.latency = whole(cycles + chip_.valu_latency);
    }

    void lds(TimedInst& timed, const Inst& inst, const AccessShape& access) {
        use(timed, TimedKind::lds, Port::lds);
        const double dwords = std::max(access.bytes * (access.second != 0 ? 2 : 1), 4) / 4.0;
        const bool returns = inst.destinations > 0;
        timed.stores = access.writes && !returns && !access.atomic;
        const double issue = access.writes ? chip_.lds_write_issue_cycles + chip_.lds_write_issue_dword_cycles * dwords : chip_.lds_read_issue_cycles;
        timed.busy = timed.busy_matrix = sixteenths(issue);
        timed.steals = sixteenths(returns ? chip_.lds_read_valu_cycles + chip_.lds_read_valu_dword_cycles * dwords
                                          : chip_.lds_write_valu_dword_cycles * dwords);
    }

    void vmem(TimedInst& timed, const Inst& inst, const AccessShape& access) {
        use(timed, TimedKind::vmem, Port::vmem);
        const double dwords = std::max<int>(access.bytes, 4) / 4.0;
        double issue = chip_.vmem_issue_cycles;
        const bool address_pair = inst.sources > 0 && inst.src[0].kind == OperandKind::vgpr && inst.src[0].count == 2 && !access.buffer;
        if (address_pair) issue += chip_.vmem_vaddr_issue_cycles;
        if (access.space == AccessSpace::flat) issue += chip_.vmem_flat_issue_cycles;
        if (access.writes) issue += chip_.vmem_store_issue_dword_cycles * dwords;
        timed.busy = timed.busy_matrix = sixteenths(issue);
        timed.stores = inst.destinations == 0;
        timed.atomic = access.atomic;
        if (!timed.stores) timed.steals = sixteenths(chip_.vmem_read_valu_dword_cycles * dwords);
        timed.transfer = static_cast<std::uint16_t>(std::ceil(dwords * 4 * kLanes / std::max(chip_.l0_bytes_per_cycle, 1.0)));
    }

    void hint(TimedInst& timed, std::string_view name, std::string_view text, const WaitCounts& wait) {
        if (wait.waits()) {
            timed.kind = TimedKind::wait;
            timed.wait = wait;
        } else if (name == "s_waitcnt_depctr") {
            // va_vdst, bits 12 to 15: vector instructions that may still be under way; 15 does not wait.
            timed.kind = TimedKind::wait;
            timed.waits_for_vector = (operand_number(text) >> 12 & 15) == 0;
        } else if (name == "s_nop") {
            timed.slots = static_cast<std::uint8_t>(1 + (operand_number(text) & 15));
        } else if (name == "s_sleep") {
            timed.slots = static_cast<std::uint8_t>(std::min(1 + 64 * (operand_number(text) & 127), 255u));
        } else if (name == "s_setprio") {
            timed.priority = static_cast<std::uint8_t>(operand_number(text) & 3);
        } else if (name == "s_sendmsg") {
            timed.frees_registers = text.find("DEALLOC_VGPRS") != std::string_view::npos;
        } else if (name == "buffer_gl0_inv" || name == "buffer_gl1_inv") {
            timed.invalidates_l0 = true;
            timed.invalidates_gl1 = name == "buffer_gl1_inv";
            timed.slots = static_cast<std::uint8_t>(std::max<std::uint16_t>(whole(chip_.cache_invalidate_cycles), 1));
        }
    }

    const Chip& chip_;
};

bool is_plain_hint(const TimedInst& timed) {
    return timed.kind == TimedKind::hint && timed.priority == 0xff && !timed.frees_registers && !timed.invalidates_l0;
}

/// A stretch may begin at a hint, but hints that follow an instruction are taken along with it.
void join_hints(std::vector<TimedInst>& code, const Program& program) {
    for (std::size_t i = 0; i < code.size(); ++i) {
        if (program.code[i].ends_block) continue;
        for (std::size_t next = i + 1; next < code.size() && is_plain_hint(code[next]) && !program.code[next].ends_block; ++next) {
            if (code[i].slots + code[next].slots > 255 || code[i].step == 255) break;
            code[i].slots = static_cast<std::uint8_t>(code[i].slots + code[next].slots);
            ++code[i].step;
        }
    }
}

}  // namespace

TimedProgram::TimedProgram(const Program& program, const Chip& card)
    : chip(&card), code(program.code.size()), work_before(program.code.size() + 1) {
    Translator translator(card);
    for (std::size_t i = 0; i < code.size(); ++i) {
        code[i] = translator.translate(program, i);
        lines = std::max(lines, code[i].line + 1);
        const bool vector = code[i].kind == TimedKind::vector || code[i].kind == TimedKind::trans || code[i].kind == TimedKind::matrix;
        work_before[i + 1] = work_before[i] + (vector ? code[i].busy : kFraction / 2 + code[i].steals);
    }
    join_hints(code, program);
}

}  // namespace hipemu
