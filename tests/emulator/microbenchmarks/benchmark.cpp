#include "emulator/microbenchmarks/benchmark.hpp"

#include <cmath>
#include <fstream>
#include <iterator>

namespace hip_test {
namespace {

std::string code_of(const std::string& file, const BenchmarkCard& card) {
    std::ifstream in(FLASHWAVE_SOURCE_DIR "/tests/emulator/microbenchmarks/" + file);
    REQUIRE_MESSAGE(in.good(), file);
    return compile({std::istreambuf_iterator<char>(in), {}}, {"-O3", "-std=c++17"}, card.target);
}

/// A module belongs to the device that is current when it is loaded.
const std::string& on_card(const std::string& code, const BenchmarkCard& card) {
    int ordinal = 0;
    HIP_OK(hipemuOpenDevice(card.name, &ordinal));
    HIP_OK(hipSetDevice(ordinal));
    HIP_OK(hipemuSetStrictness("none"));
    return code;
}

}  // namespace

Benchmark::Benchmark(const std::string& file, const BenchmarkCard& card)
    : chip_(hipemu::find_chip(card.name)), module_(on_card(code_of(file, card), card)) {
    REQUIRE(chip_ != nullptr);
    HipemuDeviceInfo info;
    int device = 0;
    HIP_OK(hipGetDevice(&device));
    HIP_OK(hipemuDeviceInfo(device, &info));
    REQUIRE_EQ(std::string(info.timing_table_hash), hipemu::timing_table_hash(*chip_));
}

void check_near(double measured, double expected, const std::string& what) {
    CHECK_MESSAGE(std::abs(measured - expected) <= 0.1 * expected, what, ": ", measured, " instead of ", expected);
}

}  // namespace hip_test
