// Latency of every cache and of memory by a chase of pointers, bandwidth by streams.
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "emulator/microbenchmarks/benchmark.hpp"

using namespace hip_test;

namespace {

constexpr std::size_t kLine = 128;

/// Lines that point at each other in one ring, which jumps through the footprint.
class Ring {
  public:
    explicit Ring(std::size_t bytes) : lines_(bytes / kLine), memory_(lines_ * kLine / sizeof(std::uint64_t)) {
        std::size_t jump = static_cast<std::size_t>(0.618 * static_cast<double>(lines_)) | 1;
        while (std::gcd(jump, lines_) != 1) jump += 2;
        std::vector<std::uint64_t> image(memory_.size());
        const auto base = reinterpret_cast<std::uint64_t>(memory_.get());
        for (std::size_t i = 0; i < lines_; ++i)
            image[i * kLine / sizeof(std::uint64_t)] = base + (i + jump) % lines_ * kLine;
        HIP_OK(hipMemcpy(memory_.get(), image.data(), image.size() * sizeof(std::uint64_t), hipMemcpyHostToDevice));
    }
    void* first() const { return memory_.get(); }
    int lines() const { return static_cast<int>(lines_); }

  private:
    std::size_t lines_;
    Array<std::uint64_t> memory_;
};

/// Cycles of one step of a chase once `warm` steps were made, over `steps` more.
double cycles_of_step(const Benchmark& benchmark, const Ring& ring, int warm, int steps) {
    constexpr int kUnrolled = 16;
    const Array<std::uint64_t> last(1);
    const auto cycles = [&](int all) {
        return benchmark.run("chase", {}, ring.first(), all / kUnrolled, last.get()).cycles;
    };
    const int first = warm / kUnrolled * kUnrolled, more = steps / kUnrolled * kUnrolled;
    return (cycles(first + more) - cycles(first)) / more;
}

constexpr std::size_t kPiece = 65536;
constexpr std::uint64_t kSample = 32;

double gigabytes_per_second(double bytes, double seconds) { return bytes / seconds / 1e9; }

}  // namespace

TEST_CASE("a chase of pointers finds the latency of each cache and of memory") {
    for (const BenchmarkCard& card : {kLarge, kIntegrated}) {
        const Benchmark benchmark("memory.hip", card);
        const hipemu::Chip& chip = benchmark.chip();
        const auto second_round = [&](std::size_t bytes, double expected, const char* what) {
            const Ring ring(bytes);
            check_near(cycles_of_step(benchmark, ring, ring.lines(), ring.lines()), expected,
                       std::string(card.name) + ", " + what);
        };
        second_round(chip.l0_bytes / 2, chip.l0_latency, "16 KiB, from the L0");
        second_round(chip.gl1_bytes / 2, chip.gl1_latency, "128 KiB, from the GL1");
        second_round(1 << 20, chip.l2_latency_ns * chip.clock_ghz, "1 MiB, from the L2");
        // A ring of twice what a cache holds finds a fifth of itself there: exp(-2 (1 - 0.203)) = 0.203.
        second_round(std::size_t{chip.l2_bytes} * 2, (0.203 * chip.l2_latency_ns + 0.797 * chip.llc_latency_ns) * chip.clock_ghz,
                     "twice what the L2 holds, from it and from the last-level cache");
        // Nothing is in a cache when a launch begins.
        const Ring ring(std::size_t{64} << 20);
        check_near(cycles_of_step(benchmark, ring, 1 << 13, 1 << 13), chip.memory_latency_ns * chip.clock_ghz,
                   std::string(card.name) + ", from memory");
    }
}

TEST_CASE("a chase through 8 MiB takes what was published for an RX 7900 XTX with 6 MiB of L2") {
    const Benchmark benchmark("memory.hip", kLarge);
    const Ring ring(std::size_t{8} << 20);
    check_near(cycles_of_step(benchmark, ring, 2 * ring.lines(), ring.lines()) / benchmark.chip().clock_ghz, 107, "8 MiB");
}

TEST_CASE("streams reach the bandwidth of memory, reading, writing and both") {
    constexpr unsigned kGroups = 4096;
    constexpr double kBytes = static_cast<double>(kGroups) * kPiece;
    const LaunchShape shape{.groups = kGroups, .waves = 8, .sample = kSample};
    for (const BenchmarkCard& card : {kLarge, kIntegrated}) {
        const Benchmark benchmark("memory.hip", card);
        const Array<float> from(kGroups * kPiece / sizeof(float)), to(kGroups * kPiece / sizeof(float));
        const double wanted = benchmark.chip().memory_gbs;
        check_near(gigabytes_per_second(kBytes, benchmark.run("read", shape, from.get(), to.get()).seconds), wanted,
                   std::string(card.name) + " read");
        check_near(gigabytes_per_second(kBytes, benchmark.run("write", shape, to.get()).seconds), wanted,
                   std::string(card.name) + " write");
        check_near(gigabytes_per_second(2 * kBytes, benchmark.run("copy", shape, from.get(), to.get()).seconds),
                   wanted / (1 + benchmark.chip().memory_turnaround), std::string(card.name) + " copy");
    }
}

TEST_CASE("64 MiB that are read again come from the last-level cache") {
    constexpr unsigned kGroups = 1024;
    const Benchmark benchmark("memory.hip", kLarge);
    const LaunchShape shape{.groups = kGroups, .waves = 8, .sample = kSample};
    const Array<float> from(kGroups * kPiece / sizeof(float)), to(1024);
    const auto seconds = [&](int times) {
        return benchmark.run("read_again", shape, from.get(), to.get(), times).seconds;
    };
    // The first round comes from memory, beside the others' second: eight and sixteen rounds differ by eight that do
    // not.
    check_near(gigabytes_per_second(8.0 * kGroups * kPiece, seconds(16) - seconds(8)), benchmark.chip().llc_gbs,
               "read again");
}
