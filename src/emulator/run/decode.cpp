#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "emulator/checks/alignment.hpp"
#include "emulator/checks/watch.hpp"
#include "emulator/exec/control.hpp"
#include "emulator/exec/vector_modes.hpp"
#include "emulator/isa/decode_line.hpp"
#include "emulator/isa/decode_operand.hpp"
#include "emulator/isa/op_tables.hpp"
#include "emulator/isa/program.hpp"

namespace hipemu {
namespace {

using flashwave::Code;
using flashwave::Result;
using flashwave::Status;

using OpMap = std::unordered_map<std::string_view, const OpInfo*>;

const OpMap& op_map() {
    static const OpMap map = [] {
        OpMap all;
        for (const auto ops : {salu_ops(), control_ops(), smem_ops(), vmem_ops(), buffer_ops(), lds_ops(), implicit_address_ops(),
                               relative_move_ops(), valu_ops(chosen_lane_build())}) {
            for (const OpInfo& op : ops) all.emplace(op.mnemonic, &op);
        }
        return all;
    }();
    return map;
}

bool is_supported_target(std::string_view target) { return target.empty() || target.find("gfx11") != std::string_view::npos; }

const OpInfo* find_op(std::string_view mnemonic) {
    const OpMap& map = op_map();
    if (const auto exact = map.find(mnemonic); exact != map.end()) return exact->second;
    const auto base = map.find(base_mnemonic(mnemonic));
    return base == map.end() ? nullptr : base->second;
}

/// Instructions whose lanes read other lanes, whatever their modifiers.
bool is_lane_exchange(std::string_view mnemonic) {
    return mnemonic.starts_with("v_permlane") || mnemonic.starts_with("v_readlane") || mnemonic.starts_with("v_readfirstlane") ||
           mnemonic.starts_with("v_wmma") || mnemonic.starts_with("ds_swizzle") || mnemonic.starts_with("ds_bpermute") ||
           mnemonic.starts_with("ds_permute");
}

void add_registers(const Operand& operand, RegSet& vectors, ScalarSet& scalars) {
    if (operand.kind == OperandKind::vgpr) vectors.add(operand.index, operand.count);
    if (operand.kind != OperandKind::sgpr) return;
    if (operand.index < 128 && operand.index != kNull) scalars.add(operand.index, operand.count);
    if (operand.index == 251) scalars.add(kVccLo, 1);
    if (operand.index == 253) scalars.add(kSccBit, 1);
}

void fill_register_sets(Inst& inst, const OpInfo& info) {
    for (unsigned i = 0; i < inst.sources; ++i) add_registers(inst.src[i], inst.reads, inst.scalar_reads);
    for (unsigned i = 0; i < inst.destinations; ++i) add_registers(inst.dst[i], inst.writes, inst.scalar_writes);
    const bool partial = inst.destinations > 0 && inst.dst[0].half != Half::whole;
    const bool lanes_kept = inst.mod.dpp != DppControl::none && inst.mod.dpp != DppControl::dpp8 &&
                            (!inst.mod.bound_ctrl || inst.mod.row_mask != 0xf || inst.mod.bank_mask != 0xf);
    if (info.reads_destination || partial || lanes_kept) {
        inst.reads |= inst.writes;
        if (info.reads_destination) inst.scalar_reads |= inst.scalar_writes;
    }
    if (info.any_register && info.unit == Unit::salu) inst.scalar_reads.add(0, kVccLo);
    if (info.any_register && info.unit != Unit::salu) inst.reads.add(0, 256);
    if (info.reads_vcc) inst.scalar_reads.add(kVccLo, 1);
    if (info.reads_m0) inst.scalar_reads.add(kM0, 1);
    if (info.reads_scc) inst.scalar_reads.add(kSccBit, 1);
    if (info.writes_scc) inst.scalar_writes.add(kSccBit, 1);
    if (info.writes_exec) inst.scalar_writes.add(kExecLo, 1);
}

/// Outside the packed operations a 16-bit operand is one half of a register: `.h` or its op_sel bit says the high one. False if a listing
/// names the high half of an operand that is not known to be one.
bool mark_halves(Inst& inst, const OpInfo& info, std::string_view mnemonic) {
    const bool packed = mnemonic.starts_with("v_pk_") || (mnemonic.starts_with("v_dot") && !info.half_result) || mnemonic.starts_with("v_wmma") ||
                        mnemonic.find("_mix") != std::string_view::npos;
    if (info.half_result && inst.destinations > 0 && inst.dst[0].half == Half::whole) {
        inst.dst[0].half = inst.mod.op_sel >> inst.sources & 1 ? Half::high : Half::low;
    }
    if (packed) return true;
    bool understood = true;
    for (unsigned i = 0; i < inst.sources; ++i) {
        Type type = i < info.source_types.size() ? info.source_types[i] : Type::none;
        if (type == Type::none) type = info.source_type;
        Operand& source = inst.src[i];
        if (type != Type::b16 && type != Type::f16 && type != Type::bf16) {
            understood &= source.half != Half::high;
            continue;
        }
        const bool is_register = source.kind == OperandKind::vgpr || source.kind == OperandKind::sgpr;
        if (is_register && source.half == Half::whole) source.half = inst.mod.op_sel >> i & 1 ? Half::high : Half::low;
    }
    return understood;
}

class Decoder {
public:
    Decoder(std::string_view target, std::uint64_t text_start, Program& program)
        : target_(target), text_start_(text_start), program_(program) {}

    Status run(std::string_view listing) {
        const auto lines = static_cast<std::size_t>(std::count(listing.begin(), listing.end(), '\n')) + 1;
        program_.code.reserve(lines + 1);
        program_.text.reserve(lines + 1);
        while (!listing.empty()) {
            const std::size_t end = std::min(listing.find('\n'), listing.size());
            add_line(cut_line(listing.substr(0, end)));
            listing.remove_prefix(std::min(end + 1, listing.size()));
        }
        if (program_.code.empty()) return Status(Code::invalid_argument, "the listing holds no instruction");
        add_end();
        index_addresses();
        resolve_branches();
        for (const auto& half : program_.second_halves) complete(*half);
        for (Inst& inst : program_.code) complete(inst);
        if (std::any_of(program_.code.begin(), program_.code.end(), changes_mode)) obey_mode(program_);
        link_skips();
        program_.accesses = access_shapes(program_);
        set_alignments(program_);
        program_.waits = wait_counts(program_);
        program_.marks = watch_marks(program_);
        program_.quiet = quiet_runs(program_);
        return {};
    }

private:
    void add_line(const ListingLine& line) {
        if (line.kind == ListingLine::Kind::empty) return;
        if (line.kind == ListingLine::Kind::label) {
            labels_.emplace(std::string(line.text), next_address_);
            return;
        }
        // Padding: one instruction that stops whoever runs into it stands for the whole run.
        const bool padding = line.text == "s_code_end";
        const std::uint64_t address = line.has_address ? line.address - text_start_ : next_address_;
        next_address_ = address + line.bytes;
        if (padding && last_was_padding_) return;
        last_was_padding_ = padding;

        Inst& inst = program_.code.emplace_back();
        program_.text.emplace_back(line.text);
        inst.address = static_cast<std::uint32_t>(address);
        inst.bytes = line.bytes;

        const std::size_t joint = line.text.find(" :: ");
        if (joint == std::string_view::npos) {
            decode_into(inst, line.text);
            // Labels of several files in one object may have the same name; the encoding says which of them is meant.
            if (line.has_word && !label_uses_.empty() && label_uses_.back().index == program_.code.size() - 1) {
                inst.imm = static_cast<std::int16_t>(line.word & 0xffff);
                label_uses_.pop_back();
            }
            return;
        }
        decode_into(inst, line.text.substr(0, joint));
        auto second = std::make_unique<Inst>();
        decode_into(*second, line.text.substr(joint + 4));
        inst.second = second.get();
        second->address = inst.address;
        second->bytes = inst.bytes;
        program_.second_halves.push_back(std::move(second));
    }

    void decode_into(Inst& inst, std::string_view text) {
        const InstText parts = cut_instruction(text);
        const OpInfo* info = find_op(parts.mnemonic);
        if (info == nullptr || !is_supported_target(target_)) {
            inst.exec = exec_unknown;
            return;
        }
        inst.info = info;
        inst.exec = info->exec;
        inst.unit = info->unit;
        inst.issue_cycles = info->issue_cycles;
        if (info->no_effect) return;

        // VOP3P takes the high half of a source for its high result unless told otherwise; v_fma_mix reads op_sel_hi as "is fp16".
        inst.mod.op_sel_hi = parts.mnemonic.find("_mix") == std::string_view::npos ? 7 : 0;
        bool understood = parse_modifiers(parts.modifiers, inst.mod);
        inst.destinations = std::min<std::uint8_t>(info->destinations, 2);
        const bool data_named_once = info->glc_returns && parts.mnemonic.starts_with("buffer_");
        if (info->glc_returns) inst.destinations = inst.mod.glc && !data_named_once ? 1 : 0;
        inst.destinations = static_cast<std::uint8_t>(std::min<unsigned>(inst.destinations, parts.operand_count));

        for (unsigned i = 0; i < parts.operand_count; ++i) {
            if (i < inst.destinations) {
                understood &= parse_operand(parts.operands[i], Type::b32, inst.dst[i]);
                if (inst.dst[i].kind == OperandKind::sgpr && inst.dst[i].index == kNull) inst.dst[i].index = kSink;
                continue;
            }
            const unsigned source = i - inst.destinations;
            if (source >= inst.src.size()) {
                understood = false;
                break;
            }
            Type type = source < info->source_types.size() ? info->source_types[source] : Type::none;
            if (type == Type::none) type = info->source_type;
            inst.sources = static_cast<std::uint8_t>(source + 1);
            if (parse_operand(parts.operands[i], type, inst.src[source])) continue;
            if (info->ends_block) {
                label_uses_.push_back({program_.code.size() - 1, std::string(parts.operands[i])});
            } else {
                understood = false;
            }
        }
        // A buffer atomic names its data once, and returns the old value there.
        if (data_named_once && inst.mod.glc && inst.sources > 0) {
            inst.dst[0] = inst.src[0];
            if (parts.mnemonic.find("cmpswap") != std::string_view::npos) inst.dst[0].count /= 2;
            inst.destinations = 1;
        }
        if (inst.sources > 0 && inst.src[inst.sources - 1].kind == OperandKind::constant) {
            inst.imm = static_cast<std::int32_t>(inst.src[inst.sources - 1].value);
        }
        understood &= mark_halves(inst, *info, parts.mnemonic);
        if (!understood) inst.exec = exec_not_understood;
        if (inst.mod.dpp != DppControl::none || is_lane_exchange(parts.mnemonic)) inst.crosses_lanes = true;
        fill_register_sets(inst, *info);
    }

    void add_end() {
        Inst& end = program_.code.emplace_back();
        program_.text.emplace_back("(end of the text section)");
        end.address = static_cast<std::uint32_t>(next_address_);
        end.exec = exec_unknown;
        program_.text_bytes = static_cast<std::uint32_t>(next_address_);
    }

    void index_addresses() {
        program_.index_by_dword.assign(program_.text_bytes / 4 + 1, -1);
        for (std::size_t i = 0; i < program_.code.size(); ++i) {
            const std::size_t dword = program_.code[i].address / 4;
            if (dword < program_.index_by_dword.size()) program_.index_by_dword[dword] = static_cast<std::int32_t>(i);
        }
    }

    /// Branches name their target as a signed 16-bit count of dwords from the next instruction (printed unsigned), tests by label.
    void resolve_branches() {
        for (std::size_t i = 0; i < program_.code.size(); ++i) {
            Inst& inst = program_.code[i];
            if (inst.info == nullptr || inst.unit != Unit::branch || !inst.info->ends_block) continue;
            const std::int64_t distance = static_cast<std::int16_t>(inst.imm);
            set_target(inst, static_cast<std::int64_t>(inst.address) + 4 + 4 * distance);
        }
        for (const LabelUse& use : label_uses_) {
            Inst& inst = program_.code[use.index];
            const auto label = labels_.find(use.name);
            if (label == labels_.end()) {
                inst.exec = exec_not_understood;
            } else {
                set_target(inst, static_cast<std::int64_t>(label->second));
            }
        }
    }

    void set_target(Inst& inst, std::int64_t address) {
        const std::int32_t index = address < 0 ? -1 : program_.index_of(static_cast<std::uint64_t>(address));
        inst.target = index < 0 ? static_cast<std::uint32_t>(program_.code.size() - 1) : static_cast<std::uint32_t>(index);
    }

    static void complete(Inst& inst) {
        const OpInfo* info = inst.info;
        if (info != nullptr && info->select != nullptr && inst.exec == info->exec) inst.exec = info->select(inst);
        if (inst.second != nullptr) join_halves(inst);
        inst.ends_block = info != nullptr && info->ends_block;
        inst.has_modifiers = inst.mod.dpp != DppControl::none || inst.mod.clamp;
        inst.touched = inst.reads;
        inst.touched |= inst.writes;
        inst.scalar_touched = inst.scalar_reads;
        inst.scalar_touched |= inst.scalar_writes;
    }

    void link_skips() {
        std::uint16_t distance = 1;
        for (std::size_t i = program_.code.size(); i-- > 0;) {
            Inst& inst = program_.code[i];
            inst.skip = distance;
            const bool stepped_over = inst.info != nullptr && inst.info->no_effect && inst.exec == inst.info->exec;
            distance = stepped_over ? static_cast<std::uint16_t>(std::min(distance + 1, 60000)) : 1;
        }
    }

    struct LabelUse {
        std::size_t index;
        std::string name;
    };

    std::string_view target_;
    std::uint64_t text_start_;
    Program& program_;
    std::uint64_t next_address_ = 0;
    bool last_was_padding_ = false;
    std::unordered_map<std::string, std::uint64_t> labels_;
    std::vector<LabelUse> label_uses_;
};

}  // namespace

std::int32_t Program::index_of(std::uint64_t offset) const {
    if (offset % 4 != 0 || offset / 4 >= index_by_dword.size()) return -1;
    return index_by_dword[offset / 4];
}

Result<std::shared_ptr<Program>> decode(std::string_view listing, std::string_view target, std::uint64_t text_start) {
    auto program = std::make_shared<Program>();
    if (Status status = Decoder(target, text_start, *program).run(listing); !status.ok()) return status;
    return program;
}

void obey_mode(Program& program) {
    for (const auto& half : program.second_halves) {
        if (const ExecFn exec = handler_for_modes(*half)) half->exec = exec;
    }
    for (Inst& inst : program.code) {
        if (const ExecFn exec = handler_for_modes(inst)) inst.exec = exec;
        if (inst.second != nullptr && inst.info != nullptr && inst.first_exec == inst.info->exec) {
            Inst single = inst;
            single.exec = inst.first_exec;
            if (const ExecFn exec = handler_for_modes(single)) inst.first_exec = exec;
        }
    }
}

bool has_semantics(std::string_view mnemonic, std::string_view target) {
    return is_supported_target(target) && find_op(mnemonic) != nullptr;
}

std::vector<std::string_view> known_mnemonics() {
    std::vector<std::string_view> names;
    for (const auto& [name, info] : op_map()) names.push_back(name);
    return names;
}

}  // namespace hipemu
