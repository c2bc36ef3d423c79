#include "emulator/state/read_bits.hpp"

#include <algorithm>
#include <iterator>

namespace hipemu {
namespace {

struct Row {
    std::string_view mnemonic;
    ReadBits reads;
};

constexpr std::uint32_t kAll = ~0u, k24 = 0xffffff, kClasses = 0x3ff;

constexpr Row part(std::string_view mnemonic, std::uint32_t first, std::uint32_t second = kAll) {
    return {mnemonic, {.used = {first, second, kAll, kAll, kAll}}};
}
constexpr Row sum(std::string_view mnemonic, std::uint32_t first = kAll, std::uint32_t second = kAll) {
    return {mnemonic, {.used = {first, second, kAll, kAll, kAll}, .upward = true}};
}
constexpr Row product(std::string_view mnemonic, std::uint32_t factors, bool upward) {
    return {mnemonic, {.used = {factors, factors, kAll, kAll, kAll}, .upward = upward, .product = true}};
}

constexpr Row kRows[] = {
    part("v_cvt_f32_ubyte0", 0xff),
    part("v_cvt_f32_ubyte1", 0xff00),
    part("v_cvt_f32_ubyte2", 0xff0000),
    part("v_cvt_f32_ubyte3", 0xff000000),
    part("v_cvt_off_f32_i4", 0xf),
    part("v_bfm_b32", 31, 31),
    part("v_cmp_class_f16", kAll, kClasses),
    part("v_cmp_class_f32", kAll, kClasses),
    part("v_cmp_class_f64", kAll, kClasses),
    part("v_cmpx_class_f16", kAll, kClasses),
    part("v_cmpx_class_f32", kAll, kClasses),
    part("v_cmpx_class_f64", kAll, kClasses),
    product("v_mul_hi_u32", kAll, false),
    product("v_mul_hi_i32", kAll, false),
    product("v_mul_hi_i32_i24", k24, false),
    product("v_mul_hi_u32_u24", k24, false),
    product("v_mul_i32_i24", k24, true),
    product("v_mul_u32_u24", k24, true),
    product("v_mad_i32_i24", k24, true),
    product("v_mad_u32_u24", k24, true),
    product("v_mul_lo_u32", kAll, true),
    sum("v_mul_lo_u16"),
    sum("v_mad_u16"),
    sum("v_mad_i16"),
    sum("v_mad_u32_u16"),
    sum("v_add_nc_u32"),
    sum("v_sub_nc_u32"),
    sum("v_subrev_nc_u32"),
    sum("v_add_nc_i32"),
    sum("v_sub_nc_i32"),
    sum("v_dual_add_nc_u32"),
    sum("v_add_nc_u16"),
    sum("v_sub_nc_u16"),
    sum("v_add_nc_i16"),
    sum("v_sub_nc_i16"),
    sum("v_add_co_u32"),
    sum("v_sub_co_u32"),
    sum("v_subrev_co_u32"),
    sum("v_add_co_ci_u32"),
    sum("v_sub_co_ci_u32"),
    sum("v_subrev_co_ci_u32"),
    sum("v_add3_u32"),
    sum("v_xad_u32"),
    {"v_lshl_add_u32", {.used = {kAll, 31, kAll, kAll, kAll}, .upward = true, .shift = 1}},
    {"v_add_lshl_u32", {.used = {kAll, kAll, 31, kAll, kAll}, .upward = true, .shift = 2}},
};

}  // namespace

ReadBits read_bits(std::string_view mnemonic) {
    const auto* row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& one) { return one.mnemonic == mnemonic; });
    return row != std::end(kRows) ? row->reads : ReadBits{};
}

}  // namespace hipemu
