// Compiles kernels through the worker pool and runs cases of them on one device. One thread at a time.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/worker_protocol.hpp"
#include "compile/worker_pool.hpp"
#include "hip/device.hpp"
#include "hip/module.hpp"
#include "kernels/kernel_case.hpp"
#include "problem/kernel_spec.hpp"

namespace flashwave::testing {

/// The device of FLASHWAVE_TEST_DEVICE, by default the emulated gfx1100.
std::string test_device_name();

/// What a case is for the library: a checked call over host memory, and its key on `target`.
struct CaseCall {
    ForwardCall call;
    ProblemKey key;
    Candidate candidate;
};
Result<CaseCall> make_case_call(const KernelCase& test, const CaseTensors& tensors, float* lse,
                                const std::string& target);

/// The outputs of one run.
struct CaseOutput {
    std::vector<std::uint16_t> o;  ///< as HostTensor::storage
    std::vector<float> lse;        ///< empty where the case wants none
};

class KernelRunner {
  public:
    static Result<std::unique_ptr<KernelRunner>> open();

    /// Compiles what these cases need, several at a time; run() compiles by itself what is missing.
    Status prepare(const std::vector<KernelCase>& tests);

    /// Runs a case twice on poisoned outputs and checks all but the numbers: no error, guards untouched, both runs
    /// equal.
    Result<CaseOutput> run(const KernelCase& test, const CaseTensors& tensors);

    /// Everything the suite asks of a case, against the fp64 reference. Empty: it holds. Otherwise what does not, and
    /// the command that repeats it.
    std::string check(const KernelCase& test);

    Result<std::string> code_object(const KernelSpec& spec);
    const std::string& target() const { return device_.facts().target; }
    WorkerPool& pool() { return pool_; }

  private:
    explicit KernelRunner(hip::Device device) : device_(std::move(device)) {}
    CompileJob job_of(const KernelSpec& spec) const;
    Result<hip::Kernel> kernel(const KernelSpec& spec);

    WorkerPool pool_;
    hip::Device device_;
    std::map<std::string, std::string> objects_;  // by entry
    std::map<std::string, hip::Module> modules_;  // by entry
};

/// The suite's one runner; the test that calls this ends where there is no device or no compiler.
KernelRunner& runner();

/// Checks every case and reports each failure.
void check_cases(const std::vector<KernelCase>& tests);

}  // namespace flashwave::testing
