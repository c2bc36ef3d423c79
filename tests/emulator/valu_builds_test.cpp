// The whole operation table: a case for every mnemonic, and the same bits from every lane build on adversarial random inputs.
#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "emulator/instruction_cases.hpp"
#include "emulator/instruction_harness.hpp"

using namespace hipemu;

namespace {

unsigned words_of(Type type, std::string_view mnemonic, unsigned source) {
    if (mnemonic.find("wmma") != std::string_view::npos) return source == 2 ? 8 : mnemonic.find("iu4") != std::string_view::npos ? 2 : mnemonic.find("iu8") != std::string_view::npos ? 4 : 8;
    if (mnemonic == "v_mqsad_u32_u8" && source == 2) return 4;
    return type == Type::b64 || type == Type::f64 ? 2 : 1;
}

/// Bit patterns that matter to some operation: zeros, denormals, infinities, NaNs of each width, limits, small numbers, noise.
std::uint32_t interesting(std::mt19937& random) {
    static constexpr std::uint32_t kCorners[] = {0,          1,          0x80000000u, 0x80000001u, 0x007fffffu, 0x00800000u, 0x3f800000u, 0xbf800000u,
                                                 0x7f7fffffu, 0x7f800000u, 0xff800000u, 0x7fc00000u, 0x7f800001u, 0xffc12345u, 0x7fffffffu, 0xffffffffu,
                                                 0x7c007c01u, 0xfc007e00u, 0x04000001u, 0x83ff7bffu, 0x3c00bc00u, 0x7ff00000u, 0x7ff80000u, 0xfff00000u,
                                                 0x000fffffu, 0x3ff00000u, 0x40490fdbu, 0x4b000001u, 0xcb000000u, 0x4f000000u, 0x5f800000u, 0x33000000u};
    switch (random() % 4) {
        case 0: return kCorners[random() % std::size(kCorners)];
        case 1: return kCorners[random() % std::size(kCorners)] + random() % 5 - 2;
        case 2: return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<int>(random() % 4001) - 2000) / 16.0f);
        default: return static_cast<std::uint32_t>(random());
    }
}

void fill(Wave& wave, std::mt19937& random) {
    for (auto& r : wave.v) {
        for (std::uint32_t& x : r) x = interesting(random);
    }
    for (unsigned r = 0; r < 100; ++r) wave.s[r] = interesting(random);
    wave.s[kVccLo] = static_cast<std::uint32_t>(random());
    wave.s[kNull] = 0;
    wave.s[kExecLo] = random() % 2 ? 0xffffffffu : static_cast<std::uint32_t>(random());
    wave.mode = 0x3f0;
}

Operand random_source(Type type, unsigned words, std::mt19937& random, bool vector_only) {
    Operand operand;
    operand.count = static_cast<std::uint8_t>(words);
    if (type == Type::lane_mask) {
        operand.kind = OperandKind::sgpr;
        operand.index = static_cast<std::uint16_t>(random() % 90);
        return operand;
    }
    const unsigned kind = vector_only ? 0 : random() % 6;
    operand.kind = kind == 1 ? OperandKind::sgpr : kind == 2 ? OperandKind::constant : OperandKind::vgpr;
    operand.index = static_cast<std::uint16_t>(operand.kind == OperandKind::sgpr ? random() % 90 : 8 + random() % 240);
    if (words == 8) operand.index = static_cast<std::uint16_t>(8 + random() % 200);
    operand.value = interesting(random) | static_cast<std::uint64_t>(interesting(random)) << 32;
    if (type == Type::f16 || type == Type::b16 || type == Type::bf16) operand.half = random() % 2 ? Half::high : Half::low;
    if (operand.kind == OperandKind::constant) {
        operand.half = Half::whole;
        if (type == Type::f16 || type == Type::b16 || type == Type::bf16) operand.value &= 0xffff;
    }
    if (type == Type::f16 || type == Type::f32 || type == Type::f64) operand.neg = random() % 4 == 0, operand.abs = random() % 4 == 0;
    return operand;
}

/// An instruction of the table with operands of the right widths, chosen at random.
Inst random_instruction(const OpInfo& op, std::mt19937& random) {
    Inst inst;
    const bool exchange = op.mnemonic.find("permlane") != std::string_view::npos || op.mnemonic.find("lane_b32") != std::string_view::npos;
    const bool matrix = op.unit == Unit::wmma;
    inst.info = &op;
    inst.sources = op.mnemonic.find("swap") != std::string_view::npos ? 0 : 3;
    inst.destinations = op.destinations;
    for (unsigned i = 0; i < inst.sources; ++i) {
        const Type type = op.source_types[i] == Type::none ? op.source_type : op.source_types[i];
        inst.src[i] = random_source(type, words_of(type, op.mnemonic, i), random, matrix || (exchange && i == 0));
        if (exchange && i > 0) inst.src[i].kind = OperandKind::constant;
    }
    const bool scalar_result = op.mnemonic.starts_with("v_cmp_") || op.mnemonic.starts_with("v_readlane") || op.mnemonic.starts_with("v_readfirst");
    inst.dst[0].kind = scalar_result ? OperandKind::sgpr : OperandKind::vgpr;
    inst.dst[0].index = static_cast<std::uint16_t>(scalar_result ? 4 : random() % 2 ? 8 + random() % 200 : inst.src[0].index % 240);
    if (op.half_result) inst.dst[0].half = random() % 2 ? Half::high : Half::low;
    inst.dst[1].kind = inst.sources == 0 ? OperandKind::vgpr : OperandKind::sgpr;
    inst.dst[1].index = 6;
    inst.mod.clamp = random() % 3 == 0;
    inst.mod.op_sel = static_cast<std::uint8_t>(random() % 8);
    inst.mod.op_sel_hi = static_cast<std::uint8_t>(random() % 8);
    inst.mod.neg_lo = static_cast<std::uint8_t>(random() % 8);
    inst.mod.neg_hi = static_cast<std::uint8_t>(random() % 8);
    const bool no_dpp = exchange || matrix || inst.sources == 0 || inst.src[0].kind != OperandKind::vgpr || inst.src[0].count > 1;
    if (!no_dpp && random() % 4 == 0) {
        inst.mod.dpp = static_cast<DppControl>(1 + random() % 9);
        inst.mod.dpp_value = inst.mod.dpp == DppControl::dpp8 ? static_cast<std::uint32_t>(random() & 0xffffff)
                             : inst.mod.dpp == DppControl::quad_perm ? static_cast<std::uint32_t>(random() & 0xff) : 1 + static_cast<std::uint32_t>(random() % 15);
        inst.mod.bound_ctrl = random() % 2;
        inst.mod.fetch_inactive = random() % 2;
    }
    return inst;
}

bool same_state(const Wave& a, const Wave& b) {
    return std::memcmp(a.v, b.v, sizeof(a.v)) == 0 && std::memcmp(a.s, b.s, sizeof(a.s)) == 0;
}

}  // namespace

TEST_CASE("both lane builds give the same bits for every operation") {
    const auto builds = emulator_test::runnable_builds();
    if (builds.size() < 2) return;  // nothing to compare on this processor
    const auto portable = valu_ops(LaneBuild::portable), fast = valu_ops(LaneBuild::avx2);
    REQUIRE(portable.size() == fast.size());
    auto first = std::make_unique<Wave>(), second = std::make_unique<Wave>();
    std::mt19937 random(2024);
    for (std::size_t i = 0; i < portable.size(); ++i) {
        REQUIRE(portable[i].mnemonic == fast[i].mnemonic);
        for (int repeat = 0; repeat < 24; ++repeat) {
            const Inst inst = random_instruction(portable[i], random);
            const auto seed = random();
            std::mt19937 same_a(seed), same_b(seed);
            fill(*first, same_a);
            fill(*second, same_b);
            (portable[i].select ? portable[i].select(inst) : portable[i].exec)(*first, inst);
            (fast[i].select ? fast[i].select(inst) : fast[i].exec)(*second, inst);
            INFO(portable[i].mnemonic, " repeat ", repeat);
            REQUIRE(same_state(*first, *second));
        }
    }
}

TEST_CASE("a mnemonic stands in the table once") {
    std::vector<std::string_view> names;
    for (const OpInfo& op : valu_ops(LaneBuild::portable)) names.push_back(op.mnemonic);
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    CHECK_MESSAGE(twice == names.end(), (twice == names.end() ? std::string() : std::string(*twice)));
    CHECK(std::count_if(names.begin(), names.end(), [](std::string_view n) { return n.starts_with("v_dual_"); }) == 17);
}

TEST_CASE("every mnemonic of the table has a case of its own") {
    std::string missing;
    for (const OpInfo& op : valu_ops(LaneBuild::portable)) {
        if (!emulator_test::covered_mnemonics().contains(op.mnemonic)) missing += std::string(op.mnemonic) + " ";
    }
    CHECK_MESSAGE(missing.empty(), missing);
}
