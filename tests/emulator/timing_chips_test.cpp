// The table of cards: complete, overridable by a file, part of a device's identity.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "emulator/timing/chips.hpp"
#include "emulator/timing/timing.hpp"

using namespace hipemu;

TEST_CASE("every card is found by its name and the first of a target by the target") {
    for (const char* card : {"rx7900xtx", "rx7900xt", "w7900", "rx7800xt", "rx7700xt", "rx7600", "radeon780m", "radeon890m", "strixhalo"}) {
        CAPTURE(card);
        REQUIRE(find_chip(card) != nullptr);
        CHECK(find_chip(card)->name == card);
    }
    CHECK(find_chip("gfx1100") == find_chip("rx7900xtx"));
    CHECK(find_chip("gfx1101:xnack-") == find_chip("rx7800xt"));
    CHECK(find_chip("gfx1102") == find_chip("rx7600"));
    CHECK(find_chip("gfx1103") == find_chip("radeon780m"));
    CHECK(find_chip("gfx1150") == find_chip("radeon890m"));
    CHECK(find_chip("gfx1151") == find_chip("strixhalo"));
    CHECK(find_chip("gfx906") == nullptr);
    CHECK(find_chip("") == nullptr);
}

TEST_CASE("every constant has a value and a source on every card, except a last-level cache where there is none") {
    std::set<std::string_view> names;
    for (const ChipConstant& constant : chip_constants()) {
        CAPTURE(constant.name);
        CHECK(names.insert(constant.name).second);
        CHECK_FALSE(constant.meaning.empty());
        for (const Chip& chip : table_chips()) {
            CAPTURE(chip.name);
            const bool may_be_0 = constant.name.starts_with("llc_") || constant.name == "integrated";
            CHECK((may_be_0 || constant.value_in(chip) > 0));
            CHECK_FALSE(constant.source_in(chip).empty());
        }
    }
}

TEST_CASE("registers of the smaller chips are fewer and come in smaller portions") {
    for (const Chip& chip : table_chips()) {
        CAPTURE(chip.name);
        const bool small = chip.target == "gfx1102" || chip.target == "gfx1103" || chip.target == "gfx1150";
        CHECK(chip.vgprs_per_simd == (small ? 1024 : 1536));
        CHECK(chip.vgpr_granule == (small ? 16 : 24));
    }
    CHECK(occupancy(*find_chip("gfx1100"), {.vgprs = 252, .waves = 4}) == 5);
    CHECK(occupancy(*find_chip("gfx1102"), {.vgprs = 252, .waves = 4}) == 4);
}

TEST_CASE("occupancy follows the registers in portions, and says what limits it") {
    const Chip& chip = *find_chip("gfx1100");
    constexpr std::uint32_t table[][2] = {{1, 16}, {96, 16}, {120, 12}, {144, 10}, {168, 9}, {192, 8}, {216, 7}, {240, 6}, {241, 5}, {256, 5}};
    for (const auto& row : table) {
        const std::uint32_t vgprs = row[0], waves = row[1];
        CAPTURE(vgprs);
        CHECK(occupancy(chip, {.vgprs = vgprs, .waves = 4}) == waves);
    }
    const auto limit = [&](const Footprint& footprint) { return occupancy_of(chip, footprint).limit; };
    CHECK(limit({.vgprs = 32, .waves = 4}) == "wave slots");
    CHECK(limit({.vgprs = 128, .waves = 4}) == "registers");
    CHECK(limit({.vgprs = 128, .lds_bytes = 60 << 10, .waves = 4}) == "lds");
    CHECK(limit({.vgprs = 32, .waves = 1}) == "wave slots");
    CHECK(occupancy_of(chip, {.vgprs = 32, .waves = 1}).groups_per_wgp == 64);
    CHECK(occupancy_of(chip, {.vgprs = 32, .waves = 2}).groups_per_wgp == 32);
    // In CU mode a group has half a WGP: two SIMDs, and half of the LDS.
    CHECK(occupancy_of(chip, {.vgprs = 256, .waves = 8, .wgp_mode = true}).groups_per_wgp == 2);
    CHECK(occupancy_of(chip, {.vgprs = 256, .waves = 4, .wgp_mode = false}).groups_per_wgp == 4);
    CHECK(occupancy_of(chip, {.vgprs = 32, .lds_bytes = 40 << 10, .waves = 4, .wgp_mode = true}).groups_per_wgp == 3);
    CHECK(occupancy_of(chip, {.vgprs = 32, .lds_bytes = 40 << 10, .waves = 4, .wgp_mode = false}).groups_per_wgp == 2);
}

TEST_CASE("a file overrides constants of the cards it names, and the identity of those changes") {
    const auto changed = override_chips(R"({"rx7900xtx": {"wmma_cycles": 32, "compute_units": 48}})", "test");
    REQUIRE_MESSAGE(changed.ok(), changed.status().to_string());
    const std::vector<Chip> table = table_chips();
    CHECK((*changed)[0].wmma_cycles == 32);
    CHECK((*changed)[0].compute_units == 48);
    CHECK(timing_table_hash((*changed)[0]) != timing_table_hash(table[0]));
    for (const ChipConstant& constant : chip_constants())
        CHECK((constant.source_in((*changed)[0]) == "HIPEMU_TIMING") == (constant.name == "wmma_cycles" || constant.name == "compute_units"));
    for (std::size_t i = 1; i < table.size(); ++i) CHECK(timing_table_hash((*changed)[i]) == timing_table_hash(table[i]));
}

TEST_CASE("what a file says wrong is told in a sentence") {
    const auto message = [](std::string_view json) {
        const auto result = override_chips(json, "file.json");
        return result.ok() ? std::string("understood") : result.status().message();
    };
    CHECK(message("{}") == "understood");
    CHECK(message("[1]").find("no JSON object") != std::string::npos);
    CHECK(message("{\"rx7900xtx\"").find("no JSON object") != std::string::npos);
    CHECK(message(R"({"rx9": {}})").find("there is no card 'rx9'; the cards are rx7900xtx") != std::string::npos);
    CHECK(message(R"({"rx7600": {"speed": 1}})").find("rx7600: there is no constant 'speed'") != std::string::npos);
    CHECK(message(R"({"rx7600": {"wmma_cycles": "fast"}})").find("rx7600.wmma_cycles is no number") != std::string::npos);
    CHECK(message(R"({"rx7600": {"wmma_cycles": -1}})").find("at least 0") != std::string::npos);
    CHECK(message(R"({"rx7600": {"compute_units": 1.5}})").find("whole number") != std::string::npos);
    CHECK(message(R"({"rx7600": 3})").find("object of constants") != std::string::npos);
}
