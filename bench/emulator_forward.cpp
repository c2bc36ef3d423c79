#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <numeric>
#include <vector>

#include "bench/emulator.hpp"
#include "emulator/inst.hpp"
#include "flashwave/flashwave.hpp"
#include "hip/hip_api.hpp"

namespace bench {

using namespace flashwave;

namespace {

/// Processor time of all threads: what others do on the machine counts for little.
double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Status measure(int head_dim, DType dtype) {
    constexpr std::int64_t kHeads = 4, kLength = 1024;
    auto runtime = Runtime::create({.device = "emulated:gfx1100", .cache_dir = ":memory:", .tune = TuneMode::off});
    FLASHWAVE_RETURN_IF_ERROR(runtime.status());
    const std::size_t elements = static_cast<std::size_t>(kHeads * kLength * head_dim), bytes = elements * sizeof(std::uint16_t);
    std::vector<std::uint16_t> host(elements);
    for (std::size_t i = 0; i < elements; ++i) host[i] = static_cast<std::uint16_t>(0x3000 + i * 2654435761u % 0x800 + (i % 3 == 0 ? 0x8000 : 0));

    auto input = runtime->allocate(bytes);
    FLASHWAVE_RETURN_IF_ERROR(input.status());
    auto output = runtime->allocate(bytes);
    FLASHWAVE_RETURN_IF_ERROR(output.status());
    FLASHWAVE_RETURN_IF_ERROR(input->upload(host.data(), bytes));
    const auto tensor = [&](Buffer& memory) { return TensorView::bhsd(memory.data(), dtype, 1, kHeads, kLength, head_dim); };
    const TensorView x = tensor(*input), o = tensor(*output);
    const auto forward = [&]() -> Status {
        FLASHWAVE_RETURN_IF_ERROR(runtime->forward({.q = x, .k = x, .v = x, .o = o}));
        return output->download(host.data(), bytes);  // waits
    };
    FLASHWAVE_RETURN_IF_ERROR(forward());  // compiles

    const auto api = hip::open_emulator_api();
    FLASHWAVE_RETURN_IF_ERROR(api.status());
    double best = 1e30, best_processor = 1e30;
    HipemuLaunchStats stats;
    for (int run = 0; run < 3; ++run) {
        const auto start = std::chrono::steady_clock::now();
        const double start_processor = processor_seconds();
        FLASHWAVE_RETURN_IF_ERROR(forward());
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        best_processor = std::min(best_processor, processor_seconds() - start_processor);
    }
    FLASHWAVE_RETURN_IF_ERROR((*api)->status((*api)->hipemuLastLaunch(&stats), "hipemuLastLaunch"));
    const auto of = [&](hipemu::Unit unit) { return static_cast<double>(stats.instructions[static_cast<std::size_t>(unit)]); };
    const double all = static_cast<double>(std::accumulate(std::begin(stats.instructions), std::end(stats.instructions), std::uint64_t{0}));
    const double counted = all - of(hipemu::Unit::wait);
    std::printf("  %s head_dim %3d: a core %5.1f million wave instructions and %5.2f million WMMA a second; in all %5.1f million"
                "  (%.1f million instructions, %.0f %% of them WMMA)\n",
                dtype == DType::f16 ? "fp16" : "bf16", head_dim, counted / best_processor / 1e6, of(hipemu::Unit::wmma) / best_processor / 1e6,
                counted / best / 1e6, counted / 1e6, 100.0 * of(hipemu::Unit::wmma) / counted);
    return {};
}

}  // namespace

int run_forward() {
    int failures = 0;
    for (const int head_dim : {64, 128}) {
        for (const DType dtype : {DType::f16, DType::bf16}) {
            const Status status = measure(head_dim, dtype);
            if (status.ok()) continue;
            std::printf("  head_dim %d: %s\n", head_dim, status.to_string().c_str());
            ++failures;
        }
    }
    return failures;
}

}  // namespace bench
