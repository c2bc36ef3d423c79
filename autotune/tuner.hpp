// Tuner: finds the fastest right geometry for one key on one device. Candidates are compiled side by side, tried one by
// one in flashwave-tuner, and every result is stored with its reason as it comes, so that a tuning which is stopped
// goes on later. One thread at a time; it holds no lock while it works.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/deadline.hpp"
#include "cache/store.hpp"
#include "compile/toolchain.hpp"
#include "compile/worker_pool.hpp"
#include "flashwave/options.hpp"
#include "flashwave/status.hpp"
#include "problem/arch.hpp"

namespace flashwave {

struct TunerContext {
    std::string device_name;  ///< as Options::device names it
    const cache::DeviceRecord& device;
    const Arch& arch;
    const cache::ToolchainRecord& toolchain;
    cache::Store& store;
    WorkerPool& pool;
    std::function<void(const TuneProgress&)> on_progress;
    bool deterministic_clock = false;
};

struct TunedKernel {
    cache::KernelRecord kernel;  ///< with its code
    cache::Selection selection;
};

struct TuneResult {
    TunedKernel winner;
    int compiles = 0;    ///< code objects made
    int candidates = 0;  ///< launched in flashwave-tuner
};

/// The winner among those that gave right answers; it is stored as the selection. Failures:
///   Code::wrong_result  no candidate came through; the message lists why
///   Code::deadline      none had until the budget was used up
///   others              there is no tuner or compiler to ask
Result<TuneResult> tune(const ProblemKey& key, const TunerContext& context, Deadline budget);

/// The index of the winner among times in microseconds, 0 being the default: it stays unless another is faster by more
/// than the noise.
std::size_t choose_winner(const std::vector<cache::Measurement>& measurements, bool deterministic_clock);

/// What a candidate compiles to and under which key its code object is stored.
struct CompileUnit {
    CompileJob job;
    cache::KernelRecord kernel;  ///< no code yet
};
CompileUnit make_compile_unit(const ProblemKey& key, const Candidate& candidate, const Arch& arch,
                              const Digest& toolchain);

/// Takes over a code object and what it says about itself. Code::corrupt, Code::unsupported: it is none for the target.
Status adopt_code(cache::KernelRecord& kernel, std::string code, double compile_ms);

}  // namespace flashwave
