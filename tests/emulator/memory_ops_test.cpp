// Loads, stores and atomics on global memory, scratch and through flat addresses.
#include <doctest/doctest.h>

#include <cstring>

#include <fmt/format.h>

#include "emulator/instruction_harness.hpp"
#include "emulator/isa/decode_operand.hpp"

using emulator_test::bits_of;
using emulator_test::WaveRun;
using namespace hipemu;

namespace {

constexpr std::uint64_t kBase = 0x7f0000001000;

/// One allocation with a bitmap of defined bytes.
class Memory {
public:
    explicit Memory(std::size_t bytes, bool writable = true) : bytes_(bytes), defined_(bytes / 8 + 1, 0xff) {
        for (std::size_t i = 0; i < bytes; ++i) bytes_[i] = static_cast<std::byte>(i * 7 + 1);
        map_ = std::make_shared<MemoryMap>(std::vector<Allocation>{{.base = kBase,
                                                                     .size = bytes,
                                                                     .host = bytes_.data(),
                                                                     .defined = defined_.data(),
                                                                     .writable = writable,
                                                                     .label = "the buffer"}});
    }

    template <class T>
    T at(std::size_t offset) const {
        T value;
        std::memcpy(&value, bytes_.data() + offset, sizeof(T));
        return value;
    }
    template <class T>
    void put(std::size_t offset, T value) {
        std::memcpy(bytes_.data() + offset, &value, sizeof(T));
    }
    void undefine(std::size_t offset, std::size_t count) {
        for (std::size_t i = offset; i < offset + count; ++i) defined_[i / 8] &= static_cast<std::uint8_t>(~(1u << i % 8));
    }
    bool defined(std::size_t offset) const { return defined_[offset / 8] >> offset % 8 & 1; }
    std::shared_ptr<const MemoryMap> map() const { return map_; }

private:
    std::vector<std::byte> bytes_;
    std::vector<std::uint8_t> defined_;
    std::shared_ptr<const MemoryMap> map_;
};

std::vector<std::uint32_t> lane_offsets(std::uint32_t stride) {
    std::vector<std::uint32_t> offsets(kLanes);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) offsets[lane] = lane * stride;
    return offsets;
}

WaveRun run_on(const Memory& memory, std::string_view lines, std::uint32_t stride) {
    WaveRun run(lines);
    run.set_memory(memory.map()).set_s64(2, kBase).set_v(0, lane_offsets(stride));
    return run;
}

}  // namespace

TEST_CASE("loads of every width, by base register and 32-bit offset") {
    const Memory memory(1024);
    WaveRun run = run_on(memory,
                         "global_load_u8 v1, v0, s[2:3] offset:1\nglobal_load_i8 v2, v0, s[2:3] offset:19\nglobal_load_u16 v3, v0, s[2:3] offset:2\n"
                         "global_load_i16 v4, v0, s[2:3] offset:18\nglobal_load_b32 v5, v0, s[2:3]\nglobal_load_b64 v[6:7], v0, s[2:3]\n"
                         "global_load_b96 v[8:10], v0, s[2:3]\nglobal_load_b128 v[12:15], v0, s[2:3] offset:8",
                         16);
    run.go();
    REQUIRE(run.fault() == nullptr);
    for (int lane : {0, 5, 31}) {
        const std::size_t at = static_cast<std::size_t>(lane) * 16;
        CHECK(run.v(1, lane) == memory.at<std::uint8_t>(at + 1));
        CHECK(run.v(2, lane) == static_cast<std::uint32_t>(std::int32_t{memory.at<std::int8_t>(at + 19)}));
        CHECK(run.v(3, lane) == memory.at<std::uint16_t>(at + 2));
        CHECK(run.v(4, lane) == static_cast<std::uint32_t>(std::int32_t{memory.at<std::int16_t>(at + 18)}));
        CHECK(run.v(5, lane) == memory.at<std::uint32_t>(at));
        CHECK(run.v64(6, lane) == memory.at<std::uint64_t>(at));
        CHECK(run.v(10, lane) == memory.at<std::uint32_t>(at + 8));
        CHECK(run.v64(14, lane) == memory.at<std::uint64_t>(at + 16));
    }
}

TEST_CASE("a vector pair is a 64-bit address, offsets may be negative") {
    const Memory memory(256);
    WaveRun run("global_load_b32 v2, v[0:1], off offset:-4");
    run.set_memory(memory.map()).set_v64(0, kBase + 12).go();
    REQUIRE(run.fault() == nullptr);
    CHECK(run.v(2) == memory.at<std::uint32_t>(8));
}

TEST_CASE("16-bit loads fill one half and keep the other") {
    const Memory memory(256);
    WaveRun run = run_on(memory, "global_load_d16_b16 v1, v0, s[2:3]\nglobal_load_d16_hi_b16 v2, v0, s[2:3]\nglobal_load_d16_hi_u8 v3, v0, s[2:3]", 2);
    run.set_v(1, 0xaaaabbbb).set_v(2, 0xaaaabbbb).set_v(3, 0xaaaabbbb).go();
    REQUIRE(run.fault() == nullptr);
    const std::uint32_t loaded = memory.at<std::uint16_t>(6);
    CHECK(run.v(1, 3) == (0xaaaa0000 | loaded));
    CHECK(run.v(2, 3) == (loaded << 16 | 0xbbbb));
    CHECK(run.v(3, 3) == ((loaded & 0xff) << 16 | 0xbbbb));
}

TEST_CASE("stores write what they should and nothing beside it, and define it") {
    Memory memory(1024);
    memory.undefine(0, 1024);
    WaveRun run = run_on(memory,
                         "global_store_b8 v0, v4, s[2:3] offset:1\nglobal_store_d16_hi_b16 v0, v4, s[2:3] offset:2\n"
                         "global_store_b32 v0, v5, s[2:3] offset:4\nglobal_store_b64 v0, v[4:5], s[2:3] offset:8",
                         32);
    run.set_v(4, 0x11223344).set_v(5, 0x55667788).set_exec(0xfffffffd);
    const auto before = memory.at<std::uint64_t>(32);
    run.go();
    REQUIRE(run.fault() == nullptr);
    CHECK(memory.at<std::uint8_t>(1) == 0x44);
    CHECK(memory.at<std::uint16_t>(2) == 0x1122);
    CHECK(memory.at<std::uint32_t>(4) == 0x55667788);
    CHECK(memory.at<std::uint64_t>(8) == 0x5566778811223344);
    CHECK_FALSE(memory.defined(0));
    CHECK(memory.defined(1));
    CHECK(memory.defined(15));
    CHECK_FALSE(memory.defined(16));
    CHECK(memory.at<std::uint64_t>(32) == before);  // lane 1 is off
    CHECK_FALSE(memory.defined(33));
}

TEST_CASE("an access outside every allocation names the nearest one, the lane and the instruction") {
    const Memory memory(128);
    WaveRun run = run_on(memory, "global_load_b32 v1, v0, s[2:3]", 8);
    run.go();
    REQUIRE(run.fault() != nullptr);
    CHECK(run.fault()->kind == FaultKind::out_of_bounds);
    CHECK(run.fault()->lane == 16);
    CHECK(run.fault()->data_address == kBase + 128);
    const std::string text = run.fault()->to_string();
    CHECK(text.find("the buffer") != std::string::npos);
    CHECK(text.find("global_load_b32 v1, v0, s[2:3]") != std::string::npos);

    WaveRun straddling = run_on(memory, "global_load_b64 v[4:5], v0, s[2:3] offset:124", 0);
    straddling.go();
    CHECK(straddling.fault() != nullptr);
    WaveRun null("global_load_b32 v2, v[0:1], off");
    null.set_memory(memory.map()).set_v64(0, 0).go();
    CHECK(null.fault() != nullptr);
    WaveRun masked = run_on(memory, "global_load_b32 v1, v0, s[2:3]", 8);
    masked.set_exec(0xffff).go();
    CHECK(masked.fault() == nullptr);
}

TEST_CASE("what is read-only is not written") {
    const Memory memory(128, /*writable=*/false);
    WaveRun run = run_on(memory, "global_store_b32 v0, v0, s[2:3]", 4);
    run.go();
    REQUIRE(run.fault() != nullptr);
    CHECK(run.fault()->kind == FaultKind::out_of_bounds);
}

TEST_CASE("scalar loads") {
    const Memory memory(256);
    WaveRun run("s_load_b32 s4, s[2:3], 0x4\ns_load_b64 s[6:7], s[2:3], s0\ns_load_b128 s[8:11], s[2:3], null\ns_load_b64 s[12:13], s[2:3], s0 offset:0x8");
    run.set_memory(memory.map()).set_s64(2, kBase).set_s(0, 16).go();
    REQUIRE(run.fault() == nullptr);
    CHECK(run.s(4) == memory.at<std::uint32_t>(4));
    CHECK(run.s64(6) == memory.at<std::uint64_t>(16));
    CHECK(run.s64(10) == memory.at<std::uint64_t>(8));
    CHECK(run.s64(12) == memory.at<std::uint64_t>(24));
}

TEST_CASE("scalar loads through a descriptor read zeros beyond its size") {
    const Memory memory(256);
    WaveRun run("s_buffer_load_b128 s[8:11], s[4:7], 0x18\ns_buffer_load_b32 s12, s[4:7], s0\ns_buffer_load_b64 s[14:15], s[4:7], s1");
    run.set_memory(memory.map()).set_s64(4, kBase | 7ull << 50).set_s(6, 32).set_s(7, 0x31004000).set_s(0, 4).set_s(1, 64).go();
    REQUIRE(run.fault() == nullptr);
    CHECK(run.s64(8) == memory.at<std::uint64_t>(24));
    CHECK(run.s64(10) == 0);
    CHECK(run.s(12) == memory.at<std::uint32_t>(4));
    CHECK(run.s64(14) == 0);
    CHECK(run.undefined_s(14) == 0);
}

TEST_CASE("undefined memory gives undefined registers, byte by byte") {
    Memory memory(256);
    memory.undefine(5, 2);
    WaveRun run = run_on(memory, "global_load_b64 v[4:5], v0, s[2:3]\ns_load_b64 s[6:7], s[2:3], null", 8);
    run.go();
    REQUIRE(run.fault() == nullptr);
    CHECK(run.undefined_v(4, 0) == 0);
    CHECK(run.undefined_v(5, 0) == 0x00ffff00);
    CHECK(run.undefined_v(5, 1) == 0);
    CHECK(run.undefined_s(6) == 0);
    CHECK(run.undefined_s(7) == 0x00ffff00);
}

TEST_CASE("undefined bits in an address or a stored value are findings; unused bytes of the register are not") {
    const Memory memory(256);
    WaveRun address = run_on(memory, "global_load_b32 v1, v9, s[2:3]", 4);
    address.go();
    REQUIRE(address.fault() != nullptr);
    CHECK(address.fault()->kind == FaultKind::undefined_address);
    WaveRun base = run_on(memory, "global_load_b32 v1, v0, s[8:9]", 4);
    base.go();
    REQUIRE(base.fault() != nullptr);
    CHECK(base.fault()->kind == FaultKind::undefined_address);
    WaveRun value = run_on(memory, "global_store_b32 v0, v1, s[2:3]", 4);
    value.set_v(1, 5).undefine_v(1, 0x100).go();
    REQUIRE(value.fault() != nullptr);
    CHECK(value.fault()->kind == FaultKind::undefined_store);
    CHECK(value.fault()->lane == 0);
    WaveRun low_byte = run_on(memory, "global_store_b8 v0, v1, s[2:3]", 4);
    low_byte.set_v(1, 5).undefine_v(1, 0x100).go();
    CHECK(low_byte.fault() == nullptr);
    WaveRun high_half = run_on(memory, "global_store_d16_hi_b16 v0, v1, s[2:3]", 4);
    high_half.set_v(1, 5).undefine_v(1, 0x100).go();
    CHECK(high_half.fault() == nullptr);
    WaveRun inactive = run_on(memory, "global_store_b32 v0, v1, s[2:3]", 4);
    inactive.set_exec(0).go();
    CHECK(inactive.fault() == nullptr);
}

TEST_CASE("32-bit atomics change memory lane by lane and return the old value on glc") {
    struct Case {
        const char* operation;
        std::uint32_t before, operand, after;  // after one lane
    };
    for (const Case& test : {
             Case{"add_u32", 0xffffffff, 2, 1},
             Case{"sub_u32", 1, 2, 0xffffffff},
             Case{"swap_b32", 1, 2, 2},
             Case{"min_i32", 1, 0xffffffff, 0xffffffff},
             Case{"min_u32", 1, 0xffffffff, 1},
             Case{"max_i32", 1, 0xffffffff, 1},
             Case{"max_u32", 1, 0xffffffff, 0xffffffff},
             Case{"and_b32", 0xff, 0x0f, 0x0f},
             Case{"or_b32", 0xf0, 0x0f, 0xff},
             Case{"xor_b32", 0xff, 0x0f, 0xf0},
             Case{"inc_u32", 5, 5, 0},
             Case{"inc_u32", 4, 5, 5},
             Case{"dec_u32", 0, 9, 9},
             Case{"dec_u32", 5, 9, 4},
             Case{"add_f32", bits_of(1.5f), bits_of(2.0f), bits_of(3.5f)},
             Case{"min_f32", bits_of(1.5f), bits_of(-2.0f), bits_of(-2.0f)},
             Case{"max_f32", bits_of(1.5f), bits_of(-2.0f), bits_of(1.5f)},
         }) {
        CAPTURE(test.operation);
        Memory memory(64);
        memory.put(8, test.before);
        WaveRun run = run_on(memory, fmt::format("global_atomic_{} v5, v0, v1, s[2:3] offset:8 glc", test.operation), 0);
        run.set_v(1, test.operand).set_exec(4).go();
        REQUIRE(run.fault() == nullptr);
        CHECK(memory.at<std::uint32_t>(8) == test.after);
        CHECK(run.v(5, 2) == test.before);
    }
    Memory memory(64);
    memory.put<std::uint32_t>(0, 0);
    WaveRun all = run_on(memory, "global_atomic_add_u32 v0, v1, s[2:3]", 0);
    all.set_v(1, 3).go();
    CHECK(memory.at<std::uint32_t>(0) == 96);
}

TEST_CASE("compare-and-swap takes the new value first") {
    Memory memory(64);
    memory.put<std::uint32_t>(0, 5);
    WaveRun run = run_on(memory, "global_atomic_cmpswap_b32 v6, v0, v[4:5], s[2:3] glc", 0);
    run.set_v(4, 9).set_v(5, 5).set_exec(3).go();
    REQUIRE(run.fault() == nullptr);
    CHECK(memory.at<std::uint32_t>(0) == 9);
    CHECK(run.v(6, 0) == 5);
    CHECK(run.v(6, 1) == 9);
    memory.put<std::uint64_t>(8, 1ull << 40);
    WaveRun wide = run_on(memory, "global_atomic_cmpswap_b64 v[8:9], v0, v[4:7], s[2:3] offset:8 glc", 0);
    wide.set_v64(4, 77).set_v64(6, 1ull << 40).set_exec(1).go();
    CHECK(memory.at<std::uint64_t>(8) == 77);
    CHECK(wide.v64(8) == 1ull << 40);
}

TEST_CASE("64-bit atomics, and a misaligned one is a finding") {
    Memory memory(64);
    memory.put<std::uint64_t>(16, 1ull << 32);
    WaveRun run = run_on(memory, "global_atomic_add_u64 v0, v[4:5], s[2:3] offset:16", 0);
    run.set_v64(4, ~0ull).set_exec(1).go();
    CHECK(memory.at<std::uint64_t>(16) == 0xffffffff);
    WaveRun odd = run_on(memory, "global_atomic_add_u64 v0, v[4:5], s[2:3] offset:4", 0);
    odd.set_v64(4, 1).go();
    REQUIRE(odd.fault() != nullptr);
    CHECK(odd.fault()->kind == FaultKind::misaligned);
}

TEST_CASE("each lane has private memory of its own") {
    WaveRun run(
        "scratch_store_b32 off, v1, s33 offset:4\nscratch_load_b32 v2, off, off offset:12\n"
        "scratch_store_b64 v3, v[4:5], off\nscratch_load_b128 v[8:11], v3, off\nscratch_load_b32 v12, off, off offset:60");
    run.set_scratch(64).set_s(33, 8).set_v(1, lane_offsets(3)).set_v(3, 16).set_v64(4, 0x1122334455667788).go();
    REQUIRE(run.fault() == nullptr);
    CHECK(run.v(2, 31) == 93);
    CHECK(run.v64(8, 7) == 0x1122334455667788);
    CHECK(run.undefined_v(8, 7) == 0);
    CHECK(run.undefined_v(10, 7) == ~0u);
    CHECK(run.undefined_v(12) == ~0u);
    WaveRun beyond("scratch_load_b32 v2, off, off offset:62");
    beyond.set_scratch(64).go();
    REQUIRE(beyond.fault() != nullptr);
    CHECK(beyond.fault()->kind == FaultKind::out_of_bounds);
}

TEST_CASE("undefined values may be spilled and come back undefined") {
    WaveRun run("scratch_store_b32 off, v1, off\nscratch_load_b32 v2, off, off");
    run.set_scratch(16).set_v(1, 6).undefine_v(1, 0xf0).go();
    REQUIRE(run.fault() == nullptr);
    CHECK(run.undefined_v(2, 9) == 0xf0);
}

TEST_CASE("flat addresses reach LDS, scratch and global memory") {
    Memory memory(64);
    WaveRun run(
        "flat_store_b32 v[0:1], v8\nflat_load_b32 v9, v[0:1]\nflat_store_b32 v[2:3], v8\nflat_load_b32 v10, v[2:3]\n"
        "flat_store_b32 v[4:5], v8\nflat_load_b32 v11, v[4:5]\ns_mov_b64 s[0:1], src_shared_base");
    run.set_memory(memory.map()).set_lds(64).set_scratch(64);
    run.set_v64(0, kSharedAperture + 16).set_v64(2, kPrivateAperture + 4).set_v64(4, kBase + 8).set_v(8, 1234).go();
    REQUIRE(run.fault() == nullptr);
    CHECK(run.v(9) == 1234);
    CHECK(run.v(10, 5) == 1234);
    CHECK(run.v(11) == 1234);
    CHECK(memory.at<std::uint32_t>(8) == 1234);
    CHECK(run.s(1) == kSharedAperture >> 32);
}
