// ds_* instructions, each wide load in both lane builds.
#include <doctest/doctest.h>

#include <cstring>

#include <fmt/format.h>

#include "emulator/instruction_harness.hpp"

using emulator_test::bits_of;
using emulator_test::WaveRun;
using namespace hipemu;

namespace {

std::vector<std::uint32_t> lanes_of(auto value) {
    std::vector<std::uint32_t> lanes(kLanes);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) lanes[lane] = value(lane);
    return lanes;
}

/// A wave with `bytes` of LDS whose 32-bit words are 1000, 1001, ... and defined.
void fill_lds(WaveRun& run, std::uint32_t bytes) {
    run.set_lds(bytes);
    for (std::uint32_t i = 0; i < bytes / 4; ++i) {
        const std::uint32_t value = 1000 + i;
        std::memcpy(run.group().lds.data() + 4 * i, &value, 4);
    }
    std::memset(run.group().lds_undefined.data(), 0, bytes);
}

std::uint32_t word_at(WaveRun& run, std::uint32_t byte) {
    std::uint32_t value;
    std::memcpy(&value, run.group().lds.data() + byte, 4);
    return value;
}

}  // namespace

TEST_CASE("a 128-bit load gives every lane its sixteen bytes") {
    // Addresses as matrix fragments use them (both halves of the wave alike), scattered ones, and one that overwrites its own address register.
    for (const char* line : {"ds_load_b128 v[4:7], v0 offset:32", "ds_load_b128 v[0:3], v0 offset:32"}) {
        for (int pattern = 0; pattern < 3; ++pattern) {
            for (const std::uint32_t exec : {0xffffffffu, 0x00ff00ffu}) {
                const auto addresses = lanes_of([&](std::uint32_t lane) {
                    return pattern == 0 ? lane % 16 * 80 : pattern == 1 ? (31 - lane) * 36 : lane * 16;
                });
                WaveRun run(line);
                fill_lds(run, 2048);
                run.set_v(0, addresses).set_v(4, 7).set_v(5, 7).set_v(6, 7).set_v(7, 7);
                run.set_v(1, 7).set_v(2, 7).set_v(3, 7).set_exec(exec).go();
                REQUIRE(run.fault() == nullptr);
                const unsigned first = line[15] == '4' ? 4 : 0;
                for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
                    for (std::uint32_t word = 0; word < 4; ++word) {
                        const bool active = exec >> lane & 1;
                        const std::uint32_t kept = first == 0 && word == 0 ? addresses[lane] : 7;
                        const std::uint32_t loaded = 1000 + (addresses[lane] + 32) / 4 + word;
                        REQUIRE(run.v(first + word, static_cast<int>(lane)) == (active ? loaded : kept));
                    }
                }
            }
        }
    }
}

TEST_CASE("a 128-bit load of partly undefined bytes marks just those lanes and words") {
    WaveRun run("ds_load_b128 v[4:7], v0");
    fill_lds(run, 512);
    run.group().lds_undefined[5 * 16 + 9] = std::byte{0x81};
    run.set_v(0, lanes_of([](std::uint32_t lane) { return lane * 16; })).go();
    REQUIRE(run.fault() == nullptr);
    CHECK(run.undefined_v(6, 5) == 0x8100);
    CHECK(run.undefined_v(6, 4) == 0);
    CHECK(run.undefined_v(5, 5) == 0);
}

TEST_CASE("loads and stores of every width") {
    WaveRun run(
        "ds_store_b8 v0, v1\nds_store_b16 v0, v1 offset:2\nds_store_b16_d16_hi v0, v1 offset:4\nds_store_b8_d16_hi v0, v1 offset:6\n"
        "ds_store_b32 v0, v1 offset:8\nds_store_b64 v0, v[1:2] offset:16\nds_store_b96 v0, v[1:3] offset:24\nds_store_b128 v0, v[1:4] offset:40\n"
        "ds_load_u8 v8, v0 offset:9\nds_load_i8 v9, v0 offset:8\nds_load_u16 v10, v0 offset:10\nds_load_i16 v11, v0 offset:8\n"
        "ds_load_b64 v[12:13], v0 offset:16\nds_load_b96 v[14:16], v0 offset:24\nds_load_u16_d16 v17, v0 offset:8\nds_load_u8_d16_hi v18, v0 offset:8");
    fill_lds(run, 2048);
    run.set_v(0, lanes_of([](std::uint32_t lane) { return lane * 64; }));
    run.set_v(1, 0x1122f0f4).set_v(2, 2).set_v(3, 3).set_v(4, 4).set_v(17, 0xaaaaaaaa).set_v(18, 0xaaaaaaaa).go();
    REQUIRE(run.fault() == nullptr);
    const std::uint32_t base = 3 * 64;
    CHECK((word_at(run, base) & 0xff) == 0xf4);
    CHECK((word_at(run, base) >> 16) == 0xf0f4);
    CHECK((word_at(run, base + 4) & 0xffff) == 0x1122);
    CHECK((word_at(run, base + 4) >> 16 & 0xff) == 0x22);
    CHECK(word_at(run, base + 20) == 2);
    CHECK(word_at(run, base + 52) == 4);
    CHECK(run.v(8, 3) == 0xf0);
    CHECK(run.v(9, 3) == 0xfffffff4);
    CHECK(run.v(10, 3) == 0x1122);
    CHECK(run.v(11, 3) == 0xfffff0f4);
    CHECK(run.v64(12, 3) == 0x21122f0f4);
    CHECK(run.v(16, 3) == 3);
    CHECK(run.v(17, 3) == 0xaaaaf0f4);
    CHECK(run.v(18, 3) == 0x00f4aaaa);
}

TEST_CASE("two locations at once, offsets in elements or in 64 elements") {
    WaveRun run(
        "ds_store_2addr_b32 v0, v1, v2 offset0:1 offset1:3\nds_load_2addr_b32 v[4:5], v0 offset0:3 offset1:1\n"
        "ds_store_2addr_b64 v0, v[1:2], v[2:3] offset0:4 offset1:5\nds_load_2addr_b64 v[6:9], v0 offset0:5 offset1:4\n"
        "ds_store_2addr_stride64_b32 v0, v1, v2 offset0:1 offset1:2\nds_load_2addr_stride64_b32 v[10:11], v0 offset0:2 offset1:1\n"
        "ds_load_2addr_b32 v[0:1], v0 offset0:1 offset1:3");
    fill_lds(run, 1024);
    run.set_v(0, 16).set_v(1, 11).set_v(2, 22).set_v(3, 33).go();
    REQUIRE(run.fault() == nullptr);
    CHECK(run.v(4) == 22);
    CHECK(run.v(5) == 11);
    CHECK(run.v64(6) == (33ull << 32 | 22));
    CHECK(run.v64(8) == (22ull << 32 | 11));
    CHECK(run.v(10) == 22);
    CHECK(word_at(run, 16 + 256) == 11);
    CHECK(run.v(0) == 11);
    CHECK(run.v(1) == 22);
}

TEST_CASE("LDS ends where the launch says") {
    for (const char* line : {"ds_load_b128 v[4:7], v0", "ds_load_b32 v4, v0 offset:12", "ds_store_b32 v0, v0 offset:12", "ds_add_u32 v0, v0 offset:12"}) {
        CAPTURE(line);
        WaveRun run(line);
        fill_lds(run, 256);
        run.set_v(0, lanes_of([](std::uint32_t lane) { return lane == 9 ? 244u : 0u; })).go();
        REQUIRE(run.fault() != nullptr);
        CHECK(run.fault()->kind == FaultKind::lds_out_of_bounds);
        CHECK(run.fault()->lane == 9);
        WaveRun inside(line);
        fill_lds(inside, 256);
        inside.set_v(0, lanes_of([](std::uint32_t lane) { return lane == 9 ? 240u : 0u; })).go();
        CHECK(inside.fault() == nullptr);
    }
}

TEST_CASE("LDS atomics") {
    struct Case {
        const char* operation;
        std::uint32_t before, operand, after;
    };
    for (const Case& test : {
             Case{"add_rtn_u32", 0xffffffff, 2, 1},
             Case{"sub_rtn_u32", 1, 2, 0xffffffff},
             Case{"rsub_rtn_u32", 1, 2, 1},
             Case{"inc_rtn_u32", 5, 5, 0},
             Case{"dec_rtn_u32", 0, 9, 9},
             Case{"min_rtn_i32", 1, 0xffffffff, 0xffffffff},
             Case{"max_rtn_u32", 1, 0xffffffff, 0xffffffff},
             Case{"and_rtn_b32", 0xff, 0x0f, 0x0f},
             Case{"or_rtn_b32", 0xf0, 0x0f, 0xff},
             Case{"xor_rtn_b32", 0xff, 0x0f, 0xf0},
             Case{"storexchg_rtn_b32", 1, 2, 2},
             Case{"add_rtn_f32", bits_of(1.5f), bits_of(2.0f), bits_of(3.5f)},
             Case{"max_rtn_f32", bits_of(1.5f), bits_of(2.0f), bits_of(2.0f)},
         }) {
        CAPTURE(test.operation);
        WaveRun run(fmt::format("ds_{} v5, v0, v1 offset:4", test.operation));
        fill_lds(run, 64);
        std::memcpy(run.group().lds.data() + 4, &test.before, 4);
        run.set_v(0, 0).set_v(1, test.operand).set_exec(4).go();
        REQUIRE(run.fault() == nullptr);
        CHECK(word_at(run, 4) == test.after);
        CHECK(run.v(5, 2) == test.before);
    }
    WaveRun swap("ds_cmpstore_rtn_b32 v5, v0, v1, v2");  // gfx11: the new value, then the expected one
    fill_lds(swap, 64);
    swap.set_v(0, 0).set_v(1, 9).set_v(2, 1000).set_exec(3).go();
    CHECK(word_at(swap, 0) == 9);
    CHECK(swap.v(5, 1) == 9);
    WaveRun sum("ds_add_u64 v0, v[2:3]");
    fill_lds(sum, 64);
    sum.set_v(0, 8).set_v64(2, 1).go();
    CHECK(word_at(sum, 8) == 1002 + 32);
    WaveRun odd("ds_add_u32 v0, v1");
    fill_lds(odd, 64);
    odd.set_v(0, 2).set_v(1, 1).go();
    REQUIRE(odd.fault() != nullptr);
    CHECK(odd.fault()->kind == FaultKind::misaligned);
}

TEST_CASE("an exchange of two words gives back both old ones, also into the registers it reads") {
    struct Case {
        const char* line;
        std::uint32_t first, second;  // bytes
    };
    for (const Case& one : {Case{"ds_storexchg_2addr_rtn_b32 v[4:5], v0, v1, v2 offset0:1 offset1:2", 4, 8},
                            Case{"ds_storexchg_2addr_rtn_b32 v[0:1], v0, v1, v2 offset0:1 offset1:2", 4, 8},
                            Case{"ds_storexchg_2addr_rtn_b32 v[1:2], v0, v1, v2 offset0:1 offset1:2", 4, 8},
                            Case{"ds_storexchg_2addr_stride64_rtn_b32 v[4:5], v0, v1, v2 offset1:1", 0, 256}}) {
        CAPTURE(one.line);
        WaveRun run(one.line);
        fill_lds(run, 2048);
        run.set_v(0, lanes_of([](std::uint32_t lane) { return lane * 16; })).set_v(1, 7).set_v(2, 8);
        const unsigned to = run.program().code[0].dst[0].index;
        run.set_exec(0x0000ffff).go();
        REQUIRE_FALSE(run.fault());
        for (const int lane : {0, 5, 15}) {
            CHECK(run.v(to, lane) == 1000 + (lane * 16 + one.first) / 4);
            CHECK(run.v(to + 1, lane) == 1000 + (lane * 16 + one.second) / 4);
            CHECK(word_at(run, lane * 16 + one.first) == 7);
            CHECK(word_at(run, lane * 16 + one.second) == 8);
        }
        CHECK(word_at(run, 16 * 16 + 12) == 1000 + (16 * 16 + 12) / 4);  // no lane names it
    }
    WaveRun wide("ds_storexchg_2addr_rtn_b64 v[4:7], v0, v[8:9], v[10:11] offset1:3");
    fill_lds(wide, 2048);
    wide.set_v(0, 8).set_v64(8, 0x1111222233334444).set_v64(10, 0x5555666677778888).set_exec(1).go();
    REQUIRE_FALSE(wide.fault());
    CHECK(wide.v64(4) == (1003ull << 32 | 1002));
    CHECK(wide.v64(6) == (1009ull << 32 | 1008));
    CHECK(word_at(wide, 36) == 0x55556666);
}

TEST_CASE("lanes exchange registers through the crossbar") {
    const auto own = lanes_of([](std::uint32_t lane) { return 100 + lane; });
    const auto swizzled = [&](const char* offset, int lane) {
        WaveRun run(fmt::format("ds_swizzle_b32 v1, v0 offset:{}", offset));
        run.set_v(0, own).go();
        REQUIRE(run.fault() == nullptr);
        return run.v(1, lane) - 100;
    };
    CHECK(swizzled("swizzle(SWAP,16)", 3) == 19);
    CHECK(swizzled("swizzle(QUAD_PERM,3,2,1,0)", 5) == 6);
    CHECK(swizzled("swizzle(BROADCAST,8,2)", 13) == 10);
    CHECK(swizzled("swizzle(REVERSE,4)", 5) == 6);
    CHECK(swizzled("0x041f", 8) == 9);

    WaveRun pull("ds_bpermute_b32 v1, v2, v0 offset:4");
    pull.set_v(0, own).set_v(2, lanes_of([](std::uint32_t lane) { return (31 - lane) * 4; })).set_v(1, 5).set_exec(0x7fffffff).go();
    CHECK(pull.v(1, 3) == 100 + 29);
    CHECK(pull.v(1, 1) == 0);   // lane 31 is off
    CHECK(pull.v(1, 31) == 5);
    WaveRun push("ds_permute_b32 v1, v2, v0");
    push.set_v(0, own).set_v(2, lanes_of([](std::uint32_t lane) { return lane < 4 ? (lane + 8) * 4 : 0u; })).go();
    CHECK(push.v(1, 9) == 101);
    CHECK(push.v(1, 20) == 0);
    CHECK(push.v(1, 0) == 131);  // of several senders the highest lane wins
}

TEST_CASE("LDS carries undefined bits; its addresses must be defined") {
    WaveRun run("ds_store_b32 v0, v1\nds_load_b32 v2, v0\nds_load_b32 v3, v0 offset:32");
    run.set_lds(256).set_v(0, 16).set_v(1, 6).undefine_v(1, 0xf0).go();
    REQUIRE(run.fault() == nullptr);
    CHECK(run.undefined_v(2) == 0xf0);
    CHECK(run.undefined_v(3) == ~0u);
    WaveRun address("ds_load_b32 v2, v9");
    address.set_lds(256).go();
    REQUIRE(address.fault() != nullptr);
    CHECK(address.fault()->kind == FaultKind::undefined_address);
}
