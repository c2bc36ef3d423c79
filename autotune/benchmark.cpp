#include "autotune/benchmark.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "problem/float16.hpp"
#include "problem/kernel_spec.hpp"

namespace flashwave {
namespace {

// On a GPU: medians of shorter runs lock in geometries that are up to a third slower.
constexpr int kWarmUps = 10, kLeastRepetitions = 25, kMostRepetitions = 500;
constexpr double kMeasureUs = 100'000;

// All four tensors together; a key of larger calls is timed with fewer heads, which fill any chip all the same.
constexpr std::int64_t kMostBytesOnGpu = std::int64_t{1} << 30, kMostBytesEmulated = std::int64_t{64} << 20;

// The emulator runs tens of millions of wave instructions a second; a sample of so many tells a candidate's time.
constexpr double kSampledInstructions = 3e6;

ForwardCall benchmark_call(const ProblemKey& key, std::int64_t most_bytes) {
    ProblemKey size = key;
    // A call without keys or queries takes no time worth measuring.
    size.seq_q = std::max(size.seq_q, 1);
    const auto bytes = [&] {
        return std::int64_t{2} * size.parallel * key.head_dim * 2 *
               (std::int64_t{size.seq_q} + size.seq_k / size.group);
    };
    while (size.parallel > 1 && bytes() > most_bytes) size.parallel /= 2;
    return representative_call(size);
}

// A block of noise over and over: what values there are matters little, but zeros would never rescale.
Status fill_with_noise(hip::Buffer& buffer, DType dtype) {
    std::vector<std::uint16_t> noise(1 << 18);
    std::uint32_t state = 1;
    for (std::uint16_t& element : noise) {
        float sum = 0;
        for (int i = 0; i < 3; ++i)
            state = state * 1664525u + 1013904223u, sum += static_cast<float>(state >> 16) / 32768.0f - 1;
        element = dtype == DType::f16 ? float_to_f16(sum) : float_to_bf16(sum);
    }
    for (std::size_t at = 0; at < buffer.size(); at += noise.size() * 2)
        FLASHWAVE_RETURN_IF_ERROR(buffer.upload(noise.data(), std::min(noise.size() * 2, buffer.size() - at), at));
    return {};
}

Result<hip::Buffer> make_buffer(const hip::Device& device, TensorView& view) {
    std::size_t bytes = size_of(view.dtype);
    for (const std::int64_t extent : view.shape) bytes *= static_cast<std::size_t>(extent);
    Result<hip::Buffer> buffer = hip::Buffer::allocate(device, bytes);
    if (!buffer.ok()) return buffer;
    view.data = buffer->data();
    FLASHWAVE_RETURN_IF_ERROR(fill_with_noise(*buffer, view.dtype));
    return buffer;
}

// About what one work-group executes: vector, matrix and LDS instructions of all its waves.
double instructions_of_group(const ForwardCall& call, const Candidate& c) {
    const double tiles = c.q_tiles * (c.block_n / 16.0) * (call.head_dim / 16.0);
    const double steps = std::ceil(std::max(call.seq_k, 1) / static_cast<double>(c.block_n));
    return c.waves * (steps * (6 * tiles + 12.0 * c.q_tiles * c.block_n / 2) + 500);
}

Times summary(std::vector<double> us) {
    std::sort(us.begin(), us.end());
    const auto at = [&](double share) {
        return us[static_cast<std::size_t>(share * static_cast<double>(us.size() - 1) + 0.5)];
    };
    return {.repetitions = static_cast<int>(us.size()), .median = at(0.5), .p20 = at(0.2), .p80 = at(0.8)};
}

}  // namespace

Result<Benchmark> Benchmark::create(const hip::Device& device, const ProblemKey& key) {
    Benchmark benchmark;
    benchmark.device_ = &device;
    benchmark.call_ = benchmark_call(key, device.facts().emulated ? kMostBytesEmulated : kMostBytesOnGpu);
    ForwardArgs& args = benchmark.call_.args;
    for (auto [buffer, view] : {std::pair{&benchmark.q_, &args.q}, std::pair{&benchmark.k_, &args.k},
                                std::pair{&benchmark.v_, &args.v}, std::pair{&benchmark.o_, &args.o}}) {
        Result<hip::Buffer> made = make_buffer(device, *view);
        if (!made.ok()) return made.status();
        *buffer = *std::move(made);
    }
    for (hip::Event* event : {&benchmark.start_, &benchmark.stop_}) {
        Result<hip::Event> made = hip::Event::create(device);
        if (!made.ok()) return made.status();
        *event = *std::move(made);
    }
    return benchmark;
}

Result<double> Benchmark::once(const Contender& contender) {
    const Grid grid = make_grid(call_, contender.candidate);
    const kernel::ForwardArgs args = make_kernel_args(call_, grid);
    const hip::LaunchShape shape{.grid = {static_cast<std::uint32_t>(grid.groups), 1, 1},
                                 .block = {static_cast<std::uint32_t>(grid.threads), 1, 1}};
    FLASHWAVE_RETURN_IF_ERROR(start_.record(nullptr));
    FLASHWAVE_RETURN_IF_ERROR(contender.kernel->launch(shape, nullptr, &args, sizeof args));
    FLASHWAVE_RETURN_IF_ERROR(stop_.record(nullptr));
    FLASHWAVE_RETURN_IF_ERROR(stop_.synchronize());
    const Result<float> milliseconds = stop_.milliseconds_since(start_);
    if (!milliseconds.ok()) return milliseconds.status();
    return static_cast<double>(*milliseconds) * 1000;
}

Result<std::vector<Times>> Benchmark::time(const std::vector<Contender>& contenders) {
    std::vector<Times> times;
    if (device_->facts().deterministic_clock) {
        for (const Contender& contender : contenders) {
            const double groups =
                std::clamp(kSampledInstructions / instructions_of_group(call_, contender.candidate), 4.0, 64.0);
            if (device_->api().hipemuSetSampleGroups)
                device_->api().hipemuSetSampleGroups(static_cast<std::uint64_t>(groups));
            const Result<double> us = once(contender);
            if (device_->api().hipemuSetSampleGroups) device_->api().hipemuSetSampleGroups(0);
            if (!us.ok()) return us.status();
            times.push_back({.repetitions = 1, .median = *us, .p20 = *us, .p80 = *us});
        }
        return times;
    }
    std::vector<std::vector<double>> us(contenders.size());
    double warm_us = 0;
    for (int i = 0; i < kWarmUps; ++i)
        for (const Contender& contender : contenders) {
            const Result<double> one = once(contender);
            if (!one.ok()) return one.status();
            warm_us += *one;
        }
    const double round_us = std::max(warm_us / kWarmUps, 1.0);
    const int rounds = std::clamp(static_cast<int>(kMeasureUs * static_cast<double>(contenders.size()) / round_us),
                                  kLeastRepetitions, kMostRepetitions);
    for (int i = 0; i < rounds; ++i)
        for (std::size_t c = 0; c < contenders.size(); ++c) {
            const Result<double> one = once(contenders[c]);
            if (!one.ok()) return one.status();
            us[c].push_back(*one);
        }
    for (std::vector<double>& one : us) times.push_back(summary(std::move(one)));
    return times;
}

}  // namespace flashwave
