// Matrix instructions: 32 or 34 cycles by the banks of their operands, and what other instructions cost beside them.
#include "emulator/microbenchmarks/benchmark.hpp"

using namespace hip_test;

namespace {

double each(const Benchmark& benchmark, const char* kernel, unsigned waves = 1, int stride = 16) {
    return benchmark.cycles_each(kernel, 16, {.waves = waves, .lds = 4096}, stride);
}

}  // namespace

TEST_CASE("a matrix instruction takes the cycles of the table, fewer where its operands start in three banks") {
    for (const BenchmarkCard& card : {kLarge, kIntegrated}) {
        const Benchmark benchmark("matrix.hip", card);
        const hipemu::Chip& chip = benchmark.chip();
        // The two are but six percent apart.
        const auto exactly = [&](const char* kernel, double cycles) {
            CHECK(each(benchmark, kernel) == doctest::Approx(cycles).epsilon(0.01));
        };
        exactly("f16_one_bank", chip.wmma_cycles);
        exactly("f16_two_banks", chip.wmma_cycles);
        exactly("f16_three_banks", chip.wmma_spread_cycles);
        exactly("bf16_one_bank", chip.wmma_cycles);
        exactly("iu8_one_bank", chip.wmma_cycles);
        exactly("iu4_one_bank", chip.wmma_iu4_cycles);
        exactly("iu4_three_banks", chip.wmma_iu4_spread_cycles);
        exactly("f16_chains", 2 * chip.wmma_cycles);
        CHECK(chip.wmma_spread_cycles < 0.95 * chip.wmma_cycles);
        // Waves take turns.
        check_near(each(benchmark, "f16_one_bank", 16), 4 * chip.wmma_cycles, "four waves a SIMD");
    }
}

TEST_CASE("vector instructions add their cycles to those of the matrix instruction beside them") {
    for (const BenchmarkCard& card : {kLarge, kIntegrated}) {
        const Benchmark benchmark("matrix.hip", card);
        const hipemu::Chip& chip = benchmark.chip();
        const double matrix = chip.wmma_cycles;
        // Of the sum and of what was added: a tenth of the whole would hide the part.
        const auto beside = [&](const char* kernel, double more) {
            const double cycles = each(benchmark, kernel);
            check_near(cycles, matrix + more, kernel);
            check_near(cycles - matrix, more, std::string(kernel) + ", the part beside the matrix instruction");
        };
        beside("beside_1_add", chip.matrix_switch_cycles + 1);
        beside("beside_4_adds", chip.matrix_switch_cycles + 4);
        beside("beside_16_adds", chip.matrix_switch_cycles + 16);
        beside("beside_4_pairs", chip.matrix_switch_cycles + 4 * chip.vopd_matrix_cycles);
        beside("beside_2_exps", 2 * chip.trans_cycles);
    }
}

TEST_CASE("LDS accesses beside matrix instructions take vector issue, until the port of the WGP is full") {
    for (const BenchmarkCard& card : {kLarge, kIntegrated}) {
        const Benchmark benchmark("matrix.hip", card);
        const hipemu::Chip& chip = benchmark.chip();
        const double matrix = chip.wmma_cycles, load = chip.lds_read_valu_cycles + 4 * chip.lds_read_valu_dword_cycles;
        check_near(each(benchmark, "beside_1_load_b128", 4) - matrix, load, "one load of 128 bits");
        check_near(each(benchmark, "beside_2_loads_b128", 4) - matrix, 2 * load, "two loads of 128 bits");
        check_near(each(benchmark, "beside_1_store_b128", 4) - matrix, 4 * chip.lds_write_valu_dword_cycles,
                   "one store of 128 bits");
        check_near(each(benchmark, "beside_4_loads_b32", 4, 4) - matrix,
                   4 * (chip.lds_read_valu_cycles + chip.lds_read_valu_dword_cycles), "four loads of 32 bits");
        // 4 SIMDs x 4 loads x 512 bytes.
        const double cycles = each(benchmark, "beside_4_loads_b128", 4);
        check_near(4 * 4 * 512 / cycles, chip.lds_bytes_per_cycle, "bytes a cycle of the port");
        check_near(4 * 4 * 512 / cycles, 126, "bytes a cycle of the port, as published for gfx1151");
        const double stores = each(benchmark, "beside_4_stores_b128", 4);
        check_near(4 * 4 * 512 / stores, chip.lds_store_bytes_per_cycle, "the same, stores");
        check_near((stores - matrix) / 4, 5.3, "cycles more for each of four stores, as published for gfx1151");
        // The same with one wave a SIMD or four.
        check_near(each(benchmark, "beside_4_loads_b128", 16) / 4, cycles, "four loads, four waves a SIMD");
    }
}
