// The host side of one call's tensors: q, k and v from a seed or from .npy files, o and lse on their way out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/problem.hpp"
#include "flashwave/status.hpp"

namespace flashwave::cli {

/// Bits of f16 or bf16 elements, in the problem's memory layout.
struct Inputs {
    std::vector<std::uint16_t> q;
    std::vector<std::uint16_t> k;
    std::vector<std::uint16_t> v;
};

/// Inputs that are the same on every machine: about normal, deviation 1. Every fourth query row repeats a key, so that
/// one key dominates its softmax: a result that pairs keys with wrong values shows there, and would drown in an average
/// elsewhere.
Inputs seeded_inputs(const Problem& problem, std::uint64_t seed);

struct InputPaths {
    std::string q, k, v;
    bool any() const noexcept { return !q.empty() || !k.empty() || !v.empty(); }
};

/// Reads the three files and completes `problem` by what their shapes say. Element types: '<f2' for f16; '<u2' or
/// '|V2', the bits, for bf16; '<f4' is rounded to the problem's type. Code::invalid_argument names the flag and what
/// disagrees: a flag that was given and another shape, for instance.
Result<Inputs> read_inputs(const InputPaths& paths, const ProblemFlags& flags, Problem& problem);

/// Writes o in the problem's layout: '<f2', or '<u2' for the bits of bf16.
Status write_output(const std::string& path, const Problem& problem, const std::vector<std::uint16_t>& o);
/// Writes LSE as '<f4' [batch, heads, seq_q].
Status write_lse(const std::string& path, const Problem& problem, const std::vector<float>& lse);

}  // namespace flashwave::cli
