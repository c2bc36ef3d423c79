// Wide loads and stores of all lanes at once, which have paths of their own: they do what the lanes would do one after the other.
#include <doctest/doctest.h>

#include <cstring>

#include <fmt/format.h>

#include "emulator/instruction_harness.hpp"

using emulator_test::WaveRun;
using namespace hipemu;

namespace {

constexpr std::uint64_t kBase = 0x7f0000001000;
constexpr std::uint32_t kBytes = 2048;

/// Global memory in which nothing is defined.
struct Memory {
    std::vector<std::byte> bytes = std::vector<std::byte>(kBytes);
    std::vector<std::uint8_t> defined = std::vector<std::uint8_t>(kBytes / 8);
    std::shared_ptr<const MemoryMap> map = std::make_shared<MemoryMap>(std::vector<Allocation>{
        {.base = kBase, .size = kBytes, .host = bytes.data(), .defined = defined.data(), .writable = true, .label = "the buffer"}});
};

std::uint32_t value_of(unsigned word, std::uint32_t lane) { return 0x1000 * word + lane + 1; }

/// A wave whose lane l has stride * l in v0 and values in v[4:7].
void prepare(WaveRun& run, const Memory& memory, std::uint32_t stride) {
    run.set_memory(memory.map).set_s64(2, kBase).set_lds(kBytes);
    std::vector<std::uint32_t> lanes(kLanes);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) lanes[lane] = stride * lane;
    run.set_v(0, lanes);
    for (unsigned word = 0; word < 4; ++word) {
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) lanes[lane] = value_of(word, lane);
        run.set_v(4 + word, lanes);
    }
}

struct Width {
    const char* name;
    unsigned words;
    const char* registers;
};
constexpr Width kWidths[] = {{"b32", 1, "v4"}, {"b64", 2, "v[4:5]"}, {"b96", 3, "v[4:6]"}, {"b128", 4, "v[4:7]"}};
constexpr const char* kLoaded[] = {"", "v8", "v[8:9]", "v[8:10]", "v[8:11]"};

}  // namespace

TEST_CASE("a whole wave's store and load of any width move each lane's words; of lanes at one place the highest wins") {
    for (const bool global : {true, false}) {
        for (const Width& width : kWidths) {
            // Apart, side by side, overlapping, all at one place.
            for (const std::uint32_t stride : {48u, 4 * width.words, 4u, 0u}) {
                const std::string lines =
                    global ? fmt::format("global_store_{0} v0, {1}, s[2:3] offset:16\ns_waitcnt vmcnt(0)\nglobal_load_{0} {2}, v0, s[2:3] offset:16",
                                         width.name, width.registers, kLoaded[width.words])
                           : fmt::format("ds_store_{0} v0, {1} offset:16\ns_waitcnt lgkmcnt(0)\nds_load_{0} {2}, v0 offset:16", width.name,
                                         width.registers, kLoaded[width.words]);
                CAPTURE(lines);
                CAPTURE(stride);
                Memory memory;
                WaveRun run(lines);
                prepare(run, memory, stride);
                run.go();
                REQUIRE_MESSAGE(run.fault() == nullptr, run.fault()->message);
                std::uint32_t expected[kBytes / 4] = {};
                bool written[kBytes / 4] = {};
                for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
                    for (unsigned word = 0; word < width.words; ++word) {
                        expected[4 + stride * lane / 4 + word] = value_of(word, lane);
                        written[4 + stride * lane / 4 + word] = true;
                    }
                }
                const std::byte* const bytes = global ? memory.bytes.data() : run.group().lds.data();
                for (std::size_t i = 0; i < kBytes / 4; ++i) {
                    const unsigned bits = memory.defined[i / 2] >> (i % 2 * 4) & 0xf;
                    if (global) REQUIRE(bits == (written[i] ? 0xfu : 0u));
                    if (written[i]) REQUIRE(std::memcmp(bytes + 4 * i, &expected[i], 4) == 0);
                }
                for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
                    for (unsigned word = 0; word < width.words; ++word) {
                        REQUIRE(run.v(8 + word, lane) == expected[4 + stride * lane / 4 + word]);
                        REQUIRE(run.undefined_v(8 + word, lane) == 0);
                    }
                }
            }
        }
    }
}

TEST_CASE("two 64-bit stores at once") {
    Memory memory;
    WaveRun run("ds_store_2addr_b64 v0, v[4:5], v[6:7] offset0:3 offset1:1\nds_store_2addr_stride64_b64 v1, v[4:5], v[6:7] offset1:1");
    prepare(run, memory, 32);
    run.set_v(1, 1024).go();
    REQUIRE(run.fault() == nullptr);
    const auto at = [&](std::size_t byte) {
        std::uint32_t value;
        std::memcpy(&value, run.group().lds.data() + byte, 4);
        return value;
    };
    CHECK(at(5 * 32 + 24) == value_of(0, 5));
    CHECK(at(5 * 32 + 28) == value_of(1, 5));
    CHECK(at(5 * 32 + 8) == value_of(2, 5));
    CHECK(at(5 * 32 + 12) == value_of(3, 5));
    CHECK(at(1024) == value_of(0, 31));
    CHECK(at(1024 + 512) == value_of(2, 31));
}

TEST_CASE("one lane of a wave out of bounds is a finding, and so is one that loads undefined bytes where they matter") {
    for (const char* line : {"global_store_b128 v0, v[4:7], s[2:3]", "global_load_b64 v[4:5], v0, s[2:3]", "ds_store_b128 v0, v[4:7]",
                             "ds_store_b64 v0, v[4:5]"}) {
        CAPTURE(line);
        Memory memory;
        WaveRun run(line);
        prepare(run, memory, 0);
        std::vector<std::uint32_t> lanes(kLanes);
        lanes[13] = kBytes - 4;
        run.set_v(0, lanes).go();
        REQUIRE(run.fault() != nullptr);
        CHECK(run.fault()->lane == 13);
    }
    Memory memory;
    std::fill(memory.defined.begin(), memory.defined.end(), std::uint8_t{0xff});
    memory.defined[3 * 16 / 8] = 0xfe;
    WaveRun run("global_load_b128 v[4:7], v0, s[2:3]");
    prepare(run, memory, 16);
    run.go();
    REQUIRE(run.fault() == nullptr);
    CHECK(run.undefined_v(4, 3) == 0xff);
    CHECK(run.undefined_v(4, 2) == 0);
    CHECK(run.undefined_v(5, 3) == 0);
}
