// Launches whose time is not modelled (HIPEMU_TIMING=off), and launches without the tracking of undefined bits.
#include <doctest/doctest.h>

#include <cstring>

#include "emulator/isa/program.hpp"
#include "emulator/run/launch.hpp"

using namespace hipemu;

namespace {

constexpr std::uint64_t kBuffer = 0x7f0000000000;
constexpr std::size_t kBytes = 4096;

/// Runs text on a buffer whose address is in s[0:1]; s2 is the work-group.
class Launch {
public:
    explicit Launch(std::string_view lines) { text(lines); }

    Launch& text(std::string_view lines) {
        auto program = decode(lines, "gfx1100", 0);
        REQUIRE(program.ok());
        kernel_.name = "hand_written";
        kernel_.program = *program;
        kernel_.properties = 1u << 3 | 1u << 10;
        kernel_.rsrc2 = 2u << 1 | 1u << 7;
        kernel_.vgprs = 32;
        return *this;
    }
    LaunchResult go(const Strictness& strict, std::uint32_t groups = 1, std::uint64_t sample = 0, bool timed = false) {
        return run({.kernel = &kernel_,
                    .grid = {groups, 1, 1},
                    .block = {64, 1, 1},
                    .kernarg_address = kBuffer,
                    .memory = memory_,
                    .timed = timed,
                    .sample_groups = sample,
                    .host_threads = 2,
                    .strict = strict});
    }
    std::vector<std::byte>& bytes() { return bytes_; }
    void define(std::size_t first, std::size_t count) { std::memset(defined_.data() + first / 8, 0xff, count / 8); }

private:
    std::vector<std::byte> bytes_ = std::vector<std::byte>(kBytes);
    std::vector<std::uint8_t> defined_ = std::vector<std::uint8_t>(kBytes / 8);
    Kernel kernel_;
    std::shared_ptr<const MemoryMap> memory_ = std::make_shared<MemoryMap>(std::vector<Allocation>{
        {.base = kBuffer, .size = kBytes, .host = bytes_.data(), .defined = defined_.data(), .writable = true, .label = "buffer"}});
};

const Strictness kAll;

}  // namespace

TEST_CASE("without the model a launch takes its issue cycles, spread over all SIMDs, and the same results") {
    constexpr std::string_view lines = R"(
        v_mov_b32 v1, 1
        s_nop 0
        v_wmma_i32_16x16x16_iu8 v[8:15], v[1:4], v[1:4], v[8:15]
        s_waitcnt vmcnt(0)
        s_mov_b32 s4, 0
        s_endpgm
    )";
    Launch launch(lines);
    const LaunchResult off = launch.go(Strictness::none(), 6), on = launch.go(Strictness::none(), 6, 0, true);
    REQUIRE_FALSE(off.fault.has_value());
    REQUIRE_FALSE(on.fault.has_value());
    CHECK(off.counts == on.counts);
    CHECK(off.instructions == on.instructions);
    CHECK(off.time.groups_timed == 0);
    CHECK(on.time.groups_timed > 0);
    CHECK(off.time.occupancy.waves_per_simd == on.time.occupancy.waves_per_simd);
    // 6 groups of 2 waves; a move, a product, a scalar move; 96 compute units of two SIMDs each.
    const double cycles = 6 * 2 * (1 + 34 + 1) / 192.0;
    CHECK(off.time.cycles == doctest::Approx(cycles));
    CHECK(off.time.seconds == doctest::Approx(cycles / 2.2e9));
    const LaunchResult strict = launch.go(kAll, 12);
    REQUIRE_MESSAGE(!strict.fault.has_value(), strict.fault->message);
    CHECK(strict.time.cycles == doctest::Approx(2 * cycles));
    const LaunchResult sample = launch.go(Strictness::none(), 60, 4);
    CHECK(sample.groups_run == 4);
    CHECK(sample.time.cycles == doctest::Approx(10 * cycles));
}

TEST_CASE("what is measured without the model is kept apart from what is modelled") {
    const Chip& chip = *find_chip("gfx1100");
    CHECK(timing_table_hash(chip, false) != timing_table_hash(chip));
    CHECK(timing_table_hash(chip, false) != timing_table_hash(*find_chip("gfx1102"), false));
}

TEST_CASE("a launch that does not follow undefined bits notes what it writes, and leaves what is defined so") {
    constexpr std::string_view copy = R"(
        v_lshlrev_b32 v1, 4, v0
        global_load_b128 v[4:7], v1, s[0:1]
        s_waitcnt vmcnt(0)
        v_mov_b32 v4, v0
        global_store_b128 v1, v[4:7], s[0:1] offset:2048
        s_endpgm
    )";
    constexpr std::string_view use = R"(
        v_lshlrev_b32 v1, 4, v0
        global_load_b128 v[4:7], v1, s[0:1] offset:2048
        s_waitcnt vmcnt(0)
        global_store_b128 v1, v[4:7], s[0:1] offset:2048
        s_endpgm
    )";
    Launch launch(copy);
    REQUIRE(launch.go(kAll).fault.has_value());  // what it copies is undefined, and is stored
    REQUIRE_FALSE(launch.go(Strictness::none()).fault.has_value());
    CHECK_FALSE(launch.text(use).go(kAll).fault.has_value());

    // A store of some of the lanes takes another path.
    constexpr std::string_view some = R"(
        v_lshlrev_b32 v1, 2, v0
        v_mov_b32 v2, 7
        s_mov_b32 exec_lo, 0xff
        global_load_b32 v2, v1, s[0:1] offset:1024
        s_waitcnt vmcnt(0)
        v_mov_b32 v2, 7
        global_store_b32 v1, v2, s[0:1] offset:1536
        s_endpgm
    )";
    constexpr std::string_view use_some = R"(
        v_lshlrev_b32 v1, 2, v0
        s_mov_b32 exec_lo, 0xff
        global_load_b32 v2, v1, s[0:1] offset:1536
        s_waitcnt vmcnt(0)
        global_store_b32 v1, v2, s[0:1] offset:1536
        s_endpgm
    )";
    REQUIRE_FALSE(launch.text(some).go(Strictness::none()).fault.has_value());
    CHECK_FALSE(launch.text(use_some).go(kAll).fault.has_value());
}

TEST_CASE("a program's tables are made for each card and way of timing, and again for a card that somebody changed") {
    std::string lines;
    for (int r = 0; r < 24; ++r) lines += "v_mov_b32 v" + std::to_string(r) + ", 0\n";
    for (int i = 0; i < 50; ++i) lines += "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]\n";
    lines += "s_endpgm\n";
    auto program = decode(lines, "gfx1100", 0);
    REQUIRE(program.ok());
    const Kernel kernel{.name = "products", .program = *program, .properties = 1u << 10, .vgprs = 32};
    const auto cycles_on = [&](const Chip& chip) {
        return run({.kernel = &kernel, .block = {32, 1, 1}, .memory = std::make_shared<MemoryMap>(std::vector<Allocation>{}), .chip = &chip}).time.cycles;
    };
    Chip changed = *find_chip("gfx1100");
    const double usual = cycles_on(changed);
    CHECK(cycles_on(*find_chip("gfx1100")) == usual);
    CHECK(cycles_on(*find_chip("gfx1100")) == usual);
    changed.wmma_cycles *= 2;
    changed.wmma_spread_cycles *= 2;
    CHECK(cycles_on(changed) > 1.5 * usual);
}
