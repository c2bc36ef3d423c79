// Inputs that bite: small attention calls that reach every code path of a geometry, with their reference results. They
// depend on the key only, so that one set serves all candidates. Deterministic.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "problem/forward_call.hpp"
#include "problem/problem_key.hpp"
#include "problem/reference.hpp"

namespace flashwave {

/// One tensor's memory: `base` elements before the first one, all of it set to a pattern that no result has.
struct HostTensor {
    std::vector<std::uint16_t> data;
    std::int64_t base = 0;
    TensorView view;  ///< into `data`

    HostTensor() = default;
    HostTensor(HostTensor&&) = default;
    HostTensor& operator=(HostTensor&&) = default;
};

struct ValidationCase {
    std::string name;  ///< "ragged lengths, strides with holes"
    ForwardCall call;  ///< host memory
    HostTensor q, k, v, o;
    Reference reference;
};

/// Elements of NaN around every tensor; a power of two times 8, so that aligned tensors stay aligned.
inline constexpr std::int64_t kGuardElements = 4096;
/// What outputs are filled with before a run: a NaN of either type.
inline constexpr std::uint16_t kPoison = 0xffff;

std::vector<ValidationCase> make_validation_cases(const ProblemKey& key);

}  // namespace flashwave
