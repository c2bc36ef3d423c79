#include "autotune/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "autotune/heuristic.hpp"
#include "problem/kernel_spec.hpp"

namespace flashwave {
namespace {

// What the loops below run over, one row a family. The structures that counted best on gfx11: q_tiles 1 with Q in
// registers shares K and V among many waves and leaves room for six waves a SIMD; q_tiles 2 halves the LDS reads a
// product and keeps Q in LDS where registers are full (head_dim 128).
struct Space {
    std::string_view family;
    std::vector<int> waves, q_tiles, block_n;
    std::vector<bool> q_in_lds, prefetch;
};

const Space& space_of(const Arch& arch) {
    static const Space kWmma11{.family = "wmma11",
                               .waves = {1, 2, 4, 8},
                               .q_tiles = {1, 2},
                               .block_n = {32, 64, 128},
                               .q_in_lds = {false, true},
                               .prefetch = {true, false}};
    (void)arch;
    return kWmma11;  // the one family so far; another adds its row and is chosen by arch.family
}

// Of those that could work only so many are compiled and measured, or a key would take minutes; the estimate orders
// them well enough that the best is among them.
constexpr std::size_t kMostTried = 12;

}  // namespace

std::string why_not(const Candidate& c, const ProblemKey& key, const Arch& arch) {
    if (c.kernel == Kernel::naive) return {};
    const int threads = arch.wave_size * c.waves;
    if (key.head_dim % 16 != 0) return fmt::format("head_dim {} is not a multiple of 16", key.head_dim);
    if (c.block_n * key.head_dim % (8 * threads) != 0)
        return fmt::format("a K tile of {} x {} is not a whole number of 16-byte loads of {} threads", c.block_n,
                           key.head_dim, threads);
    if (const int lds = lds_bytes(c, key.head_dim); lds > arch.lds_per_group)
        return fmt::format("LDS {:.1f} KiB > {} KiB", lds / 1024.0, arch.lds_per_group / 1024);
    if (const int vgprs = estimated_vgprs(c, key.head_dim); vgprs > arch.max_vgprs)
        return fmt::format("about {} VGPRs > {}", vgprs, arch.max_vgprs);
    if (c.waves > arch.max_waves_per_group) return fmt::format("{} waves > {}", c.waves, arch.max_waves_per_group);
    // Beyond one block nothing is gained by rows that no query fills: the smallest block that holds them all is the
    // limit.
    if (c.block_m() > 4 * std::max(key.seq_q, 16))
        return fmt::format("{} query rows a block for {} queries", c.block_m(), key.seq_q);
    if (c.block_n > std::max(key.seq_k, 64)) return fmt::format("{} keys a step for {} keys", c.block_n, key.seq_k);
    return {};
}

std::vector<Candidate> all_candidates(const ProblemKey&, const Arch& arch) {
    const Space& space = space_of(arch);
    std::vector<Candidate> all;
    for (const int waves : space.waves)
        for (const int q_tiles : space.q_tiles)
            for (const int block_n : space.block_n)
                for (const bool q_in_lds : space.q_in_lds)
                    for (const bool prefetch : space.prefetch)
                        all.push_back({.waves = waves,
                                       .q_tiles = q_tiles,
                                       .block_n = block_n,
                                       .q_in_lds = q_in_lds,
                                       .prefetch = prefetch});
    return all;
}

std::vector<Candidate> candidates_to_try(const ProblemKey& key, const Arch& arch) {
    std::vector<Candidate> good;
    for (const Candidate& candidate : all_candidates(key, arch))
        if (why_not(candidate, key, arch).empty()) good.push_back(candidate);
    order_by_promise(good, key, arch);
    if (good.size() > kMostTried) good.resize(kMostTried);
    if (good.empty()) good.push_back({.kernel = Kernel::naive});
    return good;
}

std::vector<Refusal> refusals(const ProblemKey& key, const Arch& arch) {
    const std::vector<Candidate> tried = candidates_to_try(key, arch);
    const double least = estimated_cost(tried.front(), key, arch);
    std::vector<Refusal> all;
    for (const Candidate& candidate : all_candidates(key, arch)) {
        if (std::find(tried.begin(), tried.end(), candidate) != tried.end()) continue;
        std::string why = why_not(candidate, key, arch);
        if (why.empty())
            why = fmt::format("estimated at {:.2f} times the cost of the default; only the {} most promising are tried",
                              estimated_cost(candidate, key, arch) / least, kMostTried);
        all.push_back({candidate, std::move(why)});
    }
    return all;
}

Candidate default_candidate(const ProblemKey& key, const Arch& arch) { return candidates_to_try(key, arch).front(); }

}  // namespace flashwave
