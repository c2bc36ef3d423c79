// Plan: a loaded kernel ready to serve every call of its key. Immutable once made; any thread may launch it.
#pragma once

#include <memory>
#include <string>

#include "cache/store.hpp"
#include "flashwave/attention.hpp"
#include "hip/module.hpp"
#include "problem/forward_call.hpp"
#include "problem/problem_key.hpp"

namespace flashwave {

class Plan {
  public:
    /// Loads the code object into the device. Code::device_error: HIP refuses it; Code::corrupt: it is not what its
    /// record says.
    static Result<std::unique_ptr<Plan>> load(const hip::Device& device, const ProblemKey& key,
                                              const cache::KernelRecord& kernel, PlanSource source,
                                              double tuned_time_us);

    /// Queues the kernel. Allocates nothing. Code::unsupported: the grid is beyond what HIP launches.
    Status launch(const ForwardCall& call) const;

    const ProblemKey& key() const { return key_; }
    PlanSource source() const { return source_; }
    std::string_view key_text() const { return key_text_; }
    std::string_view geometry_text() const { return geometry_text_; }
    std::string_view entry() const { return entry_; }
    double tuned_time_us() const { return tuned_time_us_; }

  private:
    Plan() = default;

    ProblemKey key_;
    Candidate candidate_;
    PlanSource source_ = PlanSource::default_geometry;
    double tuned_time_us_ = 0;
    std::string key_text_, geometry_text_, entry_;
    hip::Module module_;
    hip::Kernel kernel_;
};

}  // namespace flashwave
