// s_load_*: scalar loads from memory, kernel arguments and code.
#include <array>

#include "emulator/lane_access.hpp"
#include "emulator/op_tables.hpp"
#include "emulator/scalar.hpp"

namespace hipemu {
namespace {

template <unsigned words>
void exec_scalar_load(Wave& wave, const Inst& inst) {
    std::uint64_t address = scalar_pair(wave, inst.src[0]);
    // An immediate offset is signed, a register's is not; `null` is 0.
    if (inst.src[1].kind == OperandKind::constant) {
        address += static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(inst.src[1].value)});
    } else {
        address += scalar_word(wave, inst.src[1]);
    }
    address += static_cast<std::uint64_t>(std::int64_t{inst.mod.offset});
    address &= ~std::uint64_t{3};  // the hardware ignores the low bits
    Place place;
    if (!global_place(wave, address, 4 * words, -1, false, place)) return;
    for (unsigned word = 0; word < words; ++word) {
        if (inst.dst[0].index + word >= kScalars) break;
        std::memcpy(&wave.s[inst.dst[0].index + word], place.data + 4 * word, 4);
    }
    if (place.bitmap == nullptr || all_defined(place.bitmap, place.offset, 4 * words)) return;
    std::byte undefined[4 * words];
    undefined_bytes(place, 4 * words, undefined);
    for (unsigned word = 0; word < words; ++word) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, undefined + 4 * word, 4);
        set_scalar_undefined(wave, inst.dst[0].index + word, bits);
    }
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
    scalar_load("s_load_b512", exec_scalar_load<16>), cache_hint("s_dcache_inv"),
    cache_hint("s_gl1_inv"),
};

}  // namespace

std::span<const OpInfo> smem_ops() { return kOps; }

}  // namespace hipemu
