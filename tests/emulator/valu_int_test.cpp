// Vector integer operations of 32 and 64 bits.
#include <doctest/doctest.h>

#include "emulator/instruction_cases.hpp"

using emulator_test::CaseTable;

static const CaseTable kTable1 = {
    {"v_nop", "", ""},
    {"v_clrexcp", "", ""},
    {"v_pipeflush", "", ""},
    {"v_mov_b32_e32 v0, v1", "v1=0x12345678", "v0=0x12345678"},
    {"v_mov_b32_e32 v0, -5", "", "v0=0xfffffffb"},
    {"v_mov_b32_e32 v0, 1.0", "", "v0=0x3f800000"},
    {"v_mov_b32_e32 v0, s3", "s3=99", "v0=99"},
    {"v_mov_b32_e32 v0, 0xdeadbeef", "", "v0=0xdeadbeef"},
    {"v_swap_b32 v0, v1", "v0=1 v1=2", "v0=2 v1=1"},
    {"v_cndmask_b32_e32 v0, v1, v2, vcc_lo", "v1=1 v2=2 vcc=0xffffffff", "v0=2"},
    {"v_cndmask_b32_e32 v0, v1, v2, vcc_lo", "v1=1 v2=2 vcc=0", "v0=1"},
    {"v_cndmask_b32_e64 v0, -v1, |v2|, s4", "v1=1.0f v2=-2.0f s4=0", "v0=-1.0f"},
    {"v_cndmask_b32_e64 v0, -v1, |v2|, s4", "v1=1.0f v2=-2.0f s4=-1", "v0=2.0f"},
    {"v_cndmask_b32_e64 v0, 0, 1, s4", "s4=-1", "v0=1"},
    {"v_not_b32_e32 v0, v1", "v1=0x0f0f0f0f", "v0=0xf0f0f0f0"},
    {"v_and_b32_e32 v0, v1, v2", "v1=0xff00ff00 v2=0x0ff00ff0", "v0=0x0f000f00"},
    {"v_or_b32_e32 v0, v1, v2", "v1=0xff00ff00 v2=0x0ff00ff0", "v0=0xfff0fff0"},
    {"v_xor_b32_e32 v0, v1, v2", "v1=0xff00ff00 v2=0x0ff00ff0", "v0=0xf0f0f0f0"},
    {"v_xnor_b32_e32 v0, v1, v2", "v1=0xff00ff00 v2=0x0ff00ff0", "v0=0x0f0f0f0f"},
    {"v_and_or_b32 v0, v1, v2, v3", "v1=0xff v2=0x3c v3=0x100", "v0=0x13c"},
    {"v_or3_b32 v0, v1, v2, v3", "v1=1 v2=2 v3=4", "v0=7"},
    {"v_xor3_b32 v0, v1, v2, v3", "v1=7 v2=2 v3=4", "v0=1"},
    {"v_bfi_b32 v0, v1, v2, v3", "v1=0xffff0000 v2=0x12345678 v3=0x9abcdef0", "v0=0x1234def0"},
    {"v_bfrev_b32_e32 v0, v1", "v1=1", "v0=0x80000000"},
    {"v_bfrev_b32_e32 v0, v1", "v1=0x12345678", "v0=0x1e6a2c48"},
};

TEST_CASE("moves, selects and logic of 32 bits") { kTable1.check(); }

static const CaseTable kTable2 = {
    {"v_lshlrev_b32_e32 v0, v1, v2", "v1=4 v2=0x12345678", "v0=0x23456780"},
    {"v_lshlrev_b32_e32 v0, v1, v2", "v1=36 v2=1", "v0=16"},  // the amount counts modulo 32
    {"v_lshrrev_b32_e32 v0, v1, v2", "v1=8 v2=0x80000000", "v0=0x00800000"},
    {"v_ashrrev_i32_e32 v0, v1, v2", "v1=8 v2=0x80000000", "v0=0xff800000"},
    {"v_bfe_u32 v0, v1, v2, v3", "v1=0x12345678 v2=8 v3=12", "v0=0x456"},
    {"v_bfe_u32 v0, v1, 4, 0", "v1=0xffffffff", "v0=0"},
    {"v_bfe_i32 v0, v1, v2, v3", "v1=0x00000f00 v2=8 v3=4", "v0=-1"},
    {"v_bfe_i32 v0, v1, v2, v3", "v1=0x00000700 v2=8 v3=4", "v0=7"},
    {"v_bfe_i32 v0, v1, v2, 0", "v1=0xffffffff v2=8", "v0=0"},
    {"v_bfm_b32 v0, v1, v2", "v1=4 v2=8", "v0=0xf00"},
    {"v_alignbit_b32 v0, v1, v2, v3", "v1=0x00000001 v2=0x80000000 v3=31", "v0=3"},
    {"v_alignbit_b32 v0, v1, v2, 0", "v1=1 v2=2", "v0=2"},
    // The number of bits is one half of its register.
    {"v_alignbit_b32 v0, v1, v2, v3.h op_sel:[0,0,1,0]", "v1=0xfacefeed v2=0xdeadbeef v3=0x0002001f", "v0=0x77ab6fbb"},
    {"v_alignbit_b32 v0, v1, v2, v3.l", "v1=0xfacefeed v2=0xdeadbeef v3=0x001f0002", "v0=0x77ab6fbb"},
    {"v_alignbyte_b32 v0, v1, v2, v3.h op_sel:[0,0,1,0]", "v1=0x44332211 v2=0x88776655 v3=0x00010002", "v0=0x11887766"},
    {"v_alignbyte_b32 v0, v1, v2, v3", "v1=0x44332211 v2=0x88776655 v3=1", "v0=0x11887766"},
    // Selectors 0 to 3 name bytes of src1, 4 to 7 of src0, 8 to 11 signs, 12 zero, above ones.
    {"v_perm_b32 v0, v1, v2, v3", "v1=0x77665544 v2=0x33221100 v3=0x07060504", "v0=0x77665544"},
    {"v_perm_b32 v0, v1, v2, v3", "v1=0x77665544 v2=0x33221100 v3=0x03020100", "v0=0x33221100"},
    {"v_perm_b32 v0, v1, v2, 0x05040100", "v1=0x77665544 v2=0x33221100", "v0=0x55441100"},
    {"v_perm_b32 v0, v1, v2, s4", "v1=0x77665544 v2=0x33221100 s4=0x07060302", "v0=0x77663322"},
    {"v_perm_b32 v0, v1, v2, s4", "v1=0x77665544 v2=0x33221100 s4=0x0c0dff00", "v0=0x00ffff00"},
    {"v_perm_b32 v0, v1, v2, 0x0b0a0908", "v1=0x80007fff v2=0x7fff8000", "v0=0xff0000ff"},
    {"v_perm_b32 v0, v1, v2, v3", "v1=0x80007fff v2=0x7fff8000 v3=0x0d0c0908", "v0=0xff0000ff"},
    {"v_lshl_or_b32 v0, v1, v2, v3", "v1=3 v2=4 v3=1", "v0=0x31"},
    {"v_clz_i32_u32_e32 v0, v1", "v1=0x00010000", "v0=15"},
    {"v_clz_i32_u32_e32 v0, v1", "v1=0", "v0=-1"},
    {"v_ctz_i32_b32_e32 v0, v1", "v1=0x00010000", "v0=16"},
    {"v_ctz_i32_b32_e32 v0, v1", "v1=0", "v0=-1"},
    {"v_cls_i32_e32 v0, v1", "v1=0xffff0000", "v0=16"},
    {"v_cls_i32_e32 v0, v1", "v1=0x00010000", "v0=15"},
    {"v_cls_i32_e32 v0, v1", "v1=-1", "v0=-1"},
    {"v_bcnt_u32_b32 v0, v1, v2", "v1=0xf0f0 v2=100", "v0=108"},
};

TEST_CASE("shifts, bit fields and byte permutes") { kTable2.check(); }

static const CaseTable kTable3 = {
    {"v_add_nc_u32_e32 v0, v1, v2", "v1=0xffffffff v2=2", "v0=1"},
    {"v_add_nc_u32_e64 v0, v1, v2 clamp", "v1=0xffffffff v2=2", "v0=0xffffffff"},
    {"v_sub_nc_u32_e32 v0, v1, v2", "v1=1 v2=2", "v0=-1"},
    {"v_sub_nc_u32_e64 v0, v1, v2 clamp", "v1=1 v2=2", "v0=0"},
    {"v_subrev_nc_u32_e32 v0, v1, v2", "v1=1 v2=3", "v0=2"},
    {"v_subrev_nc_u32_e64 v0, v1, v2 clamp", "v1=3 v2=1", "v0=0"},
    {"v_add_nc_i32 v0, v1, v2", "v1=0x7fffffff v2=1", "v0=0x80000000"},
    {"v_add_nc_i32 v0, v1, v2 clamp", "v1=0x7fffffff v2=1", "v0=0x7fffffff"},
    {"v_sub_nc_i32 v0, v1, v2", "v1=5 v2=7", "v0=-2"},
    {"v_sub_nc_i32 v0, v1, v2 clamp", "v1=0x80000000 v2=1", "v0=0x80000000"},
    {"v_add3_u32 v0, v1, v2, v3", "v1=1 v2=2 v3=-4", "v0=-1"},
    {"v_lshl_add_u32 v0, v1, v2, v3", "v1=3 v2=4 v3=5", "v0=53"},
    {"v_add_lshl_u32 v0, v1, v2, v3", "v1=3 v2=4 v3=5", "v0=224"},
    {"v_xad_u32 v0, v1, v2, v3", "v1=6 v2=3 v3=10", "v0=15"},
    {"v_mul_lo_u32 v0, v1, v2", "v1=0x10001 v2=0x10001", "v0=0x00020001"},
    {"v_mul_hi_u32 v0, v1, v2", "v1=0xffffffff v2=0xffffffff", "v0=0xfffffffe"},
    {"v_mul_hi_i32 v0, v1, v2", "v1=-1 v2=2", "v0=-1"},
    {"v_mul_i32_i24_e32 v0, v1, v2", "v1=0x00ffffff v2=3", "v0=-3"},
    {"v_mul_u32_u24_e32 v0, v1, v2", "v1=0xff000003 v2=5", "v0=15"},
    {"v_mul_hi_i32_i24_e32 v0, v1, v2", "v1=0x00800000 v2=0x00800000", "v0=0x4000"},
    {"v_mul_hi_u32_u24_e32 v0, v1, v2", "v1=0x00ffffff v2=0x00ffffff", "v0=0x0000ffff"},
    {"v_mad_i32_i24 v0, v1, v2, v3", "v1=0x00fffffe v2=3 v3=10", "v0=4"},
    {"v_mad_i32_i24 v0, v1, v2, v3 clamp", "v1=0x7fffff v2=0x7fffff v3=0", "v0=0x7fffffff"},
    {"v_mad_u32_u24 v0, v1, v2, v3", "v1=7 v2=6 v3=-2", "v0=40"},
    {"v_mad_u32_u24 v0, v1, v2, v3 clamp", "v1=7 v2=6 v3=-2", "v0=-1"},
};

TEST_CASE("addition, multiplication and their fused forms") { kTable3.check(); }

static const CaseTable kTable4 = {
    {"v_min_u32_e32 v0, v1, v2", "v1=-1 v2=2", "v0=2"},
    {"v_max_u32_e32 v0, v1, v2", "v1=-1 v2=2", "v0=-1"},
    {"v_min_i32_e32 v0, v1, v2", "v1=-1 v2=2", "v0=-1"},
    {"v_max_i32_e32 v0, v1, v2", "v1=-1 v2=2", "v0=2"},
    {"v_min3_u32 v0, v1, v2, v3", "v1=3 v2=-1 v3=2", "v0=2"},
    {"v_max3_u32 v0, v1, v2, v3", "v1=3 v2=-1 v3=2", "v0=-1"},
    {"v_min3_i32 v0, v1, v2, v3", "v1=3 v2=-1 v3=2", "v0=-1"},
    {"v_max3_i32 v0, v1, v2, v3", "v1=3 v2=-1 v3=2", "v0=3"},
    {"v_med3_u32 v0, v1, v2, v3", "v1=3 v2=-1 v3=2", "v0=3"},
    {"v_med3_i32 v0, v1, v2, v3", "v1=3 v2=-1 v3=2", "v0=2"},
    {"v_med3_i32 v0, v1, 0, 0xff", "v1=300", "v0=255"},
    {"v_maxmin_u32 v0, v1, v2, v3", "v1=3 v2=9 v3=5", "v0=5"},
    {"v_minmax_u32 v0, v1, v2, v3", "v1=3 v2=9 v3=5", "v0=5"},
    {"v_maxmin_i32 v0, v1, v2, v3", "v1=-3 v2=-9 v3=5", "v0=-3"},
    {"v_minmax_i32 v0, v1, v2, v3", "v1=-3 v2=-9 v3=-20", "v0=-9"},
    {"v_sad_u8 v0, v1, v2, v3", "v1=0x01020304 v2=0x04030201 v3=100", "v0=108"},
    {"v_sad_hi_u8 v0, v1, v2, v3", "v1=0x01020304 v2=0x04030201 v3=5", "v0=0x00080005"},
    {"v_sad_u16 v0, v1, v2, v3", "v1=0x00010005 v2=0x00030001 v3=1", "v0=7"},
    {"v_sad_u32 v0, v1, v2, v3", "v1=10 v2=13 v3=1", "v0=4"},
    {"v_msad_u8 v0, v1, v2, v3", "v1=0x01020304 v2=0x04000201 v3=100", "v0=107"},  // a zero byte of src1 masks its place
    {"v_lerp_u8 v0, v1, v2, v3", "v1=0x01020304 v2=0x02020506 v3=0x01000000", "v0=0x02020405"},
};

TEST_CASE("minimum, maximum, median and sums of differences") { kTable4.check(); }

static const CaseTable kTable5 = {
    {"v_add_co_u32 v0, vcc_lo, v1, v2", "v1=-1 v2=1", "v0=0 vcc=-1"},
    {"v_add_co_u32 v0, s4, v1, v2", "v1=1 v2=1", "v0=2 s4=0"},
    {"v_sub_co_u32 v0, vcc_lo, v1, v2", "v1=1 v2=2", "v0=-1 vcc=-1"},
    {"v_subrev_co_u32 v0, vcc_lo, v1, v2", "v1=1 v2=2", "v0=1 vcc=0"},
    {"v_add_co_ci_u32_e32 v0, vcc_lo, v1, v2, vcc_lo", "v1=-1 v2=0 vcc=-1", "v0=0 vcc=-1"},
    {"v_add_co_ci_u32_e64 v0, s5, v1, v2, s4", "v1=1 v2=2 s4=0", "v0=3 s5=0"},
    {"v_add_co_ci_u32_e64 v0, null, v1, v2, s4", "v1=1 v2=2 s4=-1", "v0=4"},
    {"v_sub_co_ci_u32_e32 v0, vcc_lo, v1, v2, vcc_lo", "v1=5 v2=5 vcc=-1", "v0=-1 vcc=-1"},
    {"v_subrev_co_ci_u32_e32 v0, vcc_lo, v1, v2, vcc_lo", "v1=2 v2=5 vcc=-1", "v0=2 vcc=0"},
    {"v_lshlrev_b64 v[0:1], v2, v[4:5]", "v2=36 v4:5=0x12345678", "v0:1=0x2345678000000000"},
    {"v_lshlrev_b64 v[0:1], 2, v[0:1]", "v0:1=0xc000000000000001", "v0:1=4"},
    {"v_lshrrev_b64 v[0:1], v2, v[4:5]", "v2=4 v4:5=0x8000000000000010", "v0:1=0x0800000000000001"},
    {"v_ashrrev_i64 v[0:1], v2, v[4:5]", "v2=4 v4:5=0x8000000000000010", "v0:1=0xf800000000000001"},
    {"v_mad_u64_u32 v[0:1], s4, v2, v3, v[6:7]", "v2=-1 v3=-1 v6:7=0x1fffffffe", "v0:1=0xffffffffffffffff s4=0"},
    {"v_mad_u64_u32 v[0:1], s4, v2, v3, v[6:7]", "v2=-1 v3=-1 v6:7=0x1ffffffff", "v0:1=0 s4=-1"},
    {"v_mad_u64_u32 v[0:1], null, v2, s3, v[0:1]", "v2=3 s3=5 v0:1=7", "v0:1=22"},
    {"v_mad_i64_i32 v[0:1], s4, v2, v3, v[6:7]", "v2=-2 v3=3 v6:7=1", "v0:1=-5 s4=-1"},
    {"v_qsad_pk_u16_u8 v[0:1], v[2:3], v4, v[6:7]", "v2:3=0x0807060504030201 v4=0x04030201 v6:7=0x0001000000000000", "v0:1=0x000d000800040000"},
    {"v_mqsad_pk_u16_u8 v[0:1], v[2:3], v4, v[6:7]", "v2:3=0x0807060504030201 v4=0x04030200 v6:7=0", "v0:1=0x0009000600030000"},
    {"v_mqsad_u32_u8 v[0:3], v[4:5], v6, v[8:11]", "v4:5=0x0807060504030201 v6=0x04030201 v8=0 v9=1 v10=0 v11=0", "v0=0 v1=5 v2=8 v3=12"},
};

TEST_CASE("carries and 64 bits") { kTable5.check(); }
