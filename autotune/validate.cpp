#include "autotune/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "problem/kernel_spec.hpp"

namespace flashwave {
namespace {

constexpr std::size_t kGuardFloats = 1024;

Result<hip::Buffer> upload(const hip::Device& device, const HostTensor& tensor, TensorView& view) {
    Result<hip::Buffer> buffer = hip::Buffer::allocate(device, tensor.data.size() * sizeof(std::uint16_t));
    if (!buffer.ok()) return buffer;
    FLASHWAVE_RETURN_IF_ERROR(buffer->upload(tensor.data.data(), tensor.data.size() * sizeof(std::uint16_t)));
    view.data = buffer->as<std::uint16_t>() + tensor.base;
    return buffer;
}

std::size_t rows_of(const ForwardCall& call) {
    return static_cast<std::size_t>(call.batch) * static_cast<std::size_t>(call.heads_q) *
           static_cast<std::size_t>(call.seq_q);
}

bool all_bytes_are(const void* data, std::size_t size, unsigned char byte) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    return std::all_of(bytes, bytes + size, [&](unsigned char b) { return b == byte; });
}

}  // namespace

Result<Validator> Validator::create(const hip::Device& device, const ProblemKey& key) {
    Validator validator;
    validator.device_ = &device;
    for (ValidationCase& host : make_validation_cases(key)) {
        DeviceCase one;
        one.call = host.call;
        for (auto [buffer, tensor, view] :
             {std::tuple{&one.q, &host.q, &one.call.args.q}, std::tuple{&one.k, &host.k, &one.call.args.k},
              std::tuple{&one.v, &host.v, &one.call.args.v}, std::tuple{&one.o, &host.o, &one.call.args.o}}) {
            Result<hip::Buffer> uploaded = upload(device, *tensor, *view);
            if (!uploaded.ok()) return uploaded.status();
            *buffer = *std::move(uploaded);
        }
        Result<hip::Buffer> lse =
            hip::Buffer::allocate(device, (rows_of(host.call) + 2 * kGuardFloats) * sizeof(float));
        if (!lse.ok()) return lse.status();
        one.lse = *std::move(lse);
        one.call.args.lse = one.lse.as<float>() + kGuardFloats;
        one.host = std::move(host);
        validator.cases_.push_back(std::move(one));
    }
    return validator;
}

Result<Validator::Outputs> Validator::run(DeviceCase& one, const hip::Kernel& kernel, const Candidate& candidate) {
    FLASHWAVE_RETURN_IF_ERROR(one.o.fill(0xff));
    FLASHWAVE_RETURN_IF_ERROR(one.lse.fill(0xff));
    const Grid grid = make_grid(one.call, candidate);
    const kernel::ForwardArgs args = make_kernel_args(one.call, grid);
    const hip::LaunchShape shape{.grid = {static_cast<std::uint32_t>(grid.groups), 1, 1},
                                 .block = {static_cast<std::uint32_t>(grid.threads), 1, 1}};
    FLASHWAVE_RETURN_IF_ERROR(kernel.launch(shape, nullptr, &args, sizeof args));
    FLASHWAVE_RETURN_IF_ERROR(device_->synchronize());
    Outputs outputs;
    outputs.o.resize(one.o.size() / sizeof(std::uint16_t));
    outputs.lse.resize(one.lse.size() / sizeof(float));
    FLASHWAVE_RETURN_IF_ERROR(one.o.download(outputs.o.data(), one.o.size()));
    FLASHWAVE_RETURN_IF_ERROR(one.lse.download(outputs.lse.data(), one.lse.size()));
    return outputs;
}

std::string Validator::judge(const DeviceCase& one, Outputs& outputs, Verdict& verdict) {
    TensorView o = one.host.o.view;
    o.data = outputs.o.data() + one.host.o.base;
    const Comparison result = compare_output(one.host.reference, o);
    // Kept for the record: the case that came nearest to its bound.
    const auto share = [](double error, double bound) { return bound > 0 ? error / bound : error > 0 ? 2.0 : 0.0; };
    if (!result.passed || share(result.max_error, result.bound) >= share(verdict.max_error, verdict.error_bound)) {
        verdict.max_error = result.max_error;
        verdict.error_bound = result.bound;
    }
    if (!result.passed) return result.sentence("o");
    const Comparison lse = compare_lse(one.host.reference, one.host.call, outputs.lse.data() + kGuardFloats);
    if (!lse.passed) return lse.sentence("lse");

    // Without its own elements, all of an output's memory must be as it was.
    for (std::int64_t b = 0; b < o.shape[0]; ++b)
        for (std::int64_t h = 0; h < o.shape[1]; ++h)
            for (std::int64_t i = 0; i < o.shape[2]; ++i)
                std::memset(
                    static_cast<std::uint16_t*>(o.data) + b * o.strides[0] + h * o.strides[1] + i * o.strides[2], 0xff,
                    static_cast<std::size_t>(o.shape[3]) * sizeof(std::uint16_t));
    if (!all_bytes_are(outputs.o.data(), outputs.o.size() * sizeof(std::uint16_t), 0xff))
        return "memory around o was written";
    if (!all_bytes_are(outputs.lse.data(), kGuardFloats * sizeof(float), 0xff) ||
        !all_bytes_are(outputs.lse.data() + outputs.lse.size() - kGuardFloats, kGuardFloats * sizeof(float), 0xff))
        return "memory around lse was written";
    return {};
}

Validator::Verdict Validator::check(const hip::Kernel& kernel, const Candidate& candidate) {
    Verdict verdict;
    const auto fail = [&](cache::Outcome outcome, const DeviceCase& one, const std::string& why) {
        verdict.outcome = outcome;
        verdict.detail =
            fmt::format("{} ({} queries, {} keys): {}", one.host.name, one.call.seq_q, one.call.seq_k, why);
        return verdict;
    };
    for (DeviceCase& one : cases_) {
        Result<Outputs> first = run(one, kernel, candidate);
        if (!first.ok()) return fail(cache::Outcome::crash, one, first.status().message());
        Result<Outputs> second = run(one, kernel, candidate);
        if (!second.ok()) return fail(cache::Outcome::crash, one, second.status().message());
        const bool same = first->o == second->o &&
                          std::memcmp(first->lse.data(), second->lse.data(), first->lse.size() * sizeof(float)) == 0;
        if (const std::string why = judge(one, *first, verdict); !why.empty())
            return fail(cache::Outcome::wrong, one, why);
        if (!same) return fail(cache::Outcome::nondeterministic, one, "two runs gave different bits");
    }
    return verdict;
}

}  // namespace flashwave
