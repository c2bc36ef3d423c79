// The halves of a VOPD instruction: the same operations as their single forms, named v_dual_*. Each handler does its own half; the
// decoder joins two so that both read before either writes.
#include <array>
#include <span>
#include <string>
#include <vector>

#include "emulator/exec/lanes.hpp"
#include "emulator/exec/valu_tables.hpp"
#include "emulator/isa/op_rows.hpp"

namespace hipemu::HIPEMU_LANES {

namespace {

constexpr std::string_view kDual = "v_dual_";
constexpr std::array<std::string_view, 17> kDualNames = {
    "v_dual_fmac_f32",          "v_dual_fmaak_f32",          "v_dual_fmamk_f32",   "v_dual_mul_f32",      "v_dual_add_f32",     "v_dual_sub_f32",
    "v_dual_subrev_f32",        "v_dual_mul_dx9_zero_f32",   "v_dual_mov_b32",     "v_dual_cndmask_b32",  "v_dual_max_f32",     "v_dual_min_f32",
    "v_dual_dot2acc_f32_f16",   "v_dual_dot2acc_f32_bf16",   "v_dual_add_nc_u32",  "v_dual_lshlrev_b32",  "v_dual_and_b32",
};

const OpInfo* single_form(std::string_view name) {
    for (const auto ops : {f32_ops(), int_ops(), dot_ops()}) {
        for (const OpInfo& op : ops) {
            if (op.mnemonic == name) return &op;
        }
    }
    return nullptr;
}

}  // namespace

std::span<const OpInfo> dual_ops() {
    static const std::vector<OpInfo> table = [] {
        std::vector<OpInfo> ops;
        for (const std::string_view name : kDualNames) {
            const OpInfo* single = single_form("v_" + std::string(name.substr(kDual.size())));
            if (single == nullptr) continue;  // a test counts the table
            OpInfo op = *single;
            op.mnemonic = name;
            op.unit = Unit::vopd;
            op.reads_vcc = name == "v_dual_cndmask_b32";  // not printed
            ops.push_back(op);
        }
        return ops;
    }();
    return table;
}

}  // namespace hipemu::HIPEMU_LANES
