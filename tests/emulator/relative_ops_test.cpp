// Instructions whose registers or addresses M0 and scalar registers complete: s_movrel, v_swaprel, ds_append, ds_consume, the addtid forms.
#include <doctest/doctest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "emulator/instruction_harness.hpp"

using emulator_test::WaveRun;
using namespace hipemu;

namespace {

void put_word(WaveRun& run, std::uint32_t byte, std::uint32_t value) {
    std::memcpy(run.group().lds.data() + byte, &value, 4);
    std::memset(run.group().lds_undefined.data() + byte, 0, 4);
}

std::uint32_t word_at(WaveRun& run, std::uint32_t byte) {
    std::uint32_t value;
    std::memcpy(&value, run.group().lds.data() + byte, 4);
    return value;
}

std::vector<std::uint32_t> lane_numbers() {
    std::vector<std::uint32_t> lanes(kLanes);
    std::iota(lanes.begin(), lanes.end(), 0u);
    return lanes;
}

}  // namespace

TEST_CASE("s_movrel moves between the scalar registers that M0 names") {
    WaveRun source("s_mov_b32 m0, 3\ns_movrels_b32 s0, s10\ns_movrels_b64 s[2:3], s[10:11]");
    source.set_s(13, 77).set_s(14, 88).go();
    REQUIRE_FALSE(source.fault());
    CHECK(source.s(0) == 77);
    CHECK(source.s(2) == 77);
    CHECK(source.s(3) == 88);
    CHECK(source.undefined_s(2) == 0);
    WaveRun target("s_mov_b32 m0, 2\ns_movreld_b32 s10, 5\ns_movreld_b64 s[20:21], s[0:1]");
    target.set_s(0, 6).set_s(1, 7).go();
    REQUIRE_FALSE(target.fault());
    CHECK(target.s(12) == 5);
    CHECK(target.undefined_s(12) == 0);
    CHECK(target.s(22) == 6);
    CHECK(target.s(23) == 7);
    CHECK(target.undefined_s(20) != 0);  // not written
    WaveRun both("s_mov_b32 m0, 0x30002\ns_movrelsd_2_b32 s10, s20");
    both.set_s(22, 9).go();
    REQUIRE_FALSE(both.fault());
    CHECK(both.s(13) == 9);
}

TEST_CASE("s_movrel carries undefined bits, wants a defined M0 and stays in the register file") {
    WaveRun carries("s_mov_b32 m0, 1\ns_movrels_b32 s0, s10");
    carries.set_s(10, 1).go();
    REQUIRE_FALSE(carries.fault());
    CHECK(carries.undefined_s(0) == 0xffffffffu);
    WaveRun unknown("s_movrels_b32 s0, s10");
    unknown.go();
    REQUIRE(unknown.fault());
    CHECK(unknown.fault()->kind == FaultKind::undefined_address);
    WaveRun beyond("s_movk_i32 m0, 0x100\ns_movreld_b32 s0, 1");
    beyond.go();
    REQUIRE(beyond.fault());
    CHECK(beyond.fault()->kind == FaultKind::out_of_bounds);
}

TEST_CASE("v_swaprel_b32 exchanges two registers in the active lanes") {
    WaveRun run("s_mov_b32 m0, 0x20001\nv_swaprel_b32 v4, v8");
    run.set_v(6, 60).set_v(9, 90).set_exec(0x0000ffff).go();
    REQUIRE_FALSE(run.fault());
    CHECK(run.v(6, 0) == 90);
    CHECK(run.v(9, 0) == 60);
    CHECK(run.v(6, 31) == 60);
    CHECK(run.v(9, 31) == 90);
}

TEST_CASE("ds_append and ds_consume count the active lanes in one word") {
    WaveRun run("s_mov_b32 m0, 16\nds_append v1 offset:4\nds_append v2 offset:4\nds_consume v3 offset:4");
    run.set_lds(64).set_exec(0x000001ff);
    put_word(run, 20, 100);
    run.go();
    REQUIRE_FALSE(run.fault());
    CHECK(run.v(1, 8) == 100);
    CHECK(run.v(2, 0) == 109);
    CHECK(run.v(3, 5) == 118);
    CHECK(word_at(run, 20) == 109);
    WaveRun beyond("s_mov_b32 m0, 64\nds_append v1");
    beyond.set_lds(64).go();
    REQUIRE(beyond.fault());
    CHECK(beyond.fault()->kind == FaultKind::lds_out_of_bounds);
}

TEST_CASE("the addtid forms give every lane its own word of LDS") {
    WaveRun run("s_mov_b32 m0, 8\nds_store_addtid_b32 v0 offset:4\nds_load_addtid_b32 v1 offset:8");
    run.set_lds(12 + 4 * kLanes + 4).set_v(0, lane_numbers());
    put_word(run, 12 + 4 * kLanes, 1000);
    run.go();
    REQUIRE_FALSE(run.fault());
    CHECK(word_at(run, 12 + 4 * 5) == 5);
    CHECK(run.v(1, 0) == 1);
    CHECK(run.v(1, 31) == 1000);
}

TEST_CASE("the addtid forms give every lane its own word of global memory") {
    constexpr std::uint64_t kBase = 0x7f0000001000;
    std::vector<std::uint32_t> words(40, 7);
    std::vector<std::uint8_t> defined(40 * 4 / 8, 0xff);
    const auto map = std::make_shared<MemoryMap>(std::vector<Allocation>{
        {.base = kBase, .size = words.size() * 4, .host = reinterpret_cast<std::byte*>(words.data()), .defined = defined.data(), .label = "the buffer"}});
    WaveRun run("global_store_addtid_b32 v0, s[2:3] offset:8\nglobal_load_addtid_b32 v1, s[2:3] offset:4");
    run.set_memory(map).set_s64(2, kBase).set_v(0, lane_numbers()).go();
    REQUIRE_FALSE(run.fault());
    CHECK(words[2 + 9] == 9);
    CHECK(run.v(1, 0) == 7);
    CHECK(run.v(1, 31) == 30);
    WaveRun outside("global_load_addtid_b32 v1, s[2:3] offset:64");
    outside.set_memory(map).set_s64(2, kBase).go();
    REQUIRE(outside.fault());
    CHECK(outside.fault()->kind == FaultKind::out_of_bounds);
}

TEST_CASE("ds_wrap_rtn_b32 counts down while it can and up otherwise; ds_condxchg32_rtn_b64 replaces marked halves") {
    WaveRun run("ds_wrap_rtn_b32 v4, v0, v1, v2\nds_wrap_rtn_b32 v5, v0, v1, v2");
    run.set_lds(16).set_exec(1).set_v(0, 4).set_v(1, 10).set_v(2, 100);
    put_word(run, 4, 15);
    run.go();
    REQUIRE_FALSE(run.fault());
    CHECK(run.v(4) == 15);
    CHECK(run.v(5) == 5);
    CHECK(word_at(run, 4) == 105);
    WaveRun exchange("ds_condxchg32_rtn_b64 v[4:5], v0, v[2:3]");
    exchange.set_lds(16).set_exec(1).set_v(0, 8).set_v(2, 0x80000007u).set_v(3, 9);
    put_word(exchange, 8, 1);
    put_word(exchange, 12, 2);
    exchange.go();
    REQUIRE_FALSE(exchange.fault());
    CHECK(exchange.v(4) == 1);
    CHECK(exchange.v(5) == 2);
    CHECK(word_at(exchange, 8) == 7);
    CHECK(word_at(exchange, 12) == 2);
}
