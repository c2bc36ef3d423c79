// KernelSpec: a key and a candidate turned into what the compiler is given and how the result is launched. The macros
// are those of kernels_src/config.h, the arguments those of kernels_src/args.h. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels_src/args.h"
#include "problem/arch.hpp"
#include "problem/candidate.hpp"
#include "problem/forward_call.hpp"
#include "problem/problem_key.hpp"

namespace flashwave {

struct KernelSpec {
    std::string main_file;             ///< of kernels_src
    std::string entry;                 ///< "fwd_wmma11_f16_d128_causal_m128n64w8"
    std::vector<std::string> options;  ///< as hiprtc takes them, without the target
};

/// Only what changes the code is looked at: keys that differ in their length buckets, their group or the alignment of
/// their mask have the same spec.
KernelSpec make_kernel_spec(const ProblemKey& key, const Candidate& candidate, const Arch& arch);

/// How a call is laid over a candidate's work-groups.
struct Grid {
    int q_blocks = 0;         ///< of one head
    std::int64_t groups = 0;  ///< work-groups in x
    int threads = 0;          ///< of one work-group
};
Grid make_grid(const ForwardCall& call, const Candidate& candidate) noexcept;

/// HIP counts threads of a grid in 32 bits. Code::unsupported: the call has more.
Status check_grid(const Grid& grid);

kernel::ForwardArgs make_kernel_args(const ForwardCall& call, const Grid& grid) noexcept;

/// Bytes of LDS that a work-group of forward.hip takes.
int lds_bytes(const Candidate& candidate, int head_dim) noexcept;

/// About how many VGPRs a wave of forward.hip takes: the tiles that stay through its loop, and what goes with them.
int estimated_vgprs(const Candidate& candidate, int head_dim) noexcept;

}  // namespace flashwave
