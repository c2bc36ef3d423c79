// Validator: does a kernel give the right answer? Every case of validation_case.hpp is run twice into poisoned outputs;
// the error rule, guard elements and bit-for-bit repetition are checked. One thread, on the device it was made for.
#pragma once

#include <string>
#include <vector>

#include "autotune/validation_case.hpp"
#include "cache/store.hpp"
#include "hip/buffer.hpp"
#include "hip/device.hpp"
#include "hip/module.hpp"

namespace flashwave {

class Validator {
  public:
    /// Uploads the cases of a key. Code::out_of_memory, Code::device_error.
    static Result<Validator> create(const hip::Device& device, const ProblemKey& key);

    struct Verdict {
        cache::Outcome outcome = cache::Outcome::ok;
        std::string detail;                     ///< the case and its worst element, or how HIP failed
        double max_error = 0, error_bound = 0;  ///< of the case that came nearest to its bound, or broke it
    };
    Verdict check(const hip::Kernel& kernel, const Candidate& candidate);

  private:
    struct DeviceCase {
        ValidationCase host;
        hip::Buffer q, k, v, o, lse;
        ForwardCall call;  // device memory
    };
    struct Outputs {
        std::vector<std::uint16_t> o;
        std::vector<float> lse;
    };

    Validator() = default;
    Result<Outputs> run(DeviceCase& one, const hip::Kernel& kernel, const Candidate& candidate);
    /// Empty: nothing is wrong.
    static std::string judge(const DeviceCase& one, Outputs& outputs, Verdict& verdict);

    const hip::Device* device_ = nullptr;
    std::vector<DeviceCase> cases_;
};

}  // namespace flashwave
