// Host time of a call whose plan is in memory: check, key, one look-up, launch. usage: bench_hit_path [DEVICE]
//
// Launches are queued a hundred at a time and the device is drained in between, outside the clock, so that no queue is
// full. On the emulator they must wait in their queue: HIPEMU_SCHEDULE=late is set here unless the environment says
// otherwise.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <flashwave/flashwave.hpp>
#include <vector>

using namespace flashwave;

namespace {

constexpr int kBatches = 30, kCalls = 100;

void exit_if_failed(const Status& status) {
    if (status.ok()) return;
    std::fprintf(stderr, "%s\n", status.to_string().c_str());
    std::exit(1);
}

template <class Call>
double median_nanoseconds(Runtime& runtime, Call call) {
    std::vector<double> times;
    for (int batch = 0; batch < kBatches; ++batch) {
        const auto begin = std::chrono::steady_clock::now();
        for (int i = 0; i < kCalls; ++i) exit_if_failed(call());
        times.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() /
                        kCalls);
        exit_if_failed(runtime.synchronize());
    }
    std::nth_element(times.begin(), times.begin() + kBatches / 2, times.end());
    return times[kBatches / 2];
}

}  // namespace

int main(int argc, char** argv) {
    setenv("HIPEMU_SCHEDULE", "late", 0);
    auto opened = Runtime::create({.device = argc > 1 ? argv[1] : "emulated:gfx1100", .tune = TuneMode::off});
    exit_if_failed(opened.status());
    Runtime& runtime = *opened;
    constexpr int kHeads = 1, kLength = 16, kDim = 64;  // one work-group: the device has next to nothing to do
    auto memory = runtime.allocate(2 * kLength * kDim * 2);
    exit_if_failed(memory.status());
    const std::vector<std::uint16_t> zeros(2 * kLength * kDim);
    exit_if_failed(memory->upload(zeros.data(), zeros.size() * 2));
    auto* const output = static_cast<std::uint16_t*>(memory->data()) + kLength * kDim;
    const TensorView x = TensorView::bhsd(memory->data(), DType::f16, 1, kHeads, kLength, kDim);
    const TensorView o = TensorView::bhsd(output, DType::f16, 1, kHeads, kLength, kDim);
    const ForwardArgs args{.q = x, .k = x, .v = x, .o = o};
    exit_if_failed(runtime.forward(args));
    exit_if_failed(runtime.synchronize());

    std::printf("check, key, look-up  %8.0f ns\n", median_nanoseconds(runtime, [&] { return runtime.warm(args); }));
    std::printf("with the launch      %8.0f ns\n", median_nanoseconds(runtime, [&] { return runtime.forward(args); }));
}
