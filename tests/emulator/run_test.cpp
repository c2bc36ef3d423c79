// Whole launches without HIP: initial state, work-groups over threads, barriers, findings, samples, time.
#include <doctest/doctest.h>

#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "emulator/run/launch.hpp"

using namespace hipemu;

namespace {

constexpr std::uint64_t kBuffer = 0x7f0000000000, kArguments = 0x7f0100000000;
constexpr std::uint32_t kKernargPtr = 1u << 3, kWave32 = 1u << 10;

/// A hand-written kernel that gets one pointer, in s[0:1], and its work-group's x in s2.
class Launch {
public:
    Launch(std::string_view lines, std::size_t buffer_bytes) : buffer_(buffer_bytes), defined_(buffer_bytes / 8 + 1) {
        auto program = decode(lines, "gfx1100", 0);
        REQUIRE(program.ok());
        kernel_.name = "hand_written";
        kernel_.program = *program;
        kernel_.properties = kKernargPtr | kWave32;
        kernel_.rsrc2 = 2u << 1 | 1u << 7;
        kernel_.vgprs = 32;
        arguments_.resize(16);
        std::memcpy(arguments_.data(), &kBuffer, 8);
        request_.kernel = &kernel_;
        request_.kernarg_address = kArguments;
        request_.host_threads = 1;
        request_.memory = std::make_shared<MemoryMap>(std::vector<Allocation>{
            {.base = kBuffer, .size = buffer_bytes, .host = buffer_.data(), .defined = defined_.data(), .writable = true, .label = "buffer"},
            {.base = kArguments, .size = 16, .host = arguments_.data(), .defined = nullptr, .writable = false, .label = "kernel arguments"}});
    }

    Launch& groups(std::uint32_t x, std::uint32_t y = 1) { return request_.grid = {x, y, 1}, *this; }
    Launch& threads(std::uint32_t x, std::uint32_t y = 1) { return request_.block = {x, y, 1}, *this; }
    Launch& host_threads(unsigned count) { return request_.host_threads = count, *this; }
    Launch& sample(std::uint64_t groups) { return request_.sample_groups = groups, *this; }
    Launch& limit(std::uint64_t instructions) { return request_.instruction_limit = instructions, *this; }
    Launch& strict(const Strictness& checks) { return request_.strict = checks, *this; }
    Launch& lds(std::uint32_t bytes) { return request_.dynamic_lds = bytes, *this; }

    Kernel& kernel() { return kernel_; }
    LaunchResult go() { return hipemu::run(request_); }

    std::uint32_t word(std::size_t i) const {
        std::uint32_t value;
        std::memcpy(&value, buffer_.data() + 4 * i, 4);
        return value;
    }
    bool written(std::size_t i) const { return defined_[i / 2] >> (i % 2 * 4) & 1; }

private:
    std::vector<std::byte> buffer_, arguments_;
    std::vector<std::uint8_t> defined_;
    Kernel kernel_;
    LaunchRequest request_;
};

/// out[group * 64 + thread] = group * 1000 + thread
constexpr std::string_view kWriteIds = R"(
    s_load_b64 s[4:5], s[0:1], null
    s_waitcnt lgkmcnt(0)
    s_mul_i32 s6, s2, 0x3e8
    s_lshl_b32 s7, s2, 8
    v_add_nc_u32 v1, s6, v0
    v_lshlrev_b32 v2, 2, v0
    v_add_nc_u32 v2, s7, v2
    global_store_b32 v2, v1, s[4:5]
    s_endpgm
)";

}  // namespace

TEST_CASE("every work-item of every group runs, however many host threads there are") {
    for (const unsigned host_threads : {1u, 4u}) {
        Launch launch(kWriteIds, 64 * 4 * 20);
        const LaunchResult result = launch.groups(20).threads(64).host_threads(host_threads).go();
        REQUIRE_FALSE(result.fault.has_value());
        for (std::uint32_t i = 0; i < 20 * 64; ++i) REQUIRE(launch.word(i) == i / 64 * 1000 + i % 64);
        CHECK(result.groups_run == 20);
        // Six scalar and vector instructions, one load, one store and the end, in 40 waves; waits are not counted among them.
        CHECK(result.instructions[static_cast<std::size_t>(Unit::salu)] == 2 * 40);
        CHECK(result.instructions[static_cast<std::size_t>(Unit::valu)] == 3 * 40);
        CHECK(result.instructions[static_cast<std::size_t>(Unit::vmem)] == 40);
        CHECK(result.instructions[static_cast<std::size_t>(Unit::smem)] == 40);
    }
}

TEST_CASE("the last wave has only the lanes that exist") {
    Launch launch(kWriteIds, 64 * 4);
    REQUIRE_FALSE(launch.threads(40).go().fault.has_value());
    CHECK(launch.word(39) == 39);
    CHECK(launch.written(39));
    CHECK_FALSE(launch.written(40));
}

TEST_CASE("work-item coordinates are packed in v0, as many as the descriptor asks for") {
    constexpr std::string_view store_v0 = R"(
        s_load_b64 s[4:5], s[0:1], null
        s_waitcnt lgkmcnt(0)
        v_and_b32 v1, 0x3ff, v0
        v_bfe_u32 v2, v0, 10, 10
        v_lshl_add_u32 v2, v2, 3, v1
        v_lshlrev_b32 v2, 2, v2
        global_store_b32 v2, v0, s[4:5]
        s_endpgm
    )";
    Launch two(store_v0, 32 * 4);
    two.kernel().rsrc2 |= 1u << 11;
    REQUIRE_FALSE(two.threads(8, 4).go().fault.has_value());
    CHECK(two.word(3 * 8 + 5) == (5 | 3 << 10));
    Launch one(store_v0, 32 * 4);
    REQUIRE_FALSE(one.threads(8, 4).go().fault.has_value());
    CHECK(one.word(5) == 5);  // the rows write the same places
}

TEST_CASE("group coordinates follow the user registers that the descriptor counts") {
    constexpr std::string_view store_ids = R"(
        s_load_b64 s[4:5], s[0:1], null
        s_waitcnt lgkmcnt(0)
        s_lshl_b32 s6, s15, 2
        s_add_u32 s6, s6, s14
        s_lshl_b32 s7, s6, 2
        v_mov_b32 v1, s7
        v_mov_b32 v2, s6
        global_store_b32 v1, v2, s[4:5]
        s_endpgm
    )";
    Launch launch(store_ids, 12 * 4);
    launch.kernel().rsrc2 = 14u << 1 | 1u << 7 | 1u << 8;  // as gfx1100 objects have it: x in s14, y in s15
    REQUIRE_FALSE(launch.groups(4, 3).threads(1).go().fault.has_value());
    for (std::uint32_t i = 0; i < 12; ++i) CHECK(launch.word(i) == i);
}

TEST_CASE("a barrier lets every wave see what the others stored to LDS") {
    // Each thread stores its id and reads its mirror image's.
    Launch launch(R"(
        s_load_b64 s[4:5], s[0:1], null
        s_waitcnt lgkmcnt(0)
        v_lshlrev_b32 v1, 2, v0
        v_sub_nc_u32 v2, 0x1fc, v1
        ds_store_b32 v1, v0
        s_waitcnt lgkmcnt(0)
        s_barrier
        ds_load_b32 v3, v2
        s_waitcnt lgkmcnt(0)
        global_store_b32 v1, v3, s[4:5]
        s_endpgm
    )", 128 * 4);
    REQUIRE_FALSE(launch.threads(128).lds(512).go().fault.has_value());
    for (std::uint32_t i = 0; i < 128; ++i) REQUIRE(launch.word(i) == 127 - i);
}

TEST_CASE("without the barrier the first wave reads what nobody has written yet") {
    Launch launch(R"(
        s_load_b64 s[4:5], s[0:1], null
        s_waitcnt lgkmcnt(0)
        v_lshlrev_b32 v1, 2, v0
        v_sub_nc_u32 v2, 0x1fc, v1
        ds_store_b32 v1, v0
        ds_load_b32 v3, v2
        s_waitcnt lgkmcnt(0)
        global_store_b32 v1, v3, s[4:5]
        s_endpgm
    )", 128 * 4);
    const LaunchResult result = launch.threads(128).lds(512).strict({.lds_races = false}).go();
    REQUIRE(result.fault.has_value());
    CHECK(result.fault->kind == FaultKind::undefined_store);
}

TEST_CASE("a wave that has ended counts as arrived at a barrier, and one that polls lets the others run") {
    Launch launch(R"(
        v_cmp_gt_u32 vcc_lo, 32, v0
        s_cbranch_vccnz first
        s_endpgm
    first:
        s_barrier
        s_endpgm
    )", 4);
    CHECK_FALSE(launch.threads(64).go().fault.has_value());
    // The first wave waits in a loop for a word of LDS that the second sets, once the first has cleared it.
    Launch polling(R"(
        v_mov_b32 v1, 0
        v_mov_b32 v2, 1
        v_readfirstlane_b32 s3, v0
        s_cmp_lt_u32 s3, 32
        s_cbranch_scc0 second
        ds_store_b32 v1, v1
        s_waitcnt lgkmcnt(0)
        s_barrier
    wait:
        ds_load_b32 v3, v1
        s_waitcnt lgkmcnt(0)
        buffer_gl0_inv
        v_readfirstlane_b32 s4, v3
        s_cmp_eq_u32 s4, 0
        s_cbranch_scc1 wait
        s_endpgm
    second:
        s_barrier
        ds_store_b32 v1, v2
        s_endpgm
    )", 4);
    CHECK_FALSE(polling.threads(64).lds(16).go().fault.has_value());
}

TEST_CASE("a barrier that not all waves or lanes reach is warned of once, of the first group, however many host threads there are") {
    constexpr std::string_view kWave = R"(
        v_cmp_gt_u32 vcc_lo, 32, v0
        s_cbranch_vccnz first
        s_endpgm
    first:
        s_barrier
        s_barrier
        s_endpgm
    )";
    for (const unsigned host_threads : {1u, 4u}) {
        Launch launch(kWave, 4);
        const LaunchResult result = launch.groups(5, 4).threads(64).host_threads(host_threads).go();
        CHECK_FALSE(result.fault.has_value());
        REQUIRE(result.warnings.size() == 2);  // two places
        CHECK(result.warnings[0].to_string().find("kernel hand_written, group (0,0,0), wave 0, at +0xc `s_barrier`: waits at a barrier that wave 1 never "
                                                  "reached: it ended before it") == 0);
        CHECK(result.warnings[1].code_address == 16);
    }
    Launch lanes("s_mov_b32 exec_lo, 0xfffffff0\ns_barrier\ns_endpgm", 4);
    const LaunchResult partial = lanes.threads(40).go();
    CHECK_FALSE(partial.fault.has_value());
    REQUIRE(partial.warnings.size() == 1);
    CHECK(partial.warnings[0].to_string().find("wave 0, lane 0, at +0x4 `s_barrier`: 4 of the wave's 32 lanes do not reach this barrier") != std::string::npos);
    Launch all("s_barrier\ns_endpgm", 4);
    CHECK(all.threads(40).go().warnings.empty());
    CHECK(lanes.strict({.barriers = false}).go().warnings.empty());
}

TEST_CASE("the finding of the first group in grid order is the one reported") {
    for (int repeat = 0; repeat < 5; ++repeat) {
        Launch launch(kWriteIds, 64 * 4 * 7);  // too small from group 7 on
        const LaunchResult result = launch.groups(20).threads(64).host_threads(4).go();
        REQUIRE(result.fault.has_value());
        CHECK(result.fault->kind == FaultKind::out_of_bounds);
        CHECK(result.fault->group[0] == 7);
        CHECK(result.fault->wave == 0);
        CHECK(result.fault->kernel == "hand_written");
    }
}

TEST_CASE("a kernel that never ends is stopped") {
    Launch launch("again:\ns_nop 0\ns_branch again\n", 4);
    const LaunchResult result = launch.limit(100000).go();
    REQUIRE(result.fault.has_value());
    CHECK(result.fault->kind == FaultKind::instruction_limit);
}

TEST_CASE("modelled time is the same on any number of host threads, and a sample comes near it") {
    const auto time_of = [](unsigned host_threads, std::uint64_t sample) {
        Launch launch(kWriteIds, 64 * 4 * 4000);
        const LaunchResult result = launch.groups(4000).threads(64).host_threads(host_threads).sample(sample).go();
        REQUIRE_FALSE(result.fault.has_value());
        CHECK(result.groups_run == (sample == 0 ? 4000 : sample));
        return result.time.cycles;
    };
    const double all = time_of(1, 0);
    CHECK(all > 0);
    CHECK(time_of(3, 0) == all);
    CHECK(time_of(1, 40) == doctest::Approx(all).epsilon(0.03));
}

TEST_CASE("the dispatch packet, of which each host thread has its own, does not count as memory") {
    constexpr std::string_view read_packet = R"(
        s_load_b64 s[6:7], s[2:3], null
        s_waitcnt lgkmcnt(0)
        s_lshl_b32 s5, s4, 9
        v_lshlrev_b32 v1, 4, v0
        v_add_nc_u32 v1, s5, v1
        global_load_b128 v[4:7], v1, s[6:7]
        v_lshlrev_b32 v2, 1, v0
        v_and_b32 v2, 60, v2
        global_load_b32 v3, v2, s[0:1]
        s_endpgm
    )";
    const auto time_of = [&](unsigned host_threads) {
        constexpr std::uint32_t groups = 4800;
        Launch launch(read_packet, groups * 512);
        launch.kernel().properties = 1u << 1 | kKernargPtr | kWave32;  // the dispatch pointer in s[0:1]
        launch.kernel().rsrc2 = 4u << 1 | 1u << 7;
        const LaunchResult result = launch.groups(groups).threads(32).host_threads(host_threads).go();
        REQUIRE_FALSE(result.fault.has_value());
        CHECK(result.time.limiter == "memory wait");
        return result.time.cycles;
    };
    const double one = time_of(1);
    CHECK(time_of(2) == one);
    CHECK(time_of(4) == one);
}

#if defined(__x86_64__)
TEST_CASE("the calling program's floating-point mode does not reach a kernel") {
    constexpr std::string_view halve = R"(
        s_load_b64 s[4:5], s[0:1], null
        s_waitcnt lgkmcnt(0)
        s_lshl_b32 s6, s2, 2
        v_mov_b32 v1, s6
        v_mul_f32 v2, 2.0, v3
        v_add_f32 v2, v2, v2
        global_store_b32 v1, v2, s[4:5]
        s_endpgm
    )";
    std::string lines(halve);
    lines.insert(lines.find("v_mul_f32"), "v_mov_b32 v3, 1\n");
    constexpr unsigned kFlushAndRoundDown = 0x8040 | 0x2000;
    for (const bool kept : {true, false}) {
        Launch launch(lines, 8 * 4);
        if (kept) launch.kernel().rsrc1 = 3u << 16;  // FLOAT_DENORM_MODE_32
        const unsigned before = _mm_getcsr();
        _mm_setcsr(before | kFlushAndRoundDown);
        const LaunchResult result = launch.groups(8).threads(1).host_threads(3).go();
        const unsigned after = _mm_getcsr();
        _mm_setcsr(before);
        REQUIRE_FALSE(result.fault.has_value());
        CHECK((after & kFlushAndRoundDown) == kFlushAndRoundDown);
        for (std::size_t i = 0; i < 8; ++i) CHECK(launch.word(i) == (kept ? 4 : 0));
    }
}
#endif

// Sanitizers end the program where an allocation fails.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("memory that the host does not have for a launch is an exception in the calling thread") {
    // 4 TiB of private memory for each host thread; the limit keeps a host that overcommits from granting it.
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
    rlimit small = before;
    small.rlim_cur = std::min<rlim_t>(before.rlim_max, rlim_t{64} << 30);
    REQUIRE(setrlimit(RLIMIT_AS, &small) == 0);
    Launch launch(kWriteIds, 64 * 4 * 20);
    launch.kernel().private_bytes = 0xffffffff;
    launch.groups(20).threads(1024).host_threads(4);
    CHECK_THROWS_AS((void)launch.go(), std::bad_alloc);
    REQUIRE(setrlimit(RLIMIT_AS, &before) == 0);
}
#endif

TEST_CASE("occupancy follows registers, LDS and waves") {
    const Chip& chip = *find_chip("gfx1100");
    CHECK(occupancy(chip, {.vgprs = 96, .lds_bytes = 0, .waves = 4}) == 16);
    CHECK(occupancy(chip, {.vgprs = 120, .lds_bytes = 0, .waves = 4}) == 12);
    CHECK(occupancy(chip, {.vgprs = 256, .lds_bytes = 0, .waves = 4}) == 5);
    CHECK(occupancy(chip, {.vgprs = 234, .lds_bytes = 36096, .waves = 8}) == 6);
    CHECK(occupancy(chip, {.vgprs = 253, .lds_bytes = 54016, .waves = 4}) == 2);
    CHECK(occupancy(chip, {.vgprs = 32, .lds_bytes = 0, .waves = 1}) == 16);  // needs no barrier
    CHECK(occupancy(chip, {.vgprs = 64, .lds_bytes = 129 << 10, .waves = 4}) == 0);
}

TEST_CASE("a launch of matrix instructions takes their cycles and little more") {
    std::string lines;
    for (int r = 0; r < 24; ++r) lines += "v_mov_b32 v" + std::to_string(r) + ", 0\n";
    for (int i = 0; i < 100; ++i) lines += "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]\n";
    lines += "s_endpgm\n";
    Launch launch(lines, 4);
    const LaunchResult result = launch.threads(128).groups(48).go();  // one wave on each SIMD of the card
    REQUIRE_FALSE(result.fault.has_value());
    // Beside them: the start of the waves, the first lines of instructions from the L2, the moves.
    CHECK(result.time.cycles >= 3400);
    CHECK(result.time.cycles == doctest::Approx(3800).epsilon(0.1));
    CHECK(result.time.matrix_share == doctest::Approx(3400.0 / result.time.cycles).epsilon(0.02));
    CHECK(result.time.limiter == "matrix");
    CHECK(result.time.seconds == doctest::Approx(result.time.cycles / 2.2e9));
    CHECK(result.counts[24] == 48 * 4);  // the first matrix instruction, in every wave
}

TEST_CASE("latency shows where few waves run and hides behind other waves") {
    std::string lines = "v_lshlrev_b32 v0, 2, v0\nds_store_b32 v0, v0\n";
    for (int i = 0; i < 100; ++i) lines += "ds_load_b32 v1, v0\ns_waitcnt lgkmcnt(0)\n";
    lines += "s_endpgm\n";
    const auto time_of = [&](std::uint32_t groups) {
        Launch launch(lines, 4);
        const LaunchResult result = launch.groups(groups).threads(128).lds(512).go();
        REQUIRE_FALSE(result.fault.has_value());
        return result.time;
    };
    const KernelTime alone = time_of(48);  // one work-group on each WGP
    CHECK(alone.limiter == "lds wait");
    CHECK(alone.cycles == doctest::Approx(3400).epsilon(0.15));
    const KernelTime four = time_of(4 * 48);  // sixteen fit: they take no longer
    CHECK(four.cycles == doctest::Approx(alone.cycles).epsilon(0.1));
    CHECK(time_of(49).cycles == doctest::Approx(alone.cycles).epsilon(0.1));
}
