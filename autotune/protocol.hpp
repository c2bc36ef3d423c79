// What the tuner and its child flashwave-tuner say to each other, over frames (base/frame.hpp). Both are of one build.
//
//   parent: try   one candidate: validate and time it       child: state ...  then: result
//   parent: race  candidates that were tried, interleaved    child: times
#pragma once

#include <string>
#include <vector>

#include "base/worker_protocol.hpp"
#include "cache/store.hpp"
#include "flashwave/status.hpp"
#include "problem/candidate.hpp"
#include "problem/problem_key.hpp"

namespace flashwave {

struct TryRequest {
    ProblemKey key;
    Candidate candidate;
    std::string entry;
    std::string code;
};

/// Times of one contender of a race, in microseconds.
struct Times {
    int repetitions = 0;
    double median = 0, p20 = 0, p80 = 0;
};

Fields encode(const TryRequest& request);
Result<TryRequest> decode_try(const Fields& fields);

Fields encode(const cache::Measurement& measurement);
Result<cache::Measurement> decode_measurement(const Fields& fields);

/// Candidates by the order in which they were tried, from 0.
Fields encode_race(const std::vector<int>& contenders);
Result<std::vector<int>> decode_race(const Fields& fields);
Fields encode(const std::vector<Times>& times);
Result<std::vector<Times>> decode_times(const Fields& fields);

Fields encode_state(std::string_view state);

}  // namespace flashwave
