// buffer_load_* and buffer_store_*: the descriptor's bounds, offsets and indices, undefined bits.
#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "emulator/instruction_harness.hpp"

using emulator_test::WaveRun;
using namespace hipemu;

namespace {

constexpr std::uint64_t kBase = 0x7f0000001000;
constexpr std::uint32_t kRaw = 0x31004000;         // out-of-bounds rule 3
constexpr std::uint32_t kStructured = 0x00004000;  // rule 0

/// 256 words 100, 101, ... of which the last 16 lie behind the descriptor's end.
class Words {
public:
    explicit Words(bool defined = true) : words_(256), defined_(words_.size() * 4 / 8, defined ? 0xff : 0x00) {
        for (std::uint32_t i = 0; i < words_.size(); ++i) words_[i] = 100 + i;
        map_ = std::make_shared<MemoryMap>(std::vector<Allocation>{{.base = kBase,
                                                                     .size = words_.size() * 4,
                                                                     .host = reinterpret_cast<std::byte*>(words_.data()),
                                                                     .defined = defined_.data(),
                                                                     .label = "the buffer"}});
    }
    std::uint32_t operator[](std::size_t i) const { return words_[i]; }
    std::shared_ptr<const MemoryMap> map() const { return map_; }

private:
    std::vector<std::uint32_t> words_;
    std::vector<std::uint8_t> defined_;
    std::shared_ptr<const MemoryMap> map_;
};

/// s[8:11] describes `size` bytes or records of `words`; v0 holds lane * step, v1 the lane.
WaveRun& describe(WaveRun& run, const Words& words, std::uint32_t size, std::uint32_t step, std::uint32_t stride = 0, std::uint32_t rule = kRaw) {
    std::vector<std::uint32_t> offsets(kLanes), lanes(kLanes);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) offsets[lane] = lane * step, lanes[lane] = lane;
    run.set_memory(words.map()).set_v(0, offsets).set_v(1, lanes);
    run.set_s(8, static_cast<std::uint32_t>(kBase)).set_s(9, static_cast<std::uint32_t>(kBase >> 32) | stride << 16);
    return run.set_s(10, size).set_s(11, rule);
}

}  // namespace

TEST_CASE("a buffer load adds offsets; what lies behind the descriptor's end reads 0") {
    const Words words;
    WaveRun run("buffer_load_b32 v2, v0, s[8:11], s3 offen offset:8");
    describe(run, words, 100, 4).set_s(3, 16).go();
    REQUIRE_FALSE(run.fault());
    CHECK(run.v(2, 0) == 100 + (8 + 16) / 4);
    CHECK(run.v(2, 18) == 100 + 18 + 6);  // bytes 96 to 99 of 100: the scalar offset counts
    CHECK(run.v(2, 19) == 0);
    CHECK(run.v(2, 31) == 0);
}

TEST_CASE("a wide buffer load is cut off register by register") {
    const Words words;
    WaveRun run("buffer_load_b128 v[4:7], v0, s[8:11], 0 offen");
    describe(run, words, 24, 16).go();
    REQUIRE_FALSE(run.fault());
    CHECK(run.v(7, 0) == 103);
    CHECK(run.v(4, 1) == 104);
    CHECK(run.v(5, 1) == 105);
    CHECK(run.v(6, 1) == 0);
    CHECK(run.v(4, 2) == 0);
}

TEST_CASE("a buffer with a stride is bounded by its records") {
    const Words words;
    WaveRun run("buffer_load_b32 v2, v1, s[8:11], null idxen offset:4");
    describe(run, words, 10, 4, 12, kStructured).go();
    REQUIRE_FALSE(run.fault());
    CHECK(run.v(2, 3) == 100 + (3 * 12 + 4) / 4);
    CHECK(run.v(2, 9) == 100 + (9 * 12 + 4) / 4);
    CHECK(run.v(2, 10) == 0);
}

TEST_CASE("a buffer's rule says what is out of bounds") {
    const Words words;
    WaveRun by_index("buffer_load_b32 v2, v1, s[8:11], null idxen offset:16");  // beyond the record, which does not matter
    describe(by_index, words, 10, 4, 12, kStructured | 1u << 28).go();
    REQUIRE_FALSE(by_index.fault());
    CHECK(by_index.v(2, 9) == 100 + (9 * 12 + 16) / 4);
    CHECK(by_index.v(2, 10) == 0);

    WaveRun not_empty("buffer_load_b32 v2, v0, s[8:11], 0 offen");
    describe(not_empty, words, 1, 4, 0, kStructured | 2u << 28).go();
    REQUIRE_FALSE(not_empty.fault());
    CHECK(not_empty.v(2, 31) == 131);

    WaveRun empty("buffer_load_b32 v2, v0, s[8:11], 0 offen");
    describe(empty, words, 0, 4, 0, kStructured | 2u << 28).go();
    REQUIRE_FALSE(empty.fault());
    CHECK(empty.v(2, 0) == 0);

    WaveRun far("buffer_load_b32 v2, v0, s[8:11], s3 offen");  // 2^32 - 4 and 4 are 2^32, not 0
    describe(far, words, 100, 4).set_s(3, 0xfffffffc).go();
    REQUIRE_FALSE(far.fault());
    CHECK(far.v(2, 1) == 0);
}

TEST_CASE("a buffer store leaves alone what lies behind the end, a short one the bytes beside it") {
    const Words words;
    WaveRun run("buffer_store_b32 v1, v0, s[8:11], 0 offen\nbuffer_store_b16 v1, off, s[8:11], 0 offset:42");
    describe(run, words, 40, 4).go();
    REQUIRE_FALSE(run.fault());
    CHECK(words[9] == 9);
    CHECK(words[10] == 110);

    WaveRun half("buffer_store_d16_hi_b16 v2, off, s[8:11], 0 offset:46");
    describe(half, words, 48, 4).set_v(2, 0xabcd1234).set_exec(1).go();
    REQUIRE_FALSE(half.fault());
    CHECK(words[11] == (0xabcdu << 16 | 111));
}

TEST_CASE("a descriptor that reaches beyond its allocation is a finding where it is used") {
    const Words words;
    WaveRun run("buffer_load_b32 v2, v0, s[8:11], 0 offen");
    describe(run, words, 4096, 64).go();
    REQUIRE(run.fault());
    CHECK(run.fault()->kind == FaultKind::out_of_bounds);
    CHECK(run.fault()->lane == 16);
}

TEST_CASE("undefined bits in a buffer access: stored and addressing ones are findings, loaded ones go along") {
    const Words words;
    WaveRun store("buffer_store_b32 v3, v0, s[8:11], 0 offen");
    describe(store, words, 1024, 4).go();
    REQUIRE(store.fault());
    CHECK(store.fault()->kind == FaultKind::undefined_store);

    WaveRun behind("buffer_store_b32 v3, v0, s[8:11], 0 offen");  // nothing is stored
    describe(behind, words, 0, 4).go();
    CHECK_FALSE(behind.fault());

    WaveRun address("buffer_load_b32 v2, v3, s[8:11], 0 offen");
    describe(address, words, 1024, 4).go();
    REQUIRE(address.fault());
    CHECK(address.fault()->kind == FaultKind::undefined_address);

    const Words fresh(false);
    WaveRun load("buffer_load_u16 v2, v0, s[8:11], 0 offen");
    describe(load, fresh, 8, 4).go();
    REQUIRE_FALSE(load.fault());
    CHECK(load.undefined_v(2, 0) == 0xffff);
    CHECK(load.undefined_v(2, 2) == 0);  // behind the end: a defined 0
}

TEST_CASE("a buffer atomic takes its data register's value and returns the old one there with glc") {
    const Words words;
    WaveRun run("buffer_atomic_add_u32 v2, v0, s[8:11], 0 offen glc\nbuffer_atomic_add_u32 v3, v0, s[8:11], 0 offen");
    describe(run, words, 1024, 4).set_v(2, 1000).set_v(3, 5).go();
    REQUIRE_FALSE(run.fault());
    CHECK(run.v(2, 7) == 107);
    CHECK(run.v(3, 7) == 5);
    CHECK(words[7] == 107 + 1000 + 5);
}

TEST_CASE("a buffer compare-and-swap takes the new value and then the expected one") {
    const Words words;
    WaveRun run("buffer_atomic_cmpswap_b32 v[2:3], v0, s[8:11], 0 offen glc\nbuffer_atomic_cmpswap_b64 v[4:7], v8, s[8:11], 0 offen offset:512 glc");
    std::vector<std::uint32_t> offsets(kLanes);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) offsets[lane] = 8 * lane;
    describe(run, words, 1024, 4).set_v(2, 1).set_v(3, 104);
    run.set_v64(4, 2).set_v64(6, 228 | std::uint64_t{229} << 32).set_v(8, offsets).go();
    REQUIRE_FALSE(run.fault());
    CHECK(words[4] == 1);
    CHECK(words[5] == 105);
    CHECK(run.v(2, 4) == 104);
    CHECK(run.v(2, 5) == 105);
    CHECK(run.v(3, 5) == 104);
    CHECK(words[128] == 2);
    CHECK(words[129] == 0);
    CHECK(run.v64(4, 1) == (230 | std::uint64_t{231} << 32));
    CHECK(words[130] == 230);
}

TEST_CASE("a buffer atomic outside the descriptor changes nothing and returns 0") {
    const Words words;
    WaveRun run("buffer_atomic_swap_b32 v2, v0, s[8:11], 0 offen glc");
    describe(run, words, 64, 4).set_v(2, 9).go();
    REQUIRE_FALSE(run.fault());
    CHECK(words[15] == 9);
    CHECK(words[16] == 116);
    CHECK(run.v(2, 15) == 115);
    CHECK(run.v(2, 16) == 0);
}

TEST_CASE("a float compare-and-swap compares floats: zeros of both signs are equal") {
    Words words;
    WaveRun run("v_mov_b32 v4, 0x80000000\nbuffer_store_b32 v4, v0, s[8:11], 0 offen\nbuffer_atomic_cmpswap_f32 v[2:3], v0, s[8:11], 0 offen");
    describe(run, words, 1024, 4).set_v(2, 1).set_v(3, 0).go();
    REQUIRE_FALSE(run.fault());
    CHECK(words[3] == 1);
}

TEST_CASE("undefined data of a buffer atomic is a finding") {
    const Words words;
    WaveRun run("buffer_atomic_add_u32 v2, v0, s[8:11], 0 offen");
    describe(run, words, 1024, 4).go();
    REQUIRE(run.fault());
    CHECK(run.fault()->kind == FaultKind::undefined_store);
}
