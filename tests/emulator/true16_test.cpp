// 16-bit instructions in the short encoding whose registers are upper halves: named from their words, put right in listings, and run.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "emulator/instruction_harness.hpp"
#include "emulator/isa/program.hpp"
#include "emulator/isa/true16.hpp"

using emulator_test::WaveRun;
using namespace hipemu;

namespace {

std::string named(std::vector<std::uint32_t> words, unsigned size = 4) {
    unsigned bytes = 0;
    const std::string text = true16_text(std::as_bytes(std::span(words)), bytes);
    if (!text.empty()) CHECK(bytes == size);
    return text;
}

std::string mended(const std::string& listing, const std::vector<std::uint32_t>& words, std::uint64_t start = 0x1000) {
    return with_true16(listing, std::as_bytes(std::span(words)), start);
}

}  // namespace

TEST_CASE("upper halves in short encodings are named") {
    CHECK(named({0x7f4e3968}) == "v_mov_b16_e32 v39.h, v104.l");
    CHECK(named({0x7e0e3981}) == "v_mov_b16_e32 v7.l, v1.h");
    CHECK(named({0x7f0e1501}) == "v_cvt_f16_f32_e32 v7.h, v1");
    CHECK(named({0x7f0ec581}) == "v_sat_pk_u8_i16_e32 v7.h, v129");
    CHECK(named({0x7f0ecd01}) == "v_swap_b16 v7.h, v1.l");
    CHECK(named({0x7f0ea901}) == "v_rcp_f16_e32 v7.h, v1.l");
    CHECK(named({0x650f0581}) == "v_add_f16_e32 v7.h, v1.h, v2.h");
    CHECK(named({0x770e0501}) == "v_ldexp_f16_e32 v7.h, v1.l, v2.l");
    CHECK(named({0x6f0e0501, 0x00003c00}, 8) == "v_fmamk_f16 v7.h, v1.l, 0x3c00, v2.l");
    CHECK(named({0xd59c4040, 0x0201018c}, 8) == "v_mov_b16_e64 v64.h, v140.l");
    CHECK(named({0xd59c0841, 0x020101a5}, 8) == "v_mov_b16_e64 v65.l, v165.h");
    CHECK(named({0xd59c4041, 0x020100ff, 0x1234}, 12) == "v_mov_b16_e64 v65.h, 0x1234");
    CHECK(named({0xd763181e, 0x0202351b}, 8) == "v_or_b16 v30.l, v27.h, v26.h");
    CHECK(named({0xd7620012, 0x020224ff, 0x8000}, 12) == "v_and_b16 v18.l, 0x8000, v18.l");
    CHECK(named({0xd43d1001, 0x02023e87}, 8) == "v_cmp_ne_u16_e64 s1, 7, v31.h");
    CHECK(named({0xd4bd007e, 0x02023e87}, 8) == "v_cmpx_ne_u16_e64 7, v31.l");
    CHECK(named({0xd65d4807, 0x000e0501}, 8) == "v_cndmask_b16 v7.h, v1.h, v2.l, s3");
    CHECK(named({0xd58b0807, 0x02010101}, 8) == "v_cvt_f32_f16_e64 v7, v1.h");
    CHECK(named({0xd58a4107, 0x32010101}, 8) == "v_cvt_f16_f32_e64 v7.h, -|v1| mul:4");
    CHECK(named({0xd532c807, 0x02020501}, 8) == "v_add_f16_e64 v7.h, v1.h, v2.l clamp");
    CHECK(named({0x710f0501, 0x00003c00}, 8) == "v_fmaak_f16 v7.h, v1.l, v2.h, 0x3c00");
}

TEST_CASE("packed operations with a constant in the source that they lack are named") {
    CHECK(named({0xcc0f4007, 0x1a020b05}, 8) == "v_pk_add_f16 v7, v5, v5");
    CHECK(named({0xcc104008, 0x1a01e506}, 8) == "v_pk_mul_f16 v8, v6, 1.0");
    CHECK(named({0xcc0fd907, 0x2a020b05}, 8) == "v_pk_add_f16 v7, v5, v5 op_sel:[1,1] op_sel_hi:[1,0] neg_lo:[1,0] neg_hi:[1,0] clamp");
    CHECK(named({0xcc044007, 0x1a020aff, 0x00040004}, 12) == "v_pk_lshlrev_b16 v7, 0x40004, v5");
    CHECK(named({0xcc404028, 0x1ca2316a}).empty());  // a matrix operation
}

TEST_CASE("scalar sources, constants and lane selections are named") {
    CHECK(named({0x7f4e386a}) == "v_mov_b16_e32 v39.h, vcc_lo");
    CHECK(named({0x7f4e3818}) == "v_mov_b16_e32 v39.h, s24");
    CHECK(named({0x7f4e3880}) == "v_mov_b16_e32 v39.h, 0");
    CHECK(named({0x7f4e38c1}) == "v_mov_b16_e32 v39.h, -1");
    CHECK(named({0x7f4e38f0}) == "v_mov_b16_e32 v39.h, 0x3800");
    CHECK(named({0x7f0e14f0}) == "v_cvt_f16_f32_e32 v7.h, 0.5");
    CHECK(named({0x7f4e38fd}) == "v_mov_b16_e32 v39.h, src_scc");
    CHECK(named({0x7f4e38ff, 0x1234}, 8) == "v_mov_b16_e32 v39.h, 0x1234");
    CHECK(named({0x7f4e38fa, 0xff0d0168}, 8) ==
          "v_mov_b16_dpp v39.h, v104.l row_shl:1 row_mask:0xf bank_mask:0xf bound_ctrl:1 fi:1");
    CHECK(named({0x7f4e38e9, 0x05397768}, 8) == "v_mov_b16_dpp v39.h, v104.l dpp8:[7,6,5,4,3,2,1,0]");
    CHECK(named({0x640f0afa, 0xff7d0168}, 8) ==
          "v_add_f16_dpp v7.l, -|v104.l|, -v5.h row_shl:1 row_mask:0xf bank_mask:0xf bound_ctrl:1 fi:1");
}

TEST_CASE("what is no such instruction gets no name") {
    CHECK(named({0x7e0e0301}).empty());                // v_mov_b32
    CHECK(named({0xbf800000}).empty());                // s_nop
    CHECK(named({0x7f4e38ff}).empty());                // its constant is missing
    CHECK(named({0x7f4e38fa, 0xff013068}, 8).empty()); // no lane selection of gfx11
    CHECK(named({}).empty());
}

TEST_CASE("a listing's unknown lines get names, addresses and bytes") {
    const std::string listing =
        "\tv_mov_b32_e32 v1, v2                                       // 000000001000: 7E020302 \n"
        " <unknown>\n"
        " <unknown>\n"
        "\ts_endpgm                                                   // 00000000100C: BFB00000 \n";
    const std::string text = mended(listing, {0x7e020302, 0x7f4e3968, 0x7f4c3967, 0xbfb00000});
    CHECK(text.find("v_mov_b16_e32 v39.h, v104.l // 000000001004: 7F4E3968") != std::string::npos);
    CHECK(text.find("v_mov_b16_e32 v38.h, v103.l // 000000001008: 7F4C3967") != std::string::npos);
    auto program = decode(text, "gfx1151", 0x1000);
    REQUIRE(program.ok());
    CHECK((*program)->code[2].address == 8);
    CHECK((*program)->index_of(12) == 3);
    // Words that are no such instruction stay as they are.
    CHECK(mended(listing, {0x7e020302, 0xffffffff, 0x7f4c3967, 0xbfb00000}).find("<unknown>") != std::string::npos);
}

TEST_CASE("the constant behind an unknown word is no instruction") {
    // s_mov_b32 s0, 0 is what the constant looks like.
    const std::string listing =
        " <unknown>\n"
        "\ts_mov_b32 s0, 0                                            // 000000001004: BE800080 \n"
        "\ts_endpgm                                                   // 000000001008: BFB00000 \n";
    const std::string text = mended(listing, {0x7f4e38ff, 0xbe800080, 0xbfb00000});
    CHECK(text.find("v_mov_b16_e32 v39.h, 0xbe800080") != std::string::npos);
    CHECK(text.find("s_mov_b32") == std::string::npos);
    CHECK(text.find("s_endpgm") != std::string::npos);
    // Here comgr took constant and instruction for one of two words: none of them may run.
    const std::string longer =
        " <unknown>\n"
        "\ts_mov_b32 s0, 0xbfb00000                                   // 000000001004: BE8000FF BFB00000 \n";
    const std::string stopped = mended(longer, {0x7f4e38ff, 0xbe8000ff, 0xbfb00000});
    CHECK(stopped.find("s_mov_b32") == std::string::npos);
    CHECK(stopped.find("<unknown>") != std::string::npos);
}

TEST_CASE("registers that comgr calls invalid are upper halves") {
    const std::string listing =
        "\tv_add_f16_e32 v7, v129/*Invalid register, operand has 'VS_32_Lo128' register class*/, v2 // 000000001000: 640E0581 \n"
        "\tv_cmp_lt_f16_e32 vcc_lo, v1, v130/*Invalid register, operand has 'VGPR_32_Lo128' register class*/ // 000000001004: 7C030501 \n";
    const std::string text = mended(listing, {0x640e0581, 0x7c030501});
    CHECK(text.find("v_add_f16_e32 v7, v1.h, v2 //") != std::string::npos);
    CHECK(text.find("v_cmp_lt_f16_e32 vcc_lo, v1, v2.h //") != std::string::npos);
    CHECK(mended("\tv_mov_b32_e32 v1, v2 // 000000001000: 7E020302\n", {0x7e020302}) ==
          "\tv_mov_b32_e32 v1, v2 // 000000001000: 7E020302\n");
}

TEST_CASE("halves that comgr leaves out are put into the listing") {
    const std::string text = mended(
        "\tv_lshlrev_b16 v1, 8, v50                                   // 000000001000: D7384001 00026488 \n"
        "\tv_or_b16 v4, v49, v1                                       // 000000001008: D7635004 00020331 \n"
        "\tv_cmp_lt_f16_e64 s7, v1, v2                                // 000000001010: D4010807 00020501 \n"
        "\tv_cmpx_lt_u16_e64 v1, v2                                   // 000000001018: D4B9107E 00020501 \n"
        "\tv_cndmask_b16 v7, v1, v2, s3                               // 000000001020: D65D4807 000E0501 \n"
        "\tv_cvt_f32_f16_e64 v7, v1                                   // 000000001028: D58B0807 00000101 \n"
        "\tv_or_b16 v4, v49, v1                                       // 000000001030: D7630004 00020331 \n"
        "\tv_mad_u64_u32 v[4:5], s0, v1, v16, v[2:3]                  // 000000001038: D6FE1004 040A2101 \n",
        std::vector<std::uint32_t>(16));
    CHECK(text.find("v_lshlrev_b16 v1, 8, v50 op_sel:[0,0,1]") != std::string::npos);
    CHECK(text.find("v_or_b16 v4, v49, v1 op_sel:[0,1,1]") != std::string::npos);
    CHECK(text.find("v_cmp_lt_f16_e64 s7, v1, v2 op_sel:[1,0,0]") != std::string::npos);
    CHECK(text.find("v_cmpx_lt_u16_e64 v1, v2 op_sel:[0,1,0]") != std::string::npos);
    CHECK(text.find("v_cndmask_b16 v7, v1, v2, s3 op_sel:[1,0,0,1]") != std::string::npos);
    CHECK(text.find("v_cvt_f32_f16_e64 v7, v1 op_sel:[1,0]") != std::string::npos);
    CHECK(text.find("v_or_b16 v4, v49, v1     ") != std::string::npos);
    CHECK(text.find("v[2:3] op_sel") == std::string::npos);
}

TEST_CASE("instructions on upper halves keep the lower ones") {
    const auto result = [](const std::string& line) {
        WaveRun run(line);
        run.set_v(0, 0x11112222).set_v(1, 0x40003c00).set_v(2, 0x42004400).set_vcc(~0u).go();  // v1 = 2, 1; v2 = 3, 4
        REQUIRE(run.fault() == nullptr);
        return run.v(0);
    };
    CHECK(result("v_mov_b16_e32 v0.h, v1.l") == 0x3c002222);
    CHECK(result("v_mov_b16_e32 v0.l, v1.h") == 0x11114000);
    CHECK(result("v_mov_b16_e64 v0.h, v1.h") == 0x40002222);
    CHECK(result("v_lshlrev_b16 v0, 8, v1 op_sel:[0,0,1]") == 0x00002222);
    CHECK(result("v_or_b16 v0, v2, v1 op_sel:[0,1,1]") == 0x44002222);
    CHECK(result("v_cvt_f32_f16_e64 v0, v1 op_sel:[1,0]") == 0x40000000);
    CHECK(result("v_add_f16_e32 v0.h, v1.h, v2.l") == 0x46002222);
    CHECK(result("v_fmaak_f16 v0.l, v1.h, v2.h, 0x3c00") == 0x11114700);
    CHECK(result("v_cvt_f16_f32_e32 v0.h, 1.0") == 0x3c002222);
    CHECK(result("v_cndmask_b16 v0, v1, v2, vcc_lo op_sel:[0,1,0,1]") == 0x42002222);
    CHECK(result("v_mov_b16_e32 v0.h, 0x3800") == 0x38002222);
    CHECK(result("v_mov_b16_dpp v0.h, v1.h quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf") == 0x40002222);
}
