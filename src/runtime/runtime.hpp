// Runtime::Impl: owns device, store, compilers, plans. The hit path is serve(): check, key, one look-up, launch.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "flashwave/runtime.hpp"
#include "hip/device.hpp"
#include "runtime/plan_builder.hpp"
#include "runtime/plan_table.hpp"
#include "runtime/single_flight.hpp"

namespace flashwave {

class [[gnu::visibility("hidden")]] Runtime::Impl {
  public:
    static Result<std::unique_ptr<Impl>> create(const Options& options);

    Status forward(const ForwardArgs& args, ForwardInfo* info);
    Status warm(const ForwardArgs& args, ForwardInfo* info);

    const hip::Device& device() const { return device_; }
    const DeviceInfo& device_info() const { return device_info_; }
    const cache::Store& store() const { return store_; }
    WorkerPool& pool() { return pool_; }

  private:
    /// What forward and warm do differently.
    struct Way {
        Pointers pointers;
        PlanBuilder::Partial partial;
        bool launch;
    };
    struct Made {
        const Plan* plan = nullptr;
        PlanSource source = PlanSource::memory;
        int compiles = 0;
        int candidates = 0;
    };
    using Flights = SingleFlight<ProblemKey, Result<const Plan*>, ProblemKeyHash>;

    struct Resolved {
        std::string device_name, cache_directory;
        TuneMode mode = TuneMode::first_use;
        std::chrono::milliseconds budget{};
        std::uint64_t cache_limit = 0;
        int workers = 0;
    };
    static Result<Resolved> resolve(const Options& options);

    Impl(const Resolved& resolved, const Options& options, hip::Device device, const Arch& arch);

    Status serve(const ForwardArgs& args, ForwardInfo* info, const Way& way);
    Result<Made> find_or_make(const ForwardCall& call, const ProblemKey& key, PlanBuilder::Partial partial);
    Result<Made> make(const ProblemKey& key, PlanBuilder::Partial partial);
    Result<Made> make_meanwhile(const ProblemKey& key);
    const Plan* still_meanwhile(const ProblemKey& key);
    void fill(ForwardInfo * info, const Made& made, bool launched) const;

    const TuneMode mode_;
    const hip::Device device_;
    const DeviceInfo device_info_;
    TargetName target_;
    cache::Store store_;
    WorkerPool pool_;
    PlanBuilder builder_;
    PlanTable plans_;      // lasting ones: the hit path looks here
    PlanTable meanwhile_;  // default geometries, while somebody tunes
    Flights flights_, meanwhile_flights_;
    std::mutex retry_mutex_;
    std::unordered_map<ProblemKey, std::chrono::steady_clock::time_point, ProblemKeyHash>
        retry_at_;  // keys another process tunes
};

}  // namespace flashwave
