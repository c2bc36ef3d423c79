#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <numeric>
#include <vector>

#include "bench/emulator.hpp"
#include "emulator/isa/inst.hpp"
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

/// Runs `work` until it has run three times and a second is over; the least wall and processor times.
template <class Work>
Status fastest(const Work& work, double& wall, double& processor) {
    wall = processor = 1e30;
    const auto begin = std::chrono::steady_clock::now();
    for (int run = 0; run < 3 || std::chrono::steady_clock::now() - begin < std::chrono::seconds(1); ++run) {
        const auto start = std::chrono::steady_clock::now();
        const double start_processor = processor_seconds();
        FLASHWAVE_RETURN_IF_ERROR(work());
        wall = std::min(wall, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        processor = std::min(processor, processor_seconds() - start_processor);
    }
    return {};
}

Status measure(int head_dim, DType dtype, ForwardRate& rate) {
    constexpr std::int64_t kHeads = 8, kLength = 1024, kSmallLength = 16;
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
    const auto forward = [&](std::int64_t heads, std::int64_t length) -> Status {
        const auto tensor = [&](Buffer& memory) { return TensorView::bhsd(memory.data(), dtype, 1, heads, length, head_dim); };
        const TensorView x = tensor(*input), o = tensor(*output);
        FLASHWAVE_RETURN_IF_ERROR(runtime->forward({.q = x, .k = x, .v = x, .o = o}));
        return output->download(host.data(), sizeof(std::uint16_t));  // waits
    };
    FLASHWAVE_RETURN_IF_ERROR(forward(1, kSmallLength));  // compiles
    FLASHWAVE_RETURN_IF_ERROR(forward(kHeads, kLength));

    const auto api = hip::open_emulator_api();
    FLASHWAVE_RETURN_IF_ERROR(api.status());
    double unused = 0;
    FLASHWAVE_RETURN_IF_ERROR(fastest([&] { return forward(1, kSmallLength); }, rate.small_wall_seconds, unused));
    FLASHWAVE_RETURN_IF_ERROR(fastest([&] { return forward(kHeads, kLength); }, rate.wall_seconds, rate.processor_seconds));
    HipemuLaunchStats stats;
    FLASHWAVE_RETURN_IF_ERROR((*api)->status((*api)->hipemuLastLaunch(&stats), "hipemuLastLaunch"));
    const auto of = [&](hipemu::Unit unit) { return static_cast<double>(stats.instructions[static_cast<std::size_t>(unit)]); };
    const double all = static_cast<double>(std::accumulate(std::begin(stats.instructions), std::end(stats.instructions), std::uint64_t{0}));
    rate.instructions = all - of(hipemu::Unit::wait);
    rate.matrix = of(hipemu::Unit::wmma);
    return {};
}

}  // namespace

void run_forward(ForwardRate (&rates)[kForwardProblems]) {
    std::size_t i = 0;
    for (const int head_dim : {64, 128}) {
        for (const DType dtype : {DType::f16, DType::bf16}) {
            ForwardRate& rate = rates[i++];
            std::snprintf(rate.problem, sizeof(rate.problem), "%s head_dim %3d", dtype == DType::f16 ? "fp16" : "bf16", head_dim);
            const Status status = measure(head_dim, dtype, rate);
            if (!status.ok()) std::snprintf(rate.failure, sizeof(rate.failure), "%s", status.to_string().c_str());
        }
    }
}

}  // namespace bench
