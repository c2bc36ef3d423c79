// Listings as comgr prints them, and hand-written lines, become the right instructions.
#include <doctest/doctest.h>

#include "emulator/exec/control.hpp"
#include "emulator/isa/decode_line.hpp"
#include "emulator/isa/decode_operand.hpp"
#include "emulator/isa/program.hpp"

using namespace hipemu;

namespace {

std::shared_ptr<Program> decoded(std::string_view listing, std::uint64_t text_start = 0) {
    auto program = decode(listing, "gfx1100", text_start);
    REQUIRE(program.ok());
    return *program;
}

Inst first_of(std::string_view line) { return decoded(line)->code.front(); }

Operand operand(std::string_view text, Type type = Type::b32) {
    Operand out;
    REQUIRE_MESSAGE(parse_operand(text, type, out), text);
    return out;
}

}  // namespace

TEST_CASE("addresses, sizes and branch targets follow the listing's comments") {
    const auto program = decoded(
        ":\tfile format elf64-amdgpu\n"
        "\n"
        "Disassembly of section .text:\n"
        "fwd:\n"
        "\ts_load_b256 s[4:11], s[0:1], 0x18                          // 000000001800: F40C0100 F8000018 \n"
        "\ts_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_3)// 000000001808: BF870193 \n"
        "\tv_and_b32_e32 v2, 0x70, v5                                 // 00000000180C: 36040AFF 00000070 \n"
        "\ts_cbranch_scc1 65532                                       // 000000001814: BFA2FFFC  <fwd+0x8>\n"
        "\ts_endpgm                                                   // 000000001818: BFB00000 \n"
        "\ts_code_end                                                 // 00000000181C: BF9F0000 \n"
        "\ts_code_end                                                 // 000000001820: BF9F0000 \n",
        0x1800);
    REQUIRE(program->code.size() == 7);  // one s_code_end stands for the padding, and the end is guarded
    CHECK(program->code[1].address == 8);
    CHECK(program->code[2].bytes == 8);
    CHECK(program->code[3].target == 1);
    CHECK(program->index_of(0x14) == 3);
    CHECK(program->index_of(0x10) == -1);
    CHECK(program->index_of(0x4000) == -1);
    CHECK(program->text[2] == "v_and_b32_e32 v2, 0x70, v5");
}

TEST_CASE("the upper half of an operand that is no half is not understood") {
    CHECK((first_of("v_add_nc_u32_e32 v0, v1.h, v2").exec == exec_not_understood));
    CHECK_FALSE((first_of("v_add_nc_u32_e32 v0, v1, v2").exec == exec_not_understood));
    CHECK_FALSE((first_of("v_alignbit_b32 v0, s4, v1, v2.h op_sel:[0,0,1,0]").exec == exec_not_understood));
    CHECK_FALSE((first_of("v_cvt_f32_f16_e32 v0, v1.h").exec == exec_not_understood));
}

TEST_CASE("waits and hints are stepped over") {
    const auto program = decoded(
        "v_mov_b32 v0, v1\n"
        "s_waitcnt vmcnt(0) lgkmcnt(14)\n"
        "s_delay_alu instid0(VALU_DEP_1)\n"
        "s_nop 0\n"
        "s_clause 0x1\n"
        "buffer_gl0_inv\n"
        "v_mov_b32 v0, v2\n");
    CHECK(program->code[0].skip == 6);
    CHECK(program->code[6].skip == 1);
}

TEST_CASE("of several labels of one name a branch goes to the one that its encoding means") {
    // Two functions, written in assembly with the same label in each and linked into one object.
    const auto program = decoded(
        "first:\n"
        "\ts_cbranch_scc1 done                                        // 000000001800: BFA20001 \n"
        "\ts_nop 0                                                    // 000000001804: BF800000 \n"
        "done:\n"
        "\ts_endpgm                                                   // 000000001808: BFB00000 \n"
        "second:\n"
        "\ts_nop 0                                                    // 00000000180C: BF800000 \n"
        "\ts_cbranch_scc1 done                                        // 000000001810: BFA20001 \n"
        "\ts_branch second                                            // 000000001814: BFA0FFFD \n"
        "done:\n"
        "\ts_endpgm                                                   // 000000001818: BFB00000 \n",
        0x1800);
    CHECK_EQ(program->code[0].target, 2);
    CHECK_EQ(program->code[4].target, 6);
    CHECK_EQ(program->code[5].target, 3);
}

TEST_CASE("labels of hand-written lines are branch targets") {
    const auto program = decoded("s_branch done\nloop:\ns_nop 0\ns_cbranch_scc0 loop\ndone:\ns_endpgm\n");
    CHECK(program->code[0].target == 3);
    CHECK(program->code[2].target == 1);
}

TEST_CASE("a branch that leads nowhere stops who takes it") {
    const auto program = decoded("s_branch nowhere\ns_endpgm\n");
    CHECK((program->code[0].exec == exec_not_understood));
}

TEST_CASE("registers of every kind") {
    CHECK(operand("v7").kind == OperandKind::vgpr);
    CHECK(operand("v[4:7]").index == 4);
    CHECK(operand("v[4:7]").count == 4);
    CHECK(operand("v40.h").half == Half::high);
    CHECK(operand("v40.l").half == Half::low);
    CHECK(operand("s[2:3]").kind == OperandKind::sgpr);
    CHECK(operand("vcc_lo").index == kVccLo);
    CHECK(operand("vcc").count == 2);
    CHECK(operand("exec_lo").index == kExecLo);
    CHECK(operand("m0").index == kM0);
    CHECK(operand("null").index == kNull);
    CHECK(operand("ttmp9").index == kTtmp0 + 9);
    CHECK(operand("src_scc").index == 253);
    CHECK(operand("off").kind == OperandKind::none);
    CHECK(operand("src_shared_base").value == kSharedAperture);
    CHECK(operand("src_private_limit").value == (kPrivateAperture | 0xffffffff));
    CHECK(operand("-v3").neg);
    CHECK(operand("|v3|").abs);
    CHECK(operand("-|v3|").neg);
    CHECK(operand("-|v3|").abs);
    Operand out;
    CHECK_FALSE(parse_operand("v[3", Type::b32, out));
    CHECK_FALSE(parse_operand("v256", Type::b32, out));
    CHECK_FALSE(parse_operand("w3", Type::b32, out));
    CHECK_FALSE(parse_operand("", Type::b32, out));
}

TEST_CASE("a constant has the bits of the type that reads it") {
    CHECK(operand("-16").value == 0xfffffff0);
    CHECK(operand("64").value == 64);
    CHECK(operand("-1", Type::b64).value == ~0ull);
    CHECK(operand("0x7fffffff").value == 0x7fffffff);
    CHECK(operand("1.0", Type::f32).value == 0x3f800000);
    CHECK(operand("-4.0", Type::f32).value == 0xc0800000);
    CHECK(operand("0.15915494", Type::f32).value == 0x3e22f983);
    CHECK(operand("0.5", Type::f16).value == 0x3800);
    CHECK(operand("-2.0", Type::pkf16).value == 0xc000);
    CHECK(operand("0.15915494", Type::f16).value == 0x3118);
    CHECK(operand("1.0", Type::bf16).value == 0x3f80);
    CHECK(operand("1.0", Type::f64).value == 0x3ff0000000000000);
    CHECK(operand("0x40100000", Type::f64).value == 0x4010000000000000);
    CHECK(operand("0x4010000000000001", Type::f64).value == 0x4010000000000001);
    CHECK(operand("0xfe00", Type::b64).value == 0xfe00);
    CHECK(operand("hwreg(HW_REG_MODE, 4, 4)").value == (1 | 4 << 6 | 3 << 11));
    CHECK(operand("hwreg(HW_REG_MODE)").value == (1 | 31 << 11));
    CHECK(operand("sendmsg(MSG_DEALLOC_VGPRS)").value == 3);
}

TEST_CASE("destinations and sources are told apart") {
    const Inst carry = first_of("v_add_co_u32 v1, s2, v3, v4");
    CHECK(carry.destinations == 2);
    CHECK(carry.sources == 2);
    CHECK(carry.dst[1].index == 2);
    CHECK(carry.writes.contains(1));
    CHECK(carry.scalar_writes.contains(2));
    CHECK(carry.reads.contains(3));
    CHECK_FALSE(carry.reads.contains(1));

    const Inst compare = first_of("v_cmp_gt_u32_e64 s4, 16, v201");
    CHECK(compare.destinations == 1);
    CHECK(compare.dst[0].kind == OperandKind::sgpr);
    CHECK(compare.src[0].value == 16);

    const Inst store = first_of("global_store_b128 v4, v[0:3], s[2:3] offset:16");
    CHECK(store.destinations == 0);
    CHECK(store.sources == 3);
    CHECK(store.mod.offset == 16);
    CHECK(store.reads.contains(3));
    CHECK(store.scalar_reads.contains(3));

    CHECK(first_of("global_atomic_add_u32 v0, v1, s[0:1]").destinations == 0);
    CHECK(first_of("global_atomic_add_u32 v2, v0, v1, s[0:1] glc").destinations == 1);

    const Inst quiet = first_of("v_mad_u64_u32 v[0:1], null, v2, v3, v[4:5]");
    CHECK(quiet.dst[1].index == kSink);
}

TEST_CASE("modifiers") {
    const Inst vop3 = first_of("v_mul_f32_e64 v0, -|v1|, v2 clamp mul:4");
    CHECK(vop3.src[0].neg);
    CHECK(vop3.src[0].abs);
    CHECK(vop3.mod.clamp);
    CHECK(vop3.mod.omod == 2);
    CHECK(first_of("v_mul_f32_e64 v0, v1, v2 div:2").mod.omod == 3);

    const Inst packed = first_of("v_pk_fma_f16 v0, v1, v2, v3 op_sel:[1,0,1] op_sel_hi:[0,1,0] neg_lo:[1,0,0] neg_hi:[0,0,1]");
    CHECK(packed.mod.op_sel == 5);
    CHECK(packed.mod.op_sel_hi == 2);
    CHECK(packed.mod.neg_lo == 1);
    CHECK(packed.mod.neg_hi == 4);
    CHECK(first_of("v_pk_fma_f16 v0, v1, v2, v3").mod.op_sel_hi == 7);
    CHECK(first_of("v_fma_mix_f32 v0, v1, v2, v3").mod.op_sel_hi == 0);

    const Inst dpp = first_of("v_mov_b32_dpp v1, v0 quad_perm:[1,0,3,2] row_mask:0x3 bank_mask:0xf bound_ctrl:1");
    CHECK(dpp.mod.dpp == DppControl::quad_perm);
    CHECK(dpp.mod.dpp_value == (1 | 0 << 2 | 3 << 4 | 2 << 6));
    CHECK(dpp.mod.row_mask == 3);
    CHECK(dpp.mod.bound_ctrl);
    CHECK(dpp.crosses_lanes);
    CHECK(dpp.reads.contains(1));  // row 1 keeps its old value
    CHECK(first_of("v_add_f32_dpp v1, v0, v2 row_shr:3 row_mask:0xf bank_mask:0xf").mod.dpp_value == 3);
    CHECK(first_of("v_mov_b32_dpp v1, v0 dpp8:[7,6,5,4,3,2,1,0]").mod.dpp_value == 0x53977);

    const Inst two = first_of("ds_store_2addr_b64 v0, v[1:2], v[3:4] offset0:3 offset1:200");
    CHECK(two.mod.offset == 3);
    CHECK(two.mod.offset1 == 200);
    CHECK(first_of("scratch_load_b32 v0, off, s33 offset:-4").mod.offset == -4);
    CHECK(first_of("ds_swizzle_b32 v0, v1 offset:swizzle(SWAP,16)").mod.offset == (0x1f | 16 << 10));
    CHECK(first_of("ds_swizzle_b32 v0, v1 offset:swizzle(QUAD_PERM,0,1,3,2)").mod.offset == (0x8000 | 1 << 2 | 3 << 4 | 2 << 6));
    CHECK(first_of("ds_swizzle_b32 v0, v1 offset:swizzle(BITMASK_PERM,\"01pip\")").mod.offset == (0b00111 | 0b01000 << 5 | 0b00010 << 10));
}

TEST_CASE("16-bit operands are halves of registers") {
    CHECK(first_of("v_cvt_f32_f16_e32 v0, v1.h").src[0].half == Half::high);
    CHECK(first_of("v_cvt_f32_f16_e32 v0, v1").src[0].half == Half::low);
    const Inst selected = first_of("v_add_nc_u16 v0, v1, v2 op_sel:[0,1,1]");
    CHECK(selected.src[0].half == Half::low);
    CHECK(selected.src[1].half == Half::high);
    CHECK(selected.dst[0].half == Half::high);
    CHECK(selected.reads.contains(0));  // the low half is kept
}

TEST_CASE("both halves of a VOPD are read") {
    const auto program = decoded("v_dual_mul_f32 v0, v1, v2 :: v_dual_add_f32 v3, v4, v5");
    const Inst& x = program->code.front();
    REQUIRE(x.second != nullptr);
    CHECK(x.unit == Unit::vopd);
    CHECK(x.reads.contains(4));
    CHECK(x.writes.contains(3));
    CHECK(x.second->dst[0].index == 3);
}

TEST_CASE("what is not known is decoded and stops only who reaches it") {
    const auto program = decoded("v_frobnicate_b32 v0, v1\nv_mov_b32 v0, wrong\ns_endpgm\n");
    CHECK((program->code[0].exec == exec_unknown));
    CHECK((program->code[1].exec == exec_not_understood));
    CHECK(has_semantics("v_mov_b32_e32", "gfx1100"));
    CHECK(has_semantics("s_and_b64", "gfx1100"));
    CHECK_FALSE(has_semantics("v_frobnicate_b32", "gfx1100"));
    CHECK_FALSE(has_semantics("v_mov_b32", "gfx906"));
    CHECK_FALSE(decode("", "gfx1100", 0).ok());
}
