// Which candidates are worth trying first, told from their numbers alone: no device is needed.
#pragma once

#include <vector>

#include "problem/arch.hpp"
#include "problem/candidate.hpp"
#include "problem/problem_key.hpp"

namespace flashwave {

/// An estimate of cycles; only its order among candidates of one key means anything.
double estimated_cost(const Candidate& candidate, const ProblemKey& key, const Arch& arch);

/// Cheapest first; equal ones keep their order.
void order_by_promise(std::vector<Candidate>& candidates, const ProblemKey& key, const Arch& arch);

}  // namespace flashwave
