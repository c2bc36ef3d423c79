#include "problem/candidate.hpp"

#include <fmt/format.h>

namespace flashwave {

std::string short_name(const Candidate& candidate) {
    if (candidate.kernel == Kernel::naive) return "naive";
    std::string text = fmt::format("m{}n{}w{}", candidate.block_m(), candidate.block_n, candidate.waves);
    if (candidate.q_in_lds) text += "_qlds";
    if (!candidate.prefetch) text += "_nopre";
    if (candidate.lds_stages != 1) text += fmt::format("_s{}", candidate.lds_stages);
    if (!candidate.lazy_rescale) text += "_eager";
    if (candidate.min_waves != 1) text += fmt::format("_occ{}", candidate.min_waves);
    return text;
}

}  // namespace flashwave
