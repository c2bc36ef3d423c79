#include "runtime/plan.hpp"

#include <span>

#include "compile/code_object_info.hpp"
#include "problem/kernel_spec.hpp"

namespace flashwave {

Result<std::unique_ptr<Plan>> Plan::load(const hip::Device& device, const ProblemKey& key,
                                         const cache::KernelRecord& kernel, PlanSource source, double tuned_time_us) {
    // A wrong object can end the process inside older HIP libraries, so it is looked at first.
    FLASHWAVE_RETURN_IF_ERROR(check_code_object(kernel.code, key.target));
    auto plan = std::unique_ptr<Plan>(new Plan);
    plan->key_ = key;
    plan->candidate_ = kernel.geometry;
    plan->source_ = source;
    plan->tuned_time_us_ = tuned_time_us;
    plan->key_text_ = to_json(key);
    plan->geometry_text_ = to_text(kernel.geometry);
    plan->entry_ = kernel.entry;
    Result<hip::Module> module = hip::Module::load(device, std::as_bytes(std::span(kernel.code)));
    if (!module.ok()) return module.status();
    plan->module_ = *std::move(module);
    const Result<hip::Kernel> function = plan->module_.kernel(kernel.entry);
    if (!function.ok()) return function.status();
    plan->kernel_ = *function;
    return plan;
}

Status Plan::launch(const ForwardCall& call) const {
    const Grid grid = make_grid(call, candidate_);
    FLASHWAVE_RETURN_IF_ERROR(check_grid(grid));
    const kernel::ForwardArgs args = make_kernel_args(call, grid);
    const hip::LaunchShape shape{.grid = {static_cast<std::uint32_t>(grid.groups), 1, 1},
                                 .block = {static_cast<std::uint32_t>(grid.threads), 1, 1}};
    return kernel_.launch(shape, static_cast<hipStream_t>(call.args.stream), &args, sizeof args);
}

}  // namespace flashwave
