#include "hipemu_command/profile.hpp"

#include <doctest/doctest.h>

using namespace hipemu::command;

namespace {

Profile example() {
    return {.instructions = {{.offset = 0, .text = "v_add_f32_e32 v0, v1, v2", .count = 10, .issue_cycles = 10, .stall_cycles = 40},
                             {.offset = 4, .text = "v_add_f32_e64 v0, |v1|, v2", .count = 5, .issue_cycles = 5, .stall_cycles = 0},
                             {.offset = 12, .text = "s_waitcnt vmcnt(0)", .count = 5, .issue_cycles = 0, .stall_cycles = 500},
                             {.offset = 16, .text = "s_endpgm", .count = 1, .issue_cycles = 1, .stall_cycles = 0},
                             {.offset = 20, .text = "s_trap 2", .count = 0, .issue_cycles = 0, .stall_cycles = 0}}};
}

}  // namespace

TEST_CASE("a mnemonic is the name without its encoding") {
    CHECK_EQ(mnemonic_of("v_add_f32_e32 v0, v1, v2"), "v_add_f32");
    CHECK_EQ(mnemonic_of("\tv_add_f32_e64_dpp v0, v1, v2 quad_perm:[0,1,2,3]"), "v_add_f32");
    CHECK_EQ(mnemonic_of("v_mov_b32_dpp8 v0, v1"), "v_mov_b32");
    CHECK_EQ(mnemonic_of("s_endpgm"), "s_endpgm");
    CHECK_EQ(mnemonic_of("v_dual_fmac_f32 v0, v1, v2 :: v_dual_mul_f32 v3, v4, v5"), "v_dual_fmac_f32");
    CHECK_EQ(mnemonic_of(""), "");
}

TEST_CASE("instructions are counted by mnemonic, the most frequent first, those that never ran left out") {
    const Profile profile = example();
    CHECK_EQ(profile.count(), 21u);
    CHECK_EQ(profile.cycles(), 556);
    const auto counts = profile.by_mnemonic();
    REQUIRE_EQ(counts.size(), 3u);
    CHECK_EQ(counts[0].mnemonic, "v_add_f32");
    CHECK_EQ(counts[0].count, 15u);
    CHECK_EQ(counts[0].stall_cycles, 40);
    CHECK_EQ(counts[2].mnemonic, "s_endpgm");
}

TEST_CASE("the hottest instructions are those with the most cycles, in the order of the code") {
    CHECK(example().hottest(2) == std::vector<std::size_t>{0, 2});
    CHECK(example().hottest(100) == std::vector<std::size_t>{0, 1, 2, 3});
    CHECK(example().hottest(0).empty());
}
