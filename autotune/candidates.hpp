// The geometries that are tried for a key, and why some are not. No device is needed.
#pragma once

#include <string>
#include <vector>

#include "problem/arch.hpp"
#include "problem/candidate.hpp"
#include "problem/problem_key.hpp"

namespace flashwave {

/// Why this candidate cannot work, or cannot win, for the key: a sentence such as "LDS 72 KiB > 64 KiB". Empty: nothing
/// speaks against it before it is compiled.
std::string why_not(const Candidate& candidate, const ProblemKey& key, const Arch& arch);

/// Every candidate of the target's table, those with a why_not included. The order is that of the table.
std::vector<Candidate> all_candidates(const ProblemKey& key, const Arch& arch);

/// The most promising dozen of those without a why_not, best first. The first is the default plan of the key: it always
/// exists.
std::vector<Candidate> candidates_to_try(const ProblemKey& key, const Arch& arch);

/// A candidate of the table that is not tried, and why.
struct Refusal {
    Candidate candidate;
    std::string why;
};
std::vector<Refusal> refusals(const ProblemKey& key, const Arch& arch);

/// The first of candidates_to_try.
Candidate default_candidate(const ProblemKey& key, const Arch& arch);

}  // namespace flashwave
