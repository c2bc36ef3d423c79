// The instruction set of every target, walked opcode by opcode: what a compute kernel can contain has semantics.
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "emulator/exec/control.hpp"
#include "emulator/isa/program.hpp"
#include "emulator/opcode_walk.hpp"

namespace {

constexpr std::array kTargets{"gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151"};

/// Graphics, images, ray tracing, global data share and trap handlers: a kernel that contains one is stopped at it by its name.
bool is_refused(std::string_view name) {
    for (const std::string_view prefix : {"exp", "image_", "tbuffer_", "v_interp_", "lds_direct", "lds_param", "ds_gws_", "ds_ordered_count", "ds_bvh_",
                                          "ds_add_gs_reg", "ds_sub_gs_reg", "buffer_load_format", "buffer_load_d16_format", "buffer_load_d16_hi_format",
                                          "buffer_store_format", "buffer_store_d16_format", "buffer_store_d16_hi_format", "s_subvector_loop"}) {
        if (name.starts_with(prefix)) return true;
    }
    return name == "s_code_end" || name == "s_endpgm_ordered_ps_done" || name == "s_rfe_b64";
}

/// Names that hand-written listings and other assemblers use for instructions of these targets or of their neighbours.
constexpr std::array kOtherNames{"v_clrexcp", "v_dot2c_f32_f16", "v_dot2acc_f32_bf16"};

std::string names_of(const std::set<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += name + " ";
    return text;
}

}  // namespace

TEST_CASE("every instruction of a target that a compute kernel can contain has semantics, and the others have none") {
    for (const std::string target : kTargets) {
        std::set<std::string> missing, pretended;
        const std::set<std::string> instructions = hip_test::instructions_of(target);
        for (const std::string& name : instructions) {
            const bool known = hipemu::has_semantics(name, target);
            if (!known && !is_refused(name)) missing.insert(name);
            if (known && is_refused(name)) pretended.insert(name);
        }
        CHECK_MESSAGE(missing.empty(), target, ": ", names_of(missing));
        CHECK_MESSAGE(pretended.empty(), target, ": ", names_of(pretended));
        MESSAGE(target, ": ", instructions.size(), " instructions");
    }
}

TEST_CASE("every name with semantics is an instruction of some target") {
    std::set<std::string> instructions;
    for (const std::string target : kTargets) instructions.merge(hip_test::instructions_of(target));
    std::set<std::string> invented;
    for (const std::string_view name : hipemu::known_mnemonics()) {
        const bool other = std::find(kOtherNames.begin(), kOtherNames.end(), name) != kOtherNames.end();
        if (!other && !instructions.contains(std::string(name))) invented.emplace(name);
    }
    CHECK_MESSAGE(invented.empty(), names_of(invented));
}

TEST_CASE("the operands of every instruction that has semantics are understood as the disassembler writes them") {
    for (const std::string target : kTargets) {
        auto program = hipemu::decode(hip_test::listing_of_all_instructions(target), target, 0);
        REQUIRE_MESSAGE(program.ok(), program.status().to_string());
        std::set<std::string> not_understood;
        for (std::size_t i = 0; i < (*program)->code.size(); ++i) {
            const hipemu::Inst& inst = (*program)->code[i];
            if ((*program)->text[i].find("/*Invalid") != std::string::npos) continue;  // the walk's registers do not suit every opcode
            const bool second = inst.second != nullptr && inst.second->exec == hipemu::exec_not_understood;
            if (second || inst.first_exec == hipemu::exec_not_understood || inst.exec == hipemu::exec_not_understood) {
                not_understood.insert((*program)->text[i] + "\n");
            }
        }
        CHECK_MESSAGE(not_understood.empty(), target, ": ", names_of(not_understood));
    }
}
