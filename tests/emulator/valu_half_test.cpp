// Vector operations of 16 bits: integers, floats, packed pairs, mixed precision.
#include <doctest/doctest.h>

#include "emulator/instruction_cases.hpp"

using emulator_test::CaseTable;

static const CaseTable kTable1 = {
    {"v_mov_b16_e32 v0.l, v1.l", "v0=0xaaaabbbb v1=0x11112222", "v0=0xaaaa2222"},
    {"v_mov_b16_e32 v0.h, v1.l", "v0=0xaaaabbbb v1=0x11112222", "v0=0x2222bbbb"},
    {"v_mov_b16_e64 v0.h, v1.h", "v0=0xaaaabbbb v1=0x11112222", "v0=0x1111bbbb"},
    {"v_swap_b16 v0.l, v1.h", "v0=0xaaaabbbb v1=0x11112222", "v0=0xaaaa1111 v1=0xbbbb2222"},
    {"v_cndmask_b16 v0, v1, v2, s4", "v0=0xaaaa0000 v1=1 v2=2 s4=-1", "v0=0xaaaa0002"},
    {"v_cndmask_b16 v0, v1, v2, s4 op_sel:[1,0,0,1]", "v0=0xaaaa0000 v1=0x00070001 v2=2 s4=0", "v0=0x00070000"},
    {"v_not_b16_e32 v0, v1", "v0=0xaaaa0000 v1=0xff00", "v0=0xaaaa00ff"},
    {"v_and_b16 v0, v1, v2", "v0=0xaaaa0000 v1=0xff00 v2=0x0ff0", "v0=0xaaaa0f00"},
    {"v_or_b16 v0, v1, v2", "v0=0xaaaa0000 v1=0xff00 v2=0x0ff0", "v0=0xaaaafff0"},
    {"v_xor_b16 v0, v1, v2", "v0=0xaaaa0000 v1=0xff00 v2=0x0ff0", "v0=0xaaaaf0f0"},
    {"v_lshlrev_b16 v0, v1, v2", "v0=0xaaaa0000 v1=4 v2=0x1234", "v0=0xaaaa2340"},
    {"v_lshrrev_b16 v0, v1, v2", "v0=0xaaaa0000 v1=20 v2=0x8000", "v0=0xaaaa0800"},
    {"v_ashrrev_i16 v0, v1, v2", "v0=0xaaaa0000 v1=4 v2=0x8000", "v0=0xaaaaf800"},
    {"v_add_nc_u16 v0, v1, v2", "v0=0xaaaa0000 v1=0xffff v2=2", "v0=0xaaaa0001"},
    {"v_add_nc_u16 v0, v1, v2 clamp", "v0=0xaaaa0000 v1=0xffff v2=2", "v0=0xaaaaffff"},
    {"v_add_nc_u16 v0, v1, v2 op_sel:[1,0,1]", "v0=0xaaaa0000 v1=0x00050000 v2=2", "v0=0x00070000"},
    {"v_sub_nc_u16 v0, v1, v2", "v0=0xaaaa0000 v1=1 v2=2", "v0=0xaaaaffff"},
    {"v_sub_nc_u16 v0, v1, v2 clamp", "v0=0xaaaa0000 v1=1 v2=2", "v0=0xaaaa0000"},
    {"v_add_nc_i16 v0, v1, v2 clamp", "v0=0xaaaa0000 v1=0x7fff v2=2", "v0=0xaaaa7fff"},
    {"v_add_nc_i16 v0, v1, v2", "v0=0xaaaa0000 v1=0x7fff v2=2", "v0=0xaaaa8001"},
    {"v_sub_nc_i16 v0, v1, v2 clamp", "v0=0xaaaa0000 v1=0x8000 v2=2", "v0=0xaaaa8000"},
    {"v_mul_lo_u16 v0, v1, v2", "v0=0xaaaa0000 v1=0x0101 v2=0x0101", "v0=0xaaaa0201"},
    {"v_mad_u16 v0, v1, v2, v3", "v0=0xaaaa0000 v1=3 v2=4 v3=5", "v0=0xaaaa0011"},
    {"v_mad_u16 v0, v1, v2, v3 clamp", "v0=0xaaaa0000 v1=0xffff v2=0xffff v3=5", "v0=0xaaaaffff"},
    {"v_mad_i16 v0, v1, v2, v3", "v0=0xaaaa0000 v1=0xfffd v2=4 v3=5", "v0=0xaaaafff9"},
    {"v_mad_i16 v0, v1, v2, v3 clamp", "v0=0xaaaa0000 v1=0x8000 v2=4 v3=5", "v0=0xaaaa8000"},
    {"v_min_u16 v0, v1, v2", "v0=0xaaaa0000 v1=0xffff v2=2", "v0=0xaaaa0002"},
    {"v_max_u16 v0, v1, v2", "v0=0xaaaa0000 v1=0xffff v2=2", "v0=0xaaaaffff"},
    {"v_min_i16 v0, v1, v2", "v0=0xaaaa0000 v1=0xffff v2=2", "v0=0xaaaaffff"},
    {"v_max_i16 v0, v1, v2", "v0=0xaaaa0000 v1=0xffff v2=2", "v0=0xaaaa0002"},
    {"v_min3_u16 v0, v1, v2, v3", "v0=0xaaaa0000 v1=3 v2=0xffff v3=2", "v0=0xaaaa0002"},
    {"v_max3_u16 v0, v1, v2, v3", "v0=0xaaaa0000 v1=3 v2=0xffff v3=2", "v0=0xaaaaffff"},
    {"v_min3_i16 v0, v1, v2, v3", "v0=0xaaaa0000 v1=3 v2=0xffff v3=2", "v0=0xaaaaffff"},
    {"v_max3_i16 v0, v1, v2, v3", "v0=0xaaaa0000 v1=3 v2=0xffff v3=2", "v0=0xaaaa0003"},
    {"v_med3_u16 v0, v1, v2, v3", "v0=0xaaaa0000 v1=3 v2=0xffff v3=2", "v0=0xaaaa0003"},
    {"v_med3_i16 v0, v1, v2, v3", "v0=0xaaaa0000 v1=3 v2=0xffff v3=2", "v0=0xaaaa0002"},
    {"v_mad_u32_u16 v0, v1, v2, v3", "v1=0xffff v2=0xffff v3=1", "v0=0xfffe0002"},
    {"v_mad_u32_u16 v0, v1, v2, v3 op_sel:[1,0,0,0]", "v1=0x00030000 v2=5 v3=1", "v0=16"},
    {"v_mad_i32_i16 v0, v1, v2, v3", "v1=0xffff v2=7 v3=1", "v0=-6"},
    {"v_cvt_u32_u16_e32 v0, v1", "v1=0x1234ffff", "v0=0xffff"},
    {"v_cvt_i32_i16_e32 v0, v1", "v1=0x1234ffff", "v0=-1"},
    {"v_sat_pk_u8_i16_e32 v0, v1", "v0=0xaaaa0000 v1=0xffff0123", "v0=0xaaaa00ff"},
    {"v_sat_pk_u8_i16_e32 v0, v1", "v0=0xaaaa0000 v1=0x00200010", "v0=0xaaaa2010"},
    {"v_pack_b32_f16 v0, v1, v2", "v1=0x11112222 v2=0x33334444", "v0=0x44442222"},
    {"v_pack_b32_f16 v0, v1, -v2 op_sel:[1,1,0]", "v1=0x11112222 v2=0x33334444", "v0=0xb3331111"},
};

TEST_CASE("16-bit integers keep the other half of their register") { kTable1.check(); }

static const CaseTable kTable2 = {
    {"v_add_f16_e32 v0, v1, v2", "v0=0xaaaa0000 v1=1.5h v2=2.25h", "v0=0xaaaa4380"},   // 3.75
    {"v_add_f16_e32 v0, v1, v2", "v0=0 v1=2048.0h v2=1.0h", "v0=0x6800"},              // tie to even: 2048
    {"v_add_f16_e32 v0, v1, v2", "v0=0 v1=0x0001 v2=0x0001", "v0=0x0002"},             // denormals are kept
    {"v_add_f16_e32 v0, v1, v2", "v0=0 v1=0x7bff v2=0x7bff", "v0=0x7c00"},             // overflow
    {"v_add_f16_e32 v0, v1, v2", "v0=0 v1=0x7c00 v2=0xfc00", "v0=0xfe00"},             // inf - inf
    {"v_add_f16_e32 v0, v1, v2", "v0=0 v1=0x7c01 v2=1.0h", "v0=0x7e01"},               // a NaN comes out quiet
    {"v_add_f16_e64 v0, v1, v2 clamp", "v0=0 v1=1.0h v2=2.0h", "v0=0x3c00"},
    {"v_add_f16_e64 v0, v1, v2 op_sel:[1,0,1]", "v0=0x00001234 v1=0x3c000000 v2=1.0h", "v0=0x40001234"},
    {"v_sub_f16_e32 v0, v1, v2", "v0=0 v1=1.0h v2=3.0h", "v0=0xc000"},
    {"v_subrev_f16_e32 v0, v1, v2", "v0=0 v1=1.0h v2=3.0h", "v0=0x4000"},
    {"v_mul_f16_e32 v0, v1, v2", "v0=0 v1=3.0h v2=-0.5h", "v0=0xbe00"},
    {"v_mul_f16_e64 v0, |v1|, -v2", "v0=0 v1=-3.0h v2=2.0h", "v0=0xc600"},
    {"v_fma_f16 v0, v1, v2, v3", "v0=0 v1=2.0h v2=3.0h v3=1.0h", "v0=0x4700"},
    // (1 + 2^-5)(1 + 2^-6) ends in a tie, which 2^-24 breaks; a float in between would lose it.
    {"v_fma_f16 v0, v1, v2, v3", "v0=0 v1=0x3c20 v2=0x3c10 v3=0x0000", "v0=0x3c30"},
    {"v_fma_f16 v0, v1, v2, v3", "v0=0 v1=0x3c20 v2=0x3c10 v3=0x0001", "v0=0x3c31"},
    {"v_fma_f16 v0, v1, v2, v3", "v0=0 v1=0x3c20 v2=0x3c10 v3=0x8001", "v0=0x3c30"},
    {"v_fmac_f16_e32 v0, v1, v2", "v0=0xaaaa3c00 v1=2.0h v2=3.0h", "v0=0xaaaa4700"},
    {"v_fmaak_f16 v0, v1, v2, 0x3c00", "v0=0 v1=2.0h v2=3.0h", "v0=0x4700"},
    {"v_fmamk_f16 v0, v1, 0x4200, v2", "v0=0 v1=2.0h v2=1.0h", "v0=0x4700"},
    {"v_min_f16_e32 v0, v1, v2", "v0=0 v1=0x0000 v2=0x8000", "v0=0x8000"},             // -0 is less than +0
    {"v_max_f16_e32 v0, v1, v2", "v0=0 v1=0x0000 v2=0x8000", "v0=0x0000"},
    {"v_max_f16_e32 v0, v1, v2", "v0=0 v1=0x7e00 v2=2.0h", "v0=0x4000"},               // a quiet NaN loses
    {"v_max_f16_e32 v0, v1, v2", "v0=0 v1=0x7c01 v2=2.0h", "v0=0x7e01"},               // a signalling one is made quiet
    {"v_min3_f16 v0, v1, v2, v3", "v0=0 v1=3.0h v2=-1.0h v3=2.0h", "v0=0xbc00"},
    {"v_max3_f16 v0, v1, v2, v3", "v0=0 v1=3.0h v2=-1.0h v3=2.0h", "v0=0x4200"},
    {"v_med3_f16 v0, v1, v2, v3", "v0=0 v1=3.0h v2=-1.0h v3=2.0h", "v0=0x4000"},
    {"v_minmax_f16 v0, v1, v2, v3", "v0=0 v1=3.0h v2=-1.0h v3=2.0h", "v0=0x4000"},
    {"v_maxmin_f16 v0, v1, v2, v3", "v0=0 v1=3.0h v2=-1.0h v3=2.0h", "v0=0x4000"},
    {"v_trunc_f16_e32 v0, v1", "v0=0 v1=-2.5h", "v0=0xc000"},
    {"v_ceil_f16_e32 v0, v1", "v0=0 v1=2.5h", "v0=0x4200"},
    {"v_floor_f16_e32 v0, v1", "v0=0 v1=-2.5h", "v0=0xc200"},
    {"v_rndne_f16_e32 v0, v1", "v0=0 v1=2.5h", "v0=0x4000"},
    {"v_fract_f16_e32 v0, v1", "v0=0 v1=-0.25h", "v0=0x3a00"},
    {"v_fract_f16_e32 v0, v1", "v0=0 v1=0x8001", "v0=0x3bff"},                         // below one
    {"v_frexp_mant_f16_e32 v0, v1", "v0=0 v1=12.0h", "v0=0x3a00"},
    {"v_frexp_exp_i16_f16_e32 v0, v1", "v0=0xaaaa0000 v1=12.0h", "v0=0xaaaa0004"},
    {"v_frexp_exp_i16_f16_e32 v0, v1", "v0=0xaaaa0000 v1=0x0001", "v0=0xaaaaffe9"},    // 2^-24 = 0.5 * 2^-23
    {"v_frexp_exp_i16_f16_e32 v0, v1", "v0=0xaaaa0000 v1=0x7c00", "v0=0xaaaa0000"},
    {"v_ldexp_f16_e32 v0, v1, v2", "v0=0 v1=1.5h v2=3", "v0=0x4a00"},
    {"v_ldexp_f16_e32 v0, v1, v2", "v0=0 v1=1.0h v2=-24", "v0=0x0001"},
    {"v_ldexp_f16_e32 v0, v1, v2", "v0=0 v1=1.0h v2=0x7fff", "v0=0x7c00"},
    {"v_div_fixup_f16 v0, v1, v2, v3", "v0=0 v1=2.0h v2=-1.0h v3=2.0h", "v0=0xc000"},
    {"v_div_fixup_f16 v0, v1, v2, v3", "v0=0 v1=2.0h v2=0x0000 v3=0x0000", "v0=0xfe00"},
    {"v_div_fixup_f16 v0, v1, v2, v3", "v0=0 v1=2.0h v2=0x8000 v3=1.0h", "v0=0xfc00"},
};

TEST_CASE("16-bit floats round once") { kTable2.check(); }

static const CaseTable kTable3 = {
    {"v_pk_add_f16 v0, v1, v2", "v1=0x40003c00 v2=0x3c003c00", "v0=0x42004000"},
    {"v_pk_add_f16 v0, v1, v2 op_sel:[1,0] op_sel_hi:[0,1]", "v1=0x40003c00 v2=0x44003c00", "v0=0x45004200"},
    {"v_pk_add_f16 v0, v1, v2 neg_lo:[0,1] neg_hi:[1,0]", "v1=0x40003c00 v2=0x3c003c00", "v0=0xbc000000"},
    {"v_pk_add_f16 v0, v1, 1.0 op_sel_hi:[1,0]", "v1=0x40003c00", "v0=0x42004000"},
    {"v_pk_mul_f16 v0, v1, v2", "v1=0x40003c00 v2=0x42004200", "v0=0x46004200"},
    {"v_pk_mul_f16 v0, v1, v2 clamp", "v1=0xc0003800 v2=0x42003800", "v0=0x00003400"},
    {"v_pk_fma_f16 v0, v1, v2, v3", "v1=0x40003c00 v2=0x42004200 v3=0x3c003c00", "v0=0x47004400"},
    {"v_pk_fmac_f16 v0, v1, v2", "v0=0x3c003c00 v1=0x40003c00 v2=0x42004200", "v0=0x47004400"},
    {"v_pk_min_f16 v0, v1, v2", "v1=0x4000bc00 v2=0x3c003c00", "v0=0x3c00bc00"},
    {"v_pk_max_f16 v0, v1, v2", "v1=0x4000bc00 v2=0x3c003c00", "v0=0x40003c00"},
    {"v_pk_mad_i16 v0, v1, v2, v3", "v1=0xffff0002 v2=0x00030004 v3=0x00010001", "v0=0xfffe0009"},
    {"v_pk_mad_u16 v0, v1, v2, v3", "v1=0x00050002 v2=0x00030004 v3=0x00010001", "v0=0x00100009"},
    {"v_pk_mad_u16 v0, v1, v2, v3 clamp", "v1=0xffff0002 v2=0x00030004 v3=0x00010001", "v0=0xffff0009"},
    {"v_pk_mul_lo_u16 v0, v1, v2", "v1=0x00050102 v2=0x00030100", "v0=0x000f0200"},
    {"v_pk_add_i16 v0, v1, v2 clamp", "v1=0x7fff8000 v2=0x0001ffff", "v0=0x7fff8000"},
    {"v_pk_sub_i16 v0, v1, v2", "v1=0x00010005 v2=0x00020003", "v0=0xffff0002"},
    {"v_pk_add_u16 v0, v1, v2", "v1=0xffff0001 v2=0x00020003", "v0=0x00010004"},
    {"v_pk_add_u16 v0, v1, v2 clamp", "v1=0xffff0001 v2=0x00020003", "v0=0xffff0004"},
    {"v_pk_sub_u16 v0, v1, v2 clamp", "v1=0x00010005 v2=0x00020003", "v0=0x00000002"},
    {"v_pk_lshlrev_b16 v0, v1, v2", "v1=0x00040008 v2=0x00010001", "v0=0x00100100"},
    {"v_pk_lshrrev_b16 v0, v1, v2", "v1=0x00040008 v2=0x80008000", "v0=0x08000080"},
    {"v_pk_ashrrev_i16 v0, v1, v2", "v1=0x00040008 v2=0x80004000", "v0=0xf8000040"},
    {"v_pk_max_i16 v0, v1, v2", "v1=0xffff0005 v2=0x00020003", "v0=0x00020005"},
    {"v_pk_min_i16 v0, v1, v2", "v1=0xffff0005 v2=0x00020003", "v0=0xffff0003"},
    {"v_pk_max_u16 v0, v1, v2", "v1=0xffff0005 v2=0x00020003", "v0=0xffff0005"},
    {"v_pk_min_u16 v0, v1, v2", "v1=0xffff0005 v2=0x00020003", "v0=0x00020003"},
};

TEST_CASE("packed pairs") { kTable3.check(); }

static const CaseTable kTable4 = {
    {"v_fma_mix_f32 v0, v1, v2, v3", "v1=2.0f v2=3.0f v3=1.0f", "v0=7.0f"},
    {"v_fma_mix_f32 v0, v1, v2, v3 op_sel_hi:[1,1,0]", "v1=2.0h v2=3.0h v3=1.0f", "v0=7.0f"},
    {"v_fma_mix_f32 v0, v1, -v2, |v3| op_sel:[1,0,0] op_sel_hi:[1,1,0]", "v1=0x40000000 v2=3.0h v3=-1.0f", "v0=-5.0f"},
    {"v_fma_mixlo_f16 v0, v1, v2, v3 op_sel_hi:[1,0,0]", "v0=0xaaaa0000 v1=2.0h v2=3.0f v3=1.0f", "v0=0xaaaa4700"},
    {"v_fma_mixhi_f16 v0, v1, v2, v3 op_sel_hi:[1,0,0]", "v0=0x0000bbbb v1=2.0h v2=3.0f v3=1.0f", "v0=0x4700bbbb"},
    {"v_fma_mixlo_f16 v0, v1, v2, v3 clamp", "v0=0xaaaa0000 v1=2.0f v2=3.0f v3=1.0f", "v0=0xaaaa3c00"},
};

TEST_CASE("mixed precision: op_sel_hi says half, op_sel which") { kTable4.check(); }

static const CaseTable kTable5 = {
    {"v_dot2_f32_f16 v0, v1, v2, v3", "v1=0x40003c00 v2=0x42004400 v3=1.0f", "v0=11.0f"},
    {"v_dot2_f32_f16 v0, v1, v2, v3 neg_lo:[1,0,0] neg_hi:[0,0,0]", "v1=0x40003c00 v2=0x42004400 v3=1.0f", "v0=3.0f"},
    {"v_dot2_f32_bf16 v0, v1, v2, v3", "v1=0x40003f80 v2=0x40404080 v3=1.0f", "v0=11.0f"},
    {"v_dot2acc_f32_f16_e32 v0, v1, v2", "v0=1.0f v1=0x40003c00 v2=0x42004400", "v0=11.0f"},
    {"v_dot2c_f32_f16_e32 v0, v1, v2", "v0=1.0f v1=0x40003c00 v2=0x42004400", "v0=11.0f"},
    {"v_dot2acc_f32_bf16_e32 v0, v1, v2", "v0=1.0f v1=0x40003f80 v2=0x40404080", "v0=11.0f"},
    {"v_dot2_f16_f16 v0, v1, v2, v3", "v0=0xaaaa0000 v1=0x40003c00 v2=0x42004400 v3=1.0h", "v0=0xaaaa4980"},
    {"v_dot2_bf16_bf16 v0, v1, v2, v3", "v0=0xaaaa0000 v1=0x40003f80 v2=0x40404080 v3=0x3f80", "v0=0xaaaa4130"},
    {"v_dot4_i32_iu8 v0, v1, v2, v3", "v1=0xff020304 v2=0x01010101 v3=1", "v0=265"},
    {"v_dot4_i32_iu8 v0, v1, v2, v3 neg_lo:[1,0,0]", "v1=0xff020304 v2=0x01010101 v3=1", "v0=9"},
    {"v_dot4_i32_iu8 v0, v1, v2, v3 neg_lo:[1,1,0] clamp", "v1=0x80808080 v2=0x80808080 v3=0x7fffffff", "v0=0x7fffffff"},
    {"v_dot4_u32_u8 v0, v1, v2, v3", "v1=0xff020304 v2=0x01010101 v3=1", "v0=265"},
    {"v_dot8_i32_iu4 v0, v1, v2, v3", "v1=0xf1111111 v2=0x11111111 v3=1", "v0=23"},
    {"v_dot8_i32_iu4 v0, v1, v2, v3 neg_lo:[1,0,0]", "v1=0xf1111111 v2=0x11111111 v3=1", "v0=7"},
    {"v_dot8_u32_u4 v0, v1, v2, v3", "v1=0xf1111111 v2=0x11111111 v3=1", "v0=23"},
};

TEST_CASE("dot products") { kTable5.check(); }
