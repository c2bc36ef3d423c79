#include "cli/call_check.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "problem/forward_call.hpp"

namespace flashwave::cli {
namespace {

// Products of the fp64 reference that a check may take, a few seconds on two cores.
constexpr double kMostProducts = 2e9;
constexpr std::size_t kFewestRows = 512;

std::size_t rows_to_check(const ForwardCall& call) {
    const double products_of_row = std::max(1.0, static_cast<double>(call.seq_k) * call.head_dim);
    return std::max(kFewestRows, static_cast<std::size_t>(kMostProducts / products_of_row));
}

template <class T>
void* host_pointer(const std::vector<T>& values) {
    return const_cast<T*>(values.data());  // a TensorView serves inputs and outputs; the reference only reads
}

}  // namespace

CheckResult check_call(const Problem& problem, const Inputs& inputs, const Outputs& outputs) {
    const Tensors tensors{.q = host_pointer(inputs.q),
                          .k = host_pointer(inputs.k),
                          .v = host_pointer(inputs.v),
                          .o = host_pointer(outputs.o)};
    const ForwardArgs args = make_args(problem, tensors).value();
    ForwardCall call;
    // The same call was checked before it was launched; here it points to host memory.
    if (const Status status = check_forward(args, Pointers::ignored, call); !status.ok())
        detail::value_of_failed_result(status);

    const Reference reference = compute_reference(call, choose_rows(call, rows_to_check(call)));
    constexpr auto kPoison = static_cast<std::uint16_t>(kPoisonByte * 0x0101);
    const auto poisoned = [](float value) { return std::bit_cast<std::uint32_t>(value) == kPoison * 0x10001u; };
    return CheckResult{
        .output = compare_output(reference, args.o),
        .lse = compare_lse(reference, call, outputs.lse.data()),
        .rows = reference.rows.size(),
        .unwritten = static_cast<std::size_t>(std::count(outputs.o.begin(), outputs.o.end(), kPoison) +
                                              std::count_if(outputs.lse.begin(), outputs.lse.end(), poisoned)),
        .repeatable = outputs.repeatable,
    };
}

std::string CheckResult::sentence() const {
    if (unwritten > 0) return fmt::format("FAILED: {} elements of the outputs were not written", unwritten);
    if (!output.passed) return fmt::format("FAILED: {}", output.sentence("o"));
    if (!lse.passed) return fmt::format("FAILED: {}", lse.sentence("lse"));
    if (!repeatable) return "FAILED: two launches of the same call gave different bits";
    return fmt::format(
        "passed: largest error {:.3g}, allowed {:.3g} (lse {:.3g}, allowed {:.3g}) against fp64 on {} rows",
        output.max_error, output.bound, lse.max_error, lse.bound, rows);
}

}  // namespace flashwave::cli
