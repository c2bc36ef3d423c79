// PlanBuilder: makes the plan of a key that has none yet, as the tuning mode says: stored winner, tuning, default
// geometry, naive kernel. Slow by nature and never on the way of a call that has a plan. Thread-safe; who builds a key
// twice is no concern of its.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "autotune/tuner.hpp"
#include "compile/toolchain.hpp"
#include "compile/worker_pool.hpp"
#include "flashwave/options.hpp"
#include "hip/device.hpp"
#include "runtime/plan.hpp"

namespace flashwave {

/// As the cache knows them; their fingerprints are what rows are found by.
cache::DeviceRecord record_of(const hip::Device& device);
cache::ToolchainRecord record_of(const Toolchain& toolchain);

struct BuiltPlan {
    std::unique_ptr<Plan> plan;
    int compiles = 0;
    int candidates = 0;
    bool lasting = true;  ///< false: another process is tuning this key; look again later
};

class PlanBuilder {
  public:
    struct Setup {
        std::string device_name;
        const hip::Device& device;
        const Arch& arch;
        cache::Store& store;
        WorkerPool& pool;
        TuneMode mode = TuneMode::first_use;
        std::chrono::milliseconds budget{};
        std::function<void(const TuneProgress&)> on_progress;
    };

    explicit PlanBuilder(Setup setup);

    /// How far an earlier tuning that ran out of its budget is to be trusted.
    enum class Partial : bool {
        good_enough,  ///< its winner serves: a call does not want to wait again
        go_on,        ///< what it left out is tried now
    };
    /// `meanwhile`: the caller has a default plan already. Where another process tunes the key, the result then has no plan.
    Result<BuiltPlan> build(const ProblemKey& key, Partial partial, bool meanwhile);
    /// The first geometry that nobody has found wrong, for those who do not wait for a tuning.
    Result<BuiltPlan> build_default(const ProblemKey& key);

  private:
    std::optional<BuiltPlan> stored(const ProblemKey& key, const cache::ToolchainRecord* toolchain, Partial partial);
    Result<BuiltPlan> tuned(const ProblemKey& key, const cache::ToolchainRecord& toolchain);
    Candidate first_trusted(const ProblemKey& key, const cache::ToolchainRecord& toolchain);
    Result<BuiltPlan> compiled(const ProblemKey& key, const Candidate& candidate,
                               const cache::ToolchainRecord& toolchain);
    Result<const cache::ToolchainRecord*> toolchain();

    const Setup setup_;
    const cache::DeviceRecord device_;
    std::mutex mutex_;  // of what follows
    std::optional<cache::ToolchainRecord> toolchain_;
};

}  // namespace flashwave
