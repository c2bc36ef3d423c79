// Conversions between number formats: rounding, saturation, NaNs.
#include <doctest/doctest.h>

#include "emulator/instruction_cases.hpp"

using emulator_test::CaseTable;

static const CaseTable kTable1 = {
    {"v_cvt_f32_i32_e32 v0, v1", "v1=-5", "v0=-5.0f"},
    {"v_cvt_f32_i32_e32 v0, v1", "v1=16777217", "v0=16777216.0f"},
    {"v_cvt_f32_u32_e32 v0, v1", "v1=0xffffffff", "v0=4294967296.0f"},
    {"v_cvt_f32_u32_e32 v0, v1", "v1=0x80000000", "v0=2147483648.0f"},
    {"v_cvt_i32_f32_e32 v0, v1", "v1=-2.9f", "v0=-2"},
    {"v_cvt_i32_f32_e32 v0, v1", "v1=3e9f", "v0=0x7fffffff"},
    {"v_cvt_i32_f32_e32 v0, v1", "v1=-3e9f", "v0=0x80000000"},
    {"v_cvt_i32_f32_e32 v0, v1", "v1=0x7fc00000", "v0=0"},
    {"v_cvt_u32_f32_e32 v0, v1", "v1=3e9f", "v0=3000000000"},
    {"v_cvt_u32_f32_e32 v0, v1", "v1=5e9f", "v0=0xffffffff"},
    {"v_cvt_u32_f32_e32 v0, v1", "v1=-1.0f", "v0=0"},
    {"v_cvt_u32_f32_e32 v0, v1", "v1=0x7fc00000", "v0=0"},
    {"v_cvt_nearest_i32_f32_e32 v0, v1", "v1=2.5f", "v0=3"},
    {"v_cvt_nearest_i32_f32_e32 v0, v1", "v1=-2.5f", "v0=-2"},
    {"v_cvt_floor_i32_f32_e32 v0, v1", "v1=-2.1f", "v0=-3"},
    {"v_cvt_off_f32_i4_e32 v0, v1", "v1=7", "v0=0.4375f"},
    {"v_cvt_off_f32_i4_e32 v0, v1", "v1=8", "v0=-0.5f"},
    {"v_cvt_f32_ubyte0_e32 v0, v1", "v1=0x04030201", "v0=1.0f"},
    {"v_cvt_f32_ubyte1_e32 v0, v1", "v1=0x04030201", "v0=2.0f"},
    {"v_cvt_f32_ubyte2_e32 v0, v1", "v1=0x04030201", "v0=3.0f"},
    {"v_cvt_f32_ubyte3_e32 v0, v1", "v1=0xff030201", "v0=255.0f"},
    {"v_cvt_i32_f64_e32 v0, v[2:3]", "v2:3=-2.9d", "v0=-2"},
    {"v_cvt_i32_f64_e32 v0, v[2:3]", "v2:3=3e9d", "v0=0x7fffffff"},
    {"v_cvt_u32_f64_e32 v0, v[2:3]", "v2:3=3e9d", "v0=3000000000"},
    {"v_cvt_u32_f64_e32 v0, v[2:3]", "v2:3=-1.0d", "v0=0"},
    {"v_cvt_f64_i32_e32 v[0:1], v2", "v2=-5", "v0:1=-5.0d"},
    {"v_cvt_f64_u32_e32 v[0:1], v2", "v2=0xffffffff", "v0:1=4294967295.0d"},
    {"v_cvt_f32_f64_e32 v0, v[2:3]", "v2:3=1.00000006d", "v0=0x3f800001"},
    {"v_cvt_f32_f64_e32 v0, v[2:3]", "v2:3=0x36a0000000000000", "v0=1"},               // 2^-149
    {"v_cvt_f32_f64_e32 v0, v[2:3]", "v2:3=0x7ff0000000000001", "v0=0x7fc00000"},
    {"v_cvt_f64_f32_e32 v[0:1], v2", "v2=-1.5f", "v0:1=-1.5d"},
    {"v_cvt_f64_f32_e32 v[0:1], v2", "v2=1", "v0:1=0x36a0000000000000"},
};

TEST_CASE("between integers and 32-bit or 64-bit floats") { kTable1.check(); }

static const CaseTable kTable2 = {
    {"v_cvt_f16_f32_e32 v0, v1", "v0=0xaaaa0000 v1=1.5f", "v0=0xaaaa3e00"},
    {"v_cvt_f16_f32_e32 v0, v1", "v0=0 v1=2049.0f", "v0=0x6800"},          // tie to even
    {"v_cvt_f16_f32_e32 v0, v1", "v0=0 v1=2051.0f", "v0=0x6802"},
    {"v_cvt_f16_f32_e32 v0, v1", "v0=0 v1=65519.0f", "v0=0x7bff"},
    {"v_cvt_f16_f32_e32 v0, v1", "v0=0 v1=65520.0f", "v0=0x7c00"},
    {"v_cvt_f16_f32_e32 v0, v1", "v0=0 v1=0x33800000", "v0=0x0001"},       // 2^-24
    {"v_cvt_f16_f32_e32 v0, v1", "v0=0 v1=0x33000000", "v0=0x0000"},       // 2^-25, a tie
    {"v_cvt_f16_f32_e32 v0, v1", "v0=0 v1=0x33000001", "v0=0x0001"},
    {"v_cvt_f16_f32_e32 v0, v1", "v0=0 v1=0xff801fff", "v0=0xfe00"},       // a NaN keeps its upper bits
    {"v_cvt_f16_f32_e64 v0, -v1 op_sel:[0,1]", "v0=0x00001234 v1=1.0f", "v0=0xbc001234"},
    {"v_cvt_f32_f16_e32 v0, v1", "v1=0xffff3e00", "v0=1.5f"},
    {"v_cvt_f32_f16_e32 v0, v1", "v1=0x0001", "v0=0x33800000"},
    {"v_cvt_f32_f16_e32 v0, v1", "v1=0x7c01", "v0=0x7fc02000"},
    {"v_cvt_f32_f16_e64 v0, |v1| op_sel:[1,0]", "v1=0xbe000000", "v0=1.5f"},
    {"v_cvt_f16_u16_e32 v0, v1", "v0=0xaaaa0000 v1=0xffff", "v0=0xaaaa7c00"},
    {"v_cvt_f16_u16_e32 v0, v1", "v0=0 v1=2049", "v0=0x6800"},
    {"v_cvt_f16_i16_e32 v0, v1", "v0=0 v1=0xffff", "v0=0xbc00"},
    {"v_cvt_u16_f16_e32 v0, v1", "v0=0xaaaa0000 v1=2.5h", "v0=0xaaaa0002"},
    {"v_cvt_u16_f16_e32 v0, v1", "v0=0 v1=-2.5h", "v0=0"},
    {"v_cvt_i16_f16_e32 v0, v1", "v0=0 v1=-2.5h", "v0=0xfffe"},
    {"v_cvt_i16_f16_e32 v0, v1", "v0=0 v1=0x7c00", "v0=0x7fff"},
    {"v_cvt_norm_i16_f16_e32 v0, v1", "v0=0 v1=-1.0h", "v0=0x8001"},
    {"v_cvt_norm_i16_f16_e32 v0, v1", "v0=0 v1=2.0h", "v0=0x7fff"},
    {"v_cvt_norm_u16_f16_e32 v0, v1", "v0=0 v1=1.0h", "v0=0xffff"},
    {"v_cvt_norm_u16_f16_e32 v0, v1", "v0=0 v1=-1.0h", "v0=0"},
    {"v_cvt_pk_rtz_f16_f32_e32 v0, v1, v2", "v1=1.5f v2=-65536.0f", "v0=0xfbff3e00"},  // never to infinity
    {"v_cvt_pk_rtz_f16_f32_e32 v0, v1, v2", "v1=0x3f801fff v2=0x7f800000", "v0=0x7c003c00"},
    {"v_cvt_pk_rtz_f16_f32_e64 v0, -v1, |v2|", "v1=1.5f v2=-2.0f", "v0=0x4000be00"},
};

TEST_CASE("to and from halves") { kTable2.check(); }

static const CaseTable kTable3 = {
    {"v_cvt_pk_i16_f32 v0, v1, v2", "v1=-2.5f v2=40000.0f", "v0=0x7ffffffe"},
    {"v_cvt_pk_u16_f32 v0, v1, v2", "v1=-2.5f v2=40000.0f", "v0=0x9c400000"},
    {"v_cvt_pk_norm_i16_f32 v0, v1, v2", "v1=1.0f v2=-1.0f", "v0=0x80017fff"},
    {"v_cvt_pk_norm_u16_f32 v0, v1, v2", "v1=1.0f v2=-1.0f", "v0=0x0000ffff"},
    {"v_cvt_pk_norm_i16_f16 v0, v1, v2", "v1=1.0h v2=-1.0h", "v0=0x80017fff"},
    {"v_cvt_pk_norm_u16_f16 v0, v1, v2 op_sel:[1,0,0]", "v1=0x3c000000 v2=-1.0h", "v0=0x0000ffff"},
    {"v_cvt_pk_u16_u32 v0, v1, v2", "v1=0x12345 v2=7", "v0=0x0007ffff"},
    {"v_cvt_pk_i16_i32 v0, v1, v2", "v1=-40000 v2=40000", "v0=0x7fff8000"},
    {"v_cvt_pk_u8_f32 v0, v1, v2, v3", "v1=200.7f v2=2 v3=0x11223344", "v0=0x11c83344"},
    {"v_cvt_pk_u8_f32 v0, v1, v2, v3", "v1=300.0f v2=0 v3=0x11223344", "v0=0x112233ff"},
};

TEST_CASE("packing conversions") { kTable3.check(); }
