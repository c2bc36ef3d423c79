// The LDS of a WGP: cycles of its port for each width and stride, and the way from a load to its data.
#include <algorithm>

#include "emulator/microbenchmarks/benchmark.hpp"

using namespace hip_test;

namespace {

/// Port cycles of 32 lanes that access so many bytes each, `stride` bytes apart, no two of them the same word: as many
/// lanes at a time as the port moves in a cycle, each of those phases as often as the fullest bank has words to give.
double port_cycles(const hipemu::Chip& chip, unsigned bytes, unsigned stride) {
    const unsigned words = bytes / 4, lanes = std::min(32u, chip.lds_bytes_per_cycle / bytes),
                   banks = words == 1 ? chip.lds_banks_b32 : chip.lds_banks;
    unsigned most = 0;
    for (unsigned bank = 0; bank < banks; ++bank) {
        unsigned wanted = 0;
        for (unsigned lane = 0; lane < lanes; ++lane)
            for (unsigned word = 0; word < words; ++word) wanted += (lane * stride / 4 + word) % banks == bank;
        most = std::max(most, wanted);
    }
    return most * 32.0 / lanes;
}

}  // namespace

TEST_CASE("the LDS port serves loads and stores of every width at its rate, bank conflicts one after the other") {
    for (const BenchmarkCard& card : {kLarge, kIntegrated}) {
        const Benchmark benchmark("lds.hip", card);
        for (const unsigned bytes : {4u, 8u, 16u}) {
            for (unsigned stride = bytes; stride <= 256; stride *= card.name == kLarge.name ? 2 : 8) {
                const double loads = port_cycles(benchmark.chip(), bytes, stride);
                const double stores = loads * benchmark.chip().lds_bytes_per_cycle / benchmark.chip().lds_store_bytes_per_cycle;
                for (const char* access : {"load_b", "store_b"}) {
                    const std::string kernel = access + std::to_string(8 * bytes);
                    // Eight waves: the port never runs dry.
                    const double cycles =
                        benchmark.cycles_each(kernel, 16 * 4, {.waves = 8, .lds = 8192}, static_cast<int>(stride)) / 8;
                    check_near(
                        cycles, access[0] == 'l' ? loads : stores,
                        std::string(card.name) + " " + kernel + ", lanes " + std::to_string(stride) + " bytes apart");
                }
            }
        }
    }
}

TEST_CASE("published: 32 lanes 32 dwords apart take about 18 cycles, without conflicts one") {
    const Benchmark benchmark("lds.hip", kLarge);
    const auto each = [&](int stride) {
        return benchmark.cycles_each("load_b32", 16 * 4, {.waves = 8, .lds = 8192}, stride) / 8;
    };
    CHECK(each(4) == doctest::Approx(1).epsilon(0.05));
    CHECK(each(128) > 15);
    CHECK(each(128) < 19);
    // An odd stride meets no bank twice.
    CHECK(each(132) == doctest::Approx(1).epsilon(0.05));
}

TEST_CASE("a load from LDS takes its latency, wider ones the port's cycles more") {
    for (const BenchmarkCard& card : {kLarge, kIntegrated}) {
        const Benchmark benchmark("lds.hip", card);
        const hipemu::Chip& chip = benchmark.chip();
        const auto each = [&](const char* kernel) { return benchmark.cycles_each(kernel, 16, {.lds = 4096}, 16); };
        check_near(each("load_b32_wait"), chip.lds_latency + 1, "b32");
        check_near(each("store_b32_wait"), chip.lds_latency + 1, "b32 store");
        check_near(each("load_b128_wait"), chip.lds_latency + 4, "b128");
        check_near(each("add_load_wait"), chip.valu_to_memory_latency + chip.lds_latency + 1,
                   "an address computed just before");
        check_near(benchmark.cycles_of_round("chase", {.lds = 4096}) / 32, chip.lds_latency + 1,
                   "an address loaded just before");
        // Published: 32 to 33 cycles, 36 to 37 for 128 bits.
        check_near(each("load_b32_wait"), 33, "b32, published");
        check_near(each("load_b128_wait"), 37, "b128, published");
    }
}
