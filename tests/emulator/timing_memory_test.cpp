// LDS, caches and memory as the timing model sees them: latencies, rates, conflicts, barriers.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <string>

#include "emulator/timing/memory.hpp"
#include "emulator/timing_loop.hpp"

using namespace hipemu;
using emulator_test::kTimedBuffer;
using emulator_test::TimedLoop;

namespace {

doctest::Approx within_a_tenth(double value) { return doctest::Approx(value).epsilon(0.1); }

const Chip& card() { return *find_chip("rx7900xtx"); }

/// v0 becomes the lane's number times `stride`.
std::string lane_address(unsigned stride) { return "v_and_b32 v0, 31, v0\n v_mul_u32_u24 v0, " + std::to_string(stride) + ", v0\n"; }

/// Cycles of one step of a chain of dependent loads through `bytes`, each line once, in an order that no prefetcher knows, once the
/// caches have seen all of it.
double chase(std::size_t bytes, std::string_view name = "rx7600") {
    const std::size_t lines = bytes / 128;
    TimedLoop loop("global_load_b32 v1, v1, s[0:1]\n s_waitcnt vmcnt(0)", "v_mov_b32 v1, 0\n");
    loop.card(name).buffer(bytes);
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < lines; ++i) {
        // An odd number, so that its multiples reach every line of a power of two.
        const std::uint64_t next = (at + 2654435761u) % lines;
        const auto offset = static_cast<std::uint32_t>(next * 128);
        std::memcpy(loop.memory().data() + at * 128, &offset, 4);
        at = next;
    }
    constexpr unsigned kCopies = 64;
    const auto pass = static_cast<unsigned>(lines / kCopies);
    const auto time = [&](unsigned iterations) { return loop.time(kCopies, iterations).cycles; };
    return (time(2 * pass) - time(pass)) / (pass * kCopies);
}

/// GB/s of a launch that reads `bytes` with 16-byte loads, `passes` times over.
double read_rate(std::size_t bytes, unsigned passes) {
    constexpr unsigned kWaves = 8, kLoads = 8;
    const std::size_t of_group = std::size_t{kWaves} * 32 * 16 * kLoads;
    std::string load = "v_lshlrev_b32 v0, 4, v0\n s_mul_i32 s3, s2, " + std::to_string(of_group) + "\n v_add_nc_u32 v0, s3, v0\n";
    std::string body;
    for (unsigned i = 0; i < kLoads; ++i)
        body += "global_load_b128 v[" + std::to_string(4 + 4 * i) + ":" + std::to_string(7 + 4 * i) + "], v" + (i == 0 ? "0" : "1") + ", s[0:1]\n" +
                "v_add_nc_u32 v1, " + std::to_string((i + 1) * kWaves * 32 * 16) + ", v0\n";
    body += "s_waitcnt vmcnt(0)\n";
    const auto groups = static_cast<std::uint32_t>(bytes / of_group);
    const KernelTime time = TimedLoop(body, load).waves(kWaves).groups(groups).buffer(bytes).vgprs(48).time(passes);
    return static_cast<double>(bytes) * passes / time.seconds * 1e-9;
}

}  // namespace

TEST_CASE("an LDS load takes 33 cycles, 36 for 128 bits") {
    CHECK(TimedLoop("ds_load_b32 v1, v0\n s_waitcnt lgkmcnt(0)", lane_address(4)).lds(4096).cycles_each() == within_a_tenth(34));
    CHECK(TimedLoop("ds_load_b128 v[4:7], v0\n s_waitcnt lgkmcnt(0)", lane_address(16)).lds(4096).cycles_each() == within_a_tenth(37));
}

TEST_CASE("the LDS port moves 128 bytes a cycle and serves conflicting lanes one after the other") {
    const auto cycles = [](std::string_view line, unsigned stride) {
        std::string body;
        for (int i = 0; i < 8; ++i) body.append(line).append("\n");
        return TimedLoop(body, lane_address(stride)).waves(16).lds(8192).cycles_each(8) / 8 / 16;  // of the port, an instruction
    };
    CHECK(cycles("ds_load_b128 v[4:7], v0", 16) == within_a_tenth(4));
    CHECK(cycles("ds_load_b64 v[4:5], v0", 8) == within_a_tenth(2));
    CHECK(cycles("ds_load_b32 v4, v0", 4) == within_a_tenth(1));
    CHECK(cycles("ds_load_b128 v[4:7], v0", 64) == within_a_tenth(16));
    CHECK(cycles("ds_load_b32 v4, v0", 128) == within_a_tenth(16));
    CHECK(cycles("ds_load_b32 v4, v0", 132) == within_a_tenth(1));
    CHECK(cycles("ds_load_b32 v4, v0", 0) == within_a_tenth(1));  // one word for all
}

TEST_CASE("the LDS port counts each access by its own addresses, also where one instruction changes them") {
    const AccessShape shape{.space = AccessSpace::lds, .reads = true, .bytes = 4};
    const auto cycles = [&](std::uint64_t first, std::uint64_t stride, std::uint32_t lanes = 0xffffffff, const Chip* chip = nullptr) {
        Access access{.shape = &shape, .lanes = lanes, .ignored = 0, .address = {}};
        for (int lane = 0; lane < kLanes; ++lane) access.address[lane] = first + static_cast<std::uint64_t>(lane) * stride;
        return lds_port_cycles(chip != nullptr ? *chip : card(), access);
    };
    Chip narrow = card();
    narrow.lds_banks_b32 = 32;
    for (int round = 0; round < 2; ++round) {
        CHECK(cycles(0, 4) == 1);
        CHECK(cycles(0, 128) == 16);
        CHECK(cycles(4, 128) == 16);
        CHECK(cycles(4, 128, 0xffff) == 8);
        CHECK(cycles(4, 128, 0xffffffff, &narrow) == 32);
        CHECK(cycles(4, 132) == 1);
        CHECK(cycles(4, 0) == 1);
        CHECK(cycles(4, 0, 0) == 0);
        CHECK(cycles(0, 2) == 1);
        CHECK(cycles(2, 2) == 1);
    }
}

TEST_CASE("LDS loads take vector issue cycles from a matrix loop") {
    const std::string matrix = "v_wmma_f32_16x16x16_f16 v[24:31], v[40:47], v[48:55], v[24:31]\n";
    const auto each = [&](const std::string& beside) { return TimedLoop(matrix + beside, lane_address(16)).vgprs(64).waves(8).lds(4096).cycles_each() / 2; };
    const double plain = each("");
    CHECK(plain == within_a_tenth(34));
    CHECK(each("ds_load_b128 v[4:7], v0\n") - plain == doctest::Approx(3).epsilon(0.2));
}

TEST_CASE("a barrier costs 15 cycles from the last arrival") {
    CHECK(TimedLoop("s_barrier").waves(4).cycles_each() == within_a_tenth(card().barrier_cycles));
    // One of the waves arrives late: the lanes of wave 0 are below 32.
    const double late = TimedLoop("s_cbranch_vccz 32\n" + [] {
                            std::string nops;
                            for (int i = 0; i < 32; ++i) nops += "s_nop 15\n";
                            return nops;
                        }() + "s_barrier",
                                  "v_cmp_gt_u32 vcc_lo, 32, v0\n")
                            .waves(4)
                            .cycles_each(8);
    CHECK(late >= 32 * 16 + card().barrier_cycles);
    CHECK(late <= 1.1 * (32 * 16 + card().barrier_cycles + card().branch_taken_cycles));
}

TEST_CASE("a chain of loads shows the latency of the level that holds it") {
    const Chip& small = *find_chip("rx7600");  // 2 MiB of L2, 32 MiB of last-level cache
    const auto ns = [&](double cycles) { return cycles / small.clock_ghz; };
    CHECK(chase(16 << 10) == within_a_tenth(small.l0_latency));
    CHECK(chase(128 << 10) == within_a_tenth(small.gl1_latency));
    CHECK(ns(chase(1 << 20)) == within_a_tenth(small.l2_latency_ns));
    CHECK(ns(chase(8 << 20)) == within_a_tenth(small.llc_latency_ns));
    CHECK(ns(chase(96 << 20)) == within_a_tenth(small.memory_latency_ns));
}

TEST_CASE("a cache keeps a part of a ring that is larger than it") {
    CHECK(kept_part(1 << 20, 2 << 20) == 1);
    CHECK(kept_part(2 << 20, 2 << 20) == 1);
    // With random victims the kept part p of a ring n times as large as the cache solves p = exp(-n (1 - p)).
    for (const double times : {1.1, 4.0 / 3, 2.0, 3.0}) {
        const double kept = kept_part(times * (2 << 20), 2 << 20);
        CAPTURE(times);
        CHECK(kept == doctest::Approx(std::exp(-times * (1 - kept))).epsilon(0.02));
        CHECK(kept < 0.9);
    }
    CHECK(kept_part(1 << 30, 2 << 20) < 0.001);
    const Chip& small = *find_chip("rx7600");
    const double kept = kept_part(3 << 20, 2 << 20);
    CHECK(chase(3 << 20) / small.clock_ghz == within_a_tenth(kept * small.l2_latency_ns + (1 - kept) * small.llc_latency_ns));
}

TEST_CASE("a copy loses time to turning the bus of the memory around, a stream in one direction does not") {
    // 512 groups of 8 waves read 64 KiB each, and write as much.
    const auto seconds = [](bool reads, bool writes) {
        std::string body;
        for (int i = 0; i < 16; ++i) {
            if (reads) body += "global_load_b128 v[4:7], v0, s[0:1]\n";
            if (writes) body += "global_store_b128 v1, v[8:11], s[0:1]\n";
            body += "v_add_nc_u32 v0, 0x1000, v0\n v_add_nc_u32 v1, 0x1000, v1\n";
        }
        body += "s_waitcnt vmcnt(0)";
        return TimedLoop(body, "v_lshlrev_b32 v0, 4, v0\n s_lshl_b32 s3, s2, 16\n v_add_nc_u32 v0, s3, v0\n v_add_nc_u32 v1, 0x2000000, v0\n")
            .waves(8)
            .groups(512)
            .buffer(std::size_t{1024} << 16)
            .time(1)
            .seconds;
    };
    const double read = seconds(true, false), write = seconds(false, true), copy = seconds(true, true);
    CHECK(write == within_a_tenth(read));
    CHECK(copy / (read + write) == doctest::Approx(1 + card().memory_turnaround).epsilon(0.05));
}

TEST_CASE("a stream from memory comes at the achieved rate, one that the last-level cache holds at that of the cache") {
    CHECK(read_rate(64 << 20, 1) == within_a_tenth(card().memory_gbs));
    // Each group reads its part over and over: the first time from memory.
    CHECK(read_rate(1 << 20, 64) > 2 * card().memory_gbs);
}

TEST_CASE("what several work-groups read comes from memory once") {
    // Every group reads 1 MiB: its own, or that of all.
    const auto time = [](bool shared) {
        const std::string base = shared ? "s_mov_b32 s3, 0\n" : "s_lshl_b32 s3, s2, 18\n";
        std::string body;
        for (int i = 0; i < 8; ++i)
            body += "global_load_b128 v[" + std::to_string(4 + 4 * i) + ":" + std::to_string(7 + 4 * i) + "], v0, s[0:1]\n v_add_nc_u32 v0, 0x1000, v0\n";
        body += "s_waitcnt vmcnt(0)";
        return TimedLoop(body, base + "v_lshlrev_b32 v0, 4, v0\n v_add_nc_u32 v0, s3, v0\n").waves(8).groups(192).vgprs(48).buffer(192 << 18).time(8).seconds;
    };
    const double own = time(false), shared = time(true);
    CHECK(own == within_a_tenth(static_cast<double>(192 << 18) / card().memory_gbs * 1e-9));
    CHECK(shared < own / 2);
}

TEST_CASE("a wave that runs into code for the first time waits for it, in a loop it does not") {
    std::string body;
    for (int i = 0; i < 200; ++i) body += "v_add_f32 v" + std::to_string(1 + i % 8) + ", v10, v11\n";
    const TimedLoop loop(body);
    const KernelTime cold = loop.time(4), warm = loop.time(4, 100);
    const auto part = [](const KernelTime& time, Where where) { return time.where[static_cast<std::size_t>(where)] / (1 - time.where[static_cast<std::size_t>(Where::idle)]); };
    CHECK(part(cold, Where::fetch) > 0.2);
    CHECK(part(warm, Where::fetch) < 0.05);
    CHECK(part(warm, Where::valu) > 0.9);
    // More than the instruction cache holds is fetched again each time.
    const KernelTime large = loop.time(60, 20);
    CHECK(part(large, Where::fetch) > 0.2);
}

TEST_CASE("modelled times do not depend on the number of host threads") {
    const auto time = [](unsigned threads) {
        TimedLoop loop("global_load_b128 v[4:7], v0, s[0:1]\n v_exp_f32 v1, v2\n s_waitcnt vmcnt(0)\n s_barrier\n v_add_f32 v2, v1, v4",
                       "v_lshlrev_b32 v0, 4, v0\n s_lshl_b32 s3, s2, 11\n v_add_nc_u32 v0, s3, v0\n");
        return loop.waves(4).groups(700).buffer(2 << 20).host_threads(threads).time(40);
    };
    const KernelTime one = time(1), four = time(4);
    CHECK(one.cycles == four.cycles);
    CHECK(one.where == four.where);
    REQUIRE(one.instructions.size() == four.instructions.size());
    for (std::size_t i = 0; i < one.instructions.size(); ++i) {
        CHECK(one.instructions[i].issue_cycles == four.instructions[i].issue_cycles);
        CHECK(one.instructions[i].stall_cycles == four.instructions[i].stall_cycles);
    }
}

TEST_CASE("the parts that the cycles went into add up to all of them") {
    const KernelTime time = TimedLoop("ds_load_b32 v1, v0\n s_waitcnt lgkmcnt(0)\n v_add_f32 v2, v1, v2", lane_address(4)).waves(4).lds(4096).time(100);
    double sum = 0;
    for (const double part : time.where) sum += part;
    CHECK(sum == doctest::Approx(1));
    CHECK(time.where[static_cast<std::size_t>(Where::idle)] > 0.97);  // of 48 WGPs one works
    const KernelTime all = TimedLoop("ds_load_b32 v1, v0\n s_waitcnt lgkmcnt(0)\n v_add_f32 v2, v1, v2", lane_address(4)).waves(4).groups(48).lds(4096).time(100);
    CHECK(all.limiter == "lds wait");
}
