#include "emulator/isa/element_size.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string_view>

#include "emulator/isa/program.hpp"

namespace hipemu {
namespace {

constexpr unsigned kWord = 4, kHalf = 2, kByte = 1;
// Compilers put loads far ahead of their use, but within a loop's body.
constexpr std::size_t kFarthest = 1024;
// Four bytes come together in three steps, each a shift and an or.
constexpr int kDeepest = 5;

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool is_vector(const Operand& operand) { return operand.kind == OperandKind::vgpr; }

bool covers(const Operand& operand, unsigned reg) { return is_vector(operand) && reg >= operand.index && reg < operand.index + operand.count; }

std::optional<std::uint32_t> constant_of(const Inst& inst, unsigned source) {
    if (source >= inst.sources || inst.src[source].kind != OperandKind::constant) return std::nullopt;
    return static_cast<std::uint32_t>(inst.src[source].value);
}

/// A number of bits that a field begins at or is wide.
unsigned of_bits(std::optional<std::uint32_t> bits) {
    if (!bits || *bits == 0 || *bits % 8 != 0) return kWord;
    return *bits % 16 == 0 ? kHalf : kByte;
}

/// A mask of whole bytes, or of the same bits of several.
unsigned of_mask(std::optional<std::uint32_t> mask) {
    if (!mask || *mask == 0 || *mask == ~0u) return kWord;
    constexpr std::uint32_t kEachByte = 0x01010101;
    if (*mask % kEachByte == 0) return kByte;
    bool whole = true, halves = true;
    for (int byte = 0; byte < 4; ++byte) {
        const std::uint32_t bits = *mask >> (8 * byte) & 0xff;
        whole = whole && (bits == 0 || bits == 0xff);
        halves = halves && (byte % 2 == 0 || bits == (*mask >> (8 * byte - 8) & 0xff));
    }
    if (whole) return halves ? kHalf : kByte;
    return *mask >> 16 == (*mask & 0xffff) ? kHalf : kWord;
}

/// Whether a constant is rather several small ones side by side, or zeros, than one number.
bool looks_joined(std::uint32_t constant) {
    const auto high = static_cast<std::int32_t>(constant) >> 15;
    return constant == 0 || ((constant & 0xffff) != 0 && constant >> 16 != 0 && high != -1);
}

/// The second source of s_bfe_*: where a field begins, and its width from bit 16 on.
unsigned of_scalar_field(std::optional<std::uint32_t> field) {
    return field ? std::min(of_bits(*field & 31), of_bits(*field >> 16 & 127)) : kWord;
}

/// A mask of one bit. Behind a shift by a number that is no constant, the word is a row of bits, and such a row one of bytes.
bool is_one_bit(std::optional<std::uint32_t> mask) { return mask && std::has_single_bit(*mask); }

/// v_perm_b32: each byte of the selector names one of eight source bytes, or a constant.
unsigned of_selector(std::optional<std::uint32_t> selector) {
    if (!selector) return kByte;
    for (int half = 0; half < 2; ++half) {
        const std::uint32_t low = *selector >> (16 * half) & 0xff, high = *selector >> (16 * half + 8) & 0xff;
        const bool pair = low % 2 == 0 && high == low + 1;
        if (!pair && !(low >= 12 && high >= 12)) return kByte;
    }
    return kHalf;
}

unsigned of_type(Type type) {
    return type == Type::b16 || type == Type::f16 || type == Type::bf16 || type == Type::pk16 || type == Type::pkf16 ? kHalf : kWord;
}

/// What shifts, fields, masks and selectors say of the values that they move bits of, read or written.
unsigned of_moved_bits(const Inst& inst, std::string_view name) {
    if (name.starts_with("v_lshrrev_b") || name.starts_with("v_ashrrev_i") || name.starts_with("v_lshlrev_b")) return of_bits(constant_of(inst, 0));
    if (name.starts_with("v_bfe_")) {
        const auto place = constant_of(inst, 1), width = constant_of(inst, 2);
        return !place && width == 1u ? kByte : std::min(of_bits(place), of_bits(width));
    }
    if (name == "v_and_b32" || name == "v_and_b16") return std::min(of_mask(constant_of(inst, 0)), of_mask(constant_of(inst, 1)));
    if (name == "v_and_or_b32") return std::min(of_mask(constant_of(inst, 0)), of_mask(constant_of(inst, 1)));
    if (name == "v_bfi_b32") return of_mask(constant_of(inst, 0));
    if (name == "v_lshl_or_b32") return of_bits(constant_of(inst, 1));
    if (name == "v_alignbit_b32") return of_bits(constant_of(inst, 2));
    if (name == "v_alignbyte_b32") return kByte;
    if (name == "v_perm_b32") return of_selector(constant_of(inst, 2));
    return kWord;
}

/// The elements that an instruction takes out of its source. `in_lds`: what the kernel takes out of words in LDS.
unsigned read_by(const Inst& inst, unsigned source, unsigned in_lds) {
    const std::string_view name = inst.info->mnemonic;
    const Operand& operand = inst.src[source];
    if (inst.unit == Unit::vmem || inst.unit == Unit::lds) {
        if (!has(name, "_store_") || !is_stored(inst, source)) return kWord;
        return has(name, "_b8") ? kByte : has(name, "_b16") ? kHalf : inst.unit == Unit::lds ? in_lds : kWord;
    }
    if (inst.unit == Unit::wmma || name.starts_with("v_dot")) {
        if (source == 2) return kWord;  // what is added to
        return has(name, "u4") || has(name, "i4") || has(name, "u8") || has(name, "i8") ? kByte : kHalf;
    }
    if (has(name, "_ubyte") || has(name, "_u8") || has(name, "_i8")) return kByte;
    if (name.starts_with("v_fma_mix") && inst.mod.op_sel_hi >> source & 1) return kHalf;
    const Type own = inst.info->source_types[source];
    const unsigned size = operand.half != Half::whole ? kHalf : of_type(own == Type::none ? inst.info->source_type : own);
    return std::min(size, of_moved_bits(inst, name));
}

const Inst* half_that_writes(const Inst& inst, unsigned reg) {
    for (const Inst* half = &inst; half != nullptr; half = half->second) {
        for (unsigned i = 0; i < half->destinations; ++i)
            if (covers(half->dst[i], reg)) return half;
    }
    return nullptr;
}

unsigned written_to(const Program& program, std::size_t index, unsigned reg, int depth);

/// The elements that the result of `writer`, which is code[index] or half of it, was put together from.
unsigned written_by(const Program& program, std::size_t index, const Inst& writer, int depth) {
    const std::string_view name = writer.info->mnemonic;
    if (writer.unit == Unit::vmem || writer.unit == Unit::lds) {
        return has(name, "_u8") || has(name, "_i8") ? kByte : has(name, "_u16") || has(name, "_i16") || has(name, "_b16") ? kHalf : kWord;
    }
    if (writer.unit == Unit::wmma) return name.starts_with("v_wmma_f16") || name.starts_with("v_wmma_bf16") ? kHalf : kWord;
    if (name.starts_with("v_cvt_pk_u8")) return kByte;
    const bool moves = name == "v_mov_b32" || name == "v_dual_mov_b32" || name == "v_mov_b16";
    if (const auto constant = constant_of(writer, 0); moves && constant && looks_joined(*constant)) return kByte;
    unsigned size = of_moved_bits(writer, name);
    const bool packs = name.starts_with("v_pk_") || name.starts_with("v_cvt_pk_") || name.starts_with("v_pack_b32");
    if (packs || writer.info->half_result || writer.dst[0].half != Half::whole) size = std::min(size, kHalf);
    // What only joins and moves may join smaller things than this last step shows.
    const bool joins = has(name, "_or_b") || has(name, "_or3_b") || has(name, "_and_b") || has(name, "_lshlrev_b") || has(name, "_lshl_or_b") ||
                       has(name, "_and_or_b") || has(name, "_mov_b") || has(name, "_cndmask_b") || name == "v_perm_b32";
    for (unsigned source = 0; joins && depth < kDeepest && source < writer.sources && size > kByte; ++source) {
        if (is_vector(writer.src[source])) size = std::min(size, written_to(program, index, writer.src[source].index, depth + 1));
    }
    return size;
}

/// The elements that the value of `reg` before code[index] was put together from.
unsigned written_to(const Program& program, std::size_t index, unsigned reg, int depth) {
    unsigned size = kWord;
    bool low = false, high = false;  // halves of the register whose writer was seen
    for (std::size_t i = index; i-- > 0 && index - i <= kFarthest && size > kByte && !(low && high);) {
        const Inst& inst = program.code[i];
        if (inst.info == nullptr || !inst.writes.contains(reg)) continue;
        const Inst* const writer = half_that_writes(inst, reg);
        if (writer == nullptr) break;
        size = std::min(size, written_by(program, i, *writer, depth));
        low = low || writer->dst[0].half != Half::high;
        high = high || writer->dst[0].half != Half::low;
    }
    return size;
}

unsigned element_stored(const Program& program, std::size_t index) {
    const Inst& store = program.code[index];
    unsigned size = kWord;
    for (unsigned source = 0; source < store.sources; ++source) {
        const Operand& data = store.src[source];
        if (!is_stored(store, source)) continue;
        for (unsigned reg = data.index; reg < data.index + data.count; ++reg) size = std::min(size, written_to(program, index, reg, 0));
    }
    return size;
}

/// The elements that scalar instructions behind code[index] take out of the scalar register `reg`, which it has written.
unsigned read_as_scalar(const Program& program, std::size_t index, unsigned reg) {
    unsigned size = kWord;
    const std::size_t end = std::min(program.code.size(), index + kFarthest);
    for (std::size_t i = index + 1; i < end && size > kByte; ++i) {
        const Inst& inst = program.code[i];
        if (inst.info == nullptr) continue;
        const std::string_view name = inst.info->mnemonic;
        if (inst.unit == Unit::salu && inst.scalar_reads.contains(reg)) {
            if (name == "s_lshr_b32" || name == "s_ashr_i32") size = std::min(size, of_bits(constant_of(inst, 1)));
            if (name == "s_and_b32") size = std::min({size, of_mask(constant_of(inst, 0)), of_mask(constant_of(inst, 1))});
            if (name == "s_bfe_u32" || name == "s_bfe_i32") size = std::min(size, of_scalar_field(constant_of(inst, 1)));
            if (name == "s_sext_i32_i16" || name.starts_with("s_pack_")) size = std::min(size, kHalf);
        }
        if (inst.scalar_writes.contains(reg)) break;
    }
    return size;
}

/// A number of bits that is not known before: a mask behind it tells what is moved.
bool shifts_right(const Inst& inst) {
    const std::string_view name = inst.info->mnemonic;
    return (name == "v_lshrrev_b32" || name == "v_ashrrev_i32") && inst.destinations == 1;
}

/// Whether single bits of a source stay single bits of the result.
bool moves_bits(const Inst& inst, unsigned source) {
    const std::string_view name = inst.info->mnemonic;
    if (has(name, "_lshlrev_b32")) return source == 1 && constant_of(inst, 0).has_value();
    if (name == "v_lshl_or_b32") return source == 2 || (source == 0 && constant_of(inst, 1));
    return name == "v_or_b32" || name == "v_or3_b32";
}

bool takes_one_bit(const Inst& inst) {
    return inst.info->mnemonic.starts_with("v_and_") && (is_one_bit(constant_of(inst, 0)) || is_one_bit(constant_of(inst, 1)));
}

unsigned element_loaded(const Program& program, std::size_t index, unsigned in_lds) {
    RegSet live = program.code[index].writes, shifted{}, by_any{};  // by_any: shifted by a number that is no constant
    unsigned size = kWord;
    const std::size_t end = std::min(program.code.size(), index + kFarthest);
    for (std::size_t i = index + 1; i < end && !(live.empty() && shifted.empty() && by_any.empty()) && size > kByte; ++i) {
        const Inst& inst = program.code[i];
        if (inst.info == nullptr) continue;
        RegSet now_shifted{}, now_by_any{};
        for (const Inst* half = &inst; half != nullptr; half = half->second) {
            for (unsigned source = 0; source < half->sources; ++source) {
                const Operand& operand = half->src[source];
                if (!is_vector(operand)) continue;
                for (unsigned reg = operand.index; reg < operand.index + operand.count; ++reg) {
                    if (live.contains(reg)) size = std::min(size, read_by(*half, source, in_lds));
                    if (shifted.contains(reg) && half->info->mnemonic.starts_with("v_and_")) size = std::min(size, read_by(*half, source, in_lds));
                    if (by_any.contains(reg) && takes_one_bit(*half)) size = kByte;
                    const bool right = live.contains(reg) && source == 1 && shifts_right(*half);
                    if (right) now_shifted.add(half->dst[0].index, 1);
                    if ((right && !constant_of(*half, 0)) || (by_any.contains(reg) && moves_bits(*half, source)))
                        now_by_any.add(half->dst[0].index, 1);
                }
                if (half->info->mnemonic == "v_readfirstlane_b32" && live.contains(operand.index) && half->dst[0].kind == OperandKind::sgpr)
                    size = std::min(size, read_as_scalar(program, i, half->dst[0].index));
            }
        }
        live -= inst.writes;
        shifted -= inst.writes;
        shifted |= now_shifted;
        by_any -= inst.writes;
        by_any |= now_by_any;
    }
    return size;
}

}  // namespace

bool is_stored(const Inst& store, unsigned source) {
    if (!is_vector(store.src[source])) return false;
    if (store.info->mnemonic.starts_with("buffer_")) return source == 0;
    return source == 1 || (source == 2 && store.unit == Unit::lds);
}

std::size_t end_of_function(const Program& program, std::size_t index) {
    constexpr std::uint32_t kAlignment = 256;
    for (std::size_t i = index + 1; i < program.code.size(); ++i) {
        const Inst &inst = program.code[i], &before = program.code[i - 1];
        const bool ends = before.info == nullptr || before.info->mnemonic == "s_endpgm" || before.info->mnemonic == "s_code_end";
        if (ends && inst.address % kAlignment == 0) return i;
    }
    return program.code.size();
}

unsigned element_in_lds(const Program& program, std::size_t first, std::size_t end) {
    unsigned size = kWord;
    for (std::size_t i = first; i < end && size > kByte; ++i) {
        const AccessShape& shape = program.accesses[i];
        if (shape.space != AccessSpace::lds || !shape.reads || shape.atomic || shape.bytes == 0) continue;
        size = std::min({size, unsigned{shape.bytes}, element_loaded(program, i, kWord)});
    }
    return size;
}

unsigned element_size(const Program& program, std::size_t index, unsigned in_lds) {
    return program.accesses[index].writes ? element_stored(program, index) : element_loaded(program, index, in_lds);
}

}  // namespace hipemu
