// Benchmark: how long a kernel takes on calls of a key's size. On a device whose clock is deterministic each kernel
// runs once, over a sample of work-groups at full size; elsewhere it is warmed up and repeated. One thread, on the
// device it was made for.
#pragma once

#include <vector>

#include "autotune/protocol.hpp"
#include "hip/buffer.hpp"
#include "hip/device.hpp"
#include "hip/event.hpp"
#include "hip/module.hpp"

namespace flashwave {

class Benchmark {
  public:
    static Result<Benchmark> create(const hip::Device& device, const ProblemKey& key);

    struct Contender {
        const hip::Kernel* kernel = nullptr;
        Candidate candidate;
    };
    /// One time each, in turns, so that a clock that drifts does not favour one of them.
    Result<std::vector<Times>> time(const std::vector<Contender>& contenders);

  private:
    Benchmark() = default;
    Result<double> once(const Contender& contender);

    const hip::Device* device_ = nullptr;
    ForwardCall call_;
    hip::Buffer q_, k_, v_, o_;
    hip::Event start_, stop_;
};

}  // namespace flashwave
