// s_load_*: scalar loads from memory, kernel arguments and code; s_buffer_load_*: the same through a buffer descriptor.
#include <array>

#include "emulator/isa/op_tables.hpp"
#include "emulator/state/lane_access.hpp"
#include "emulator/state/scalar.hpp"

namespace hipemu {
namespace {

/// An immediate offset is signed, a register's is not; `null` is 0.
std::uint64_t offset_of(const Wave& wave, const Inst& inst) {
    const Operand& offset = inst.src[1];
    const std::uint64_t own = offset.kind == OperandKind::constant
                                  ? static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(offset.value)})
                                  : scalar_word(wave, offset);
    return own + static_cast<std::uint64_t>(std::int64_t{inst.mod.offset});
}

/// `words` registers from `first` of the destination.
void load_words(Wave& wave, const Inst& inst, std::uint64_t address, unsigned first, unsigned words) {
    Place place;
    if (!global_place(wave, address, 4 * words, -1, false, place)) return;
    std::byte undefined[64] = {};
    const bool defined = place.bitmap == nullptr || all_defined(place.bitmap, place.offset, 4 * words);
    if (!defined) undefined_bytes(place, 4 * words, undefined);
    for (unsigned word = 0; word < words; ++word) {
        const unsigned r = inst.dst[0].index + first + word;
        if (r >= kScalars) break;
        std::memcpy(&wave.s[r], place.data + 4 * word, 4);
        std::uint32_t bits = 0;
        std::memcpy(&bits, undefined + 4 * word, 4);
        if (!defined) set_scalar_undefined(wave, r, bits);
    }
}

template <unsigned words>
void exec_scalar_load(Wave& wave, const Inst& inst) {
    const std::uint64_t address = scalar_pair(wave, inst.src[0]) + offset_of(wave, inst);
    load_words(wave, inst, address & ~std::uint64_t{3}, 0, words);  // the hardware ignores the low bits
}

/// Words beyond the descriptor's size read as 0.
template <unsigned words>
void exec_buffer_load(Wave& wave, const Inst& inst) {
    const std::uint64_t base = scalar_pair(wave, inst.src[0]) & 0xffff'ffff'ffffull;
    const std::uint64_t size = scalar_word(wave, inst.src[0], 2);
    const std::uint64_t offset = offset_of(wave, inst) & 0xffff'fffcull;
    const std::uint64_t inside = offset >= size ? 0 : (size - offset) / 4;
    const unsigned present = inside < words ? static_cast<unsigned>(inside) : words;
    if (present > 0) load_words(wave, inst, base + offset, 0, present);
    for (unsigned word = present; word < words; ++word) set_scalar_word(wave, inst.dst[0], 0, word);
}

void taint_scalar_load(Wave& wave, const Inst& inst) {
    for (unsigned i = 0; i < inst.sources; ++i) require_defined_address(wave, inst.src[i]);
    for (unsigned word = 0; word < inst.dst[0].count; ++word) set_scalar_undefined(wave, inst.dst[0].index + word, 0);
}

constexpr OpInfo scalar_load(std::string_view mnemonic, ExecFn exec) {
    OpInfo op;
    op.mnemonic = mnemonic;
    op.exec = exec;
    op.unit = Unit::smem;
    op.issue_cycles = 0;
    op.source_types = {Type::b64, Type::b32};
    op.taint = Taint::custom;
    op.taint_fn = taint_scalar_load;
    return op;
}

constexpr OpInfo cache_hint(std::string_view mnemonic) {
    OpInfo op;
    op.mnemonic = mnemonic;
    op.exec = [](Wave&, const Inst&) {};
    op.unit = Unit::wait;
    op.issue_cycles = 0;
    op.destinations = 0;
    op.taint = Taint::none;
    op.no_effect = true;
    return op;
}

constexpr std::array kOps{
    scalar_load("s_load_b32", exec_scalar_load<1>),   scalar_load("s_load_b64", exec_scalar_load<2>),
    scalar_load("s_load_b128", exec_scalar_load<4>),  scalar_load("s_load_b256", exec_scalar_load<8>),
    scalar_load("s_load_b512", exec_scalar_load<16>),

    scalar_load("s_buffer_load_b32", exec_buffer_load<1>),   scalar_load("s_buffer_load_b64", exec_buffer_load<2>),
    scalar_load("s_buffer_load_b128", exec_buffer_load<4>),  scalar_load("s_buffer_load_b256", exec_buffer_load<8>),
    scalar_load("s_buffer_load_b512", exec_buffer_load<16>),

    cache_hint("s_dcache_inv"),                              cache_hint("s_gl1_inv"),
    cache_hint("s_atc_probe"),                               cache_hint("s_atc_probe_buffer"),
};

}  // namespace

std::span<const OpInfo> smem_ops() { return kOps; }

}  // namespace hipemu
