#include "cli/timed_call.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "hip/device.hpp"
#include "hip/event.hpp"

namespace flashwave::cli {
namespace {

template <class T>
std::size_t byte_size(const std::vector<T>& values) {
    return values.size() * sizeof(T);
}

template <class T>
Result<Buffer> on_device(Runtime& runtime, const std::vector<T>& values) {
    auto buffer = runtime.allocate(byte_size(values));
    if (!buffer) return buffer;
    FLASHWAVE_RETURN_IF_ERROR(buffer->upload(values.data(), byte_size(values)));
    return buffer;
}

// The tensors of one call in device memory.
struct DeviceCall {
    Buffer q, k, v, o, lse;
    ForwardArgs args;

    Status poison(Outputs& outputs) {
        std::fill(outputs.o.begin(), outputs.o.end(), static_cast<std::uint16_t>(kPoisonByte * 0x0101));
        std::fill(outputs.lse.begin(), outputs.lse.end(), std::bit_cast<float>(kPoisonByte * 0x01010101u));
        FLASHWAVE_RETURN_IF_ERROR(o.upload(outputs.o.data(), byte_size(outputs.o)));
        return lse.upload(outputs.lse.data(), byte_size(outputs.lse));
    }
    Status download(Outputs& outputs) const {
        FLASHWAVE_RETURN_IF_ERROR(o.download(outputs.o.data(), byte_size(outputs.o)));
        return lse.download(outputs.lse.data(), byte_size(outputs.lse));
    }
};

// One launch between two events: microseconds of the device's clock.
Result<double> launch(Runtime& runtime, const ForwardArgs& args, hip::Event& begin, hip::Event& end, ForwardInfo& info) {
    FLASHWAVE_RETURN_IF_ERROR(begin.record(nullptr));
    FLASHWAVE_RETURN_IF_ERROR(runtime.forward(args, &info));
    FLASHWAVE_RETURN_IF_ERROR(end.record(nullptr));
    FLASHWAVE_RETURN_IF_ERROR(runtime.synchronize());
    if (!info.launched) return 0.0;
    const auto milliseconds = end.milliseconds_since(begin);
    if (!milliseconds) return milliseconds.status();
    return static_cast<double>(*milliseconds) * 1e3;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    const auto equal = [](float x, float y) {
        return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
    };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), equal);
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

Result<DeviceCall> put_on_device(Runtime& runtime, const Problem& problem, const Inputs& inputs,
                                 const Outputs& outputs) {
    auto q = on_device(runtime, inputs.q);
    if (!q) return q.status();
    auto k = on_device(runtime, inputs.k);
    if (!k) return k.status();
    auto v = on_device(runtime, inputs.v);
    if (!v) return v.status();
    auto o = on_device(runtime, outputs.o);
    if (!o) return o.status();
    auto lse = on_device(runtime, outputs.lse);
    if (!lse) return lse.status();
    const auto args = make_args(
        problem,
        {.q = q->data(), .k = k->data(), .v = v->data(), .o = o->data(), .lse = static_cast<float*>(lse->data())});
    if (!args) return args.status();
    return DeviceCall{.q = *std::move(q),
                      .k = *std::move(k),
                      .v = *std::move(v),
                      .o = *std::move(o),
                      .lse = *std::move(lse),
                      .args = *args};
}

// A geometry changes once, from the default to a winner.
constexpr int kRestarts = 2;

}  // namespace

Result<Outputs> timed_call(Runtime& runtime, const std::string& device_name, const Problem& problem,
                           const Inputs& inputs, bool want_lse, int repeat) {
    Outputs outputs;
    outputs.o.resize(inputs.q.size());
    if (want_lse) outputs.lse.resize(static_cast<std::size_t>(problem.batch * problem.heads * problem.seq_q));
    auto call = put_on_device(runtime, problem, inputs, outputs);
    if (!call) return call.status();
    const auto device = hip::Device::open(device_name);
    if (!device) return device.status();
    auto begin = hip::Event::create(*device);
    if (!begin) return begin.status();
    auto end = hip::Event::create(*device);
    if (!end) return end.status();

    std::vector<double> times;
    Outputs first;
    int restarts = 0;
    for (int i = 0; i < repeat; ++i) {
        // Only the first and the last result are looked at; what a launch leaves out must not be hidden by an earlier
        // one.
        const bool looked_at = i == 0 || i == repeat - 1;
        if (looked_at) FLASHWAVE_RETURN_IF_ERROR(call->poison(outputs));
        ForwardInfo info;
        const auto time = launch(runtime, call->args, *begin, *end, info);
        if (!time) return time.status();
        if (i == 0) outputs.info = info;
        if (info.geometry != outputs.info.geometry && restarts < kRestarts) {
            // Another process has finished tuning this problem meanwhile: times and bits of two geometries do not belong together.
            ++restarts;
            times.clear();
            outputs.info = info;
            i = -1;
            continue;
        }
        times.push_back(*time);
        if (looked_at) FLASHWAVE_RETURN_IF_ERROR(call->download(outputs));
        if (i == 0 && repeat > 1) first = outputs;
    }
    outputs.median_us = median(std::move(times));
    outputs.repeatable = repeat == 1 || (first.o == outputs.o && same_bits(first.lse, outputs.lse));
    return outputs;
}

}  // namespace flashwave::cli
