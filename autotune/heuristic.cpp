#include "autotune/heuristic.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "problem/kernel_spec.hpp"

namespace flashwave {
namespace {

// Cycles of one SIMD. The first three are measured on gfx1151, the others fitted to counted kernels.
constexpr double kMatrix = 34;  // a 16x16x16 product
constexpr double kLds128 = 3;   // an LDS read of 16 bytes a lane
constexpr double kTranscendental = 4;
constexpr double kSoftmax = 7;       // vector instructions a score and lane besides exp
constexpr double kStep = 120;        // barriers, addresses and waits of one step
constexpr double kNoPrefetch = 250;  // a load's latency that the step itself must wait for
constexpr double kPrologue = 1500;   // loading Q, storing O

// With few waves a SIMD waits for what another wave would have covered.
double stall_factor(int waves) {
    if (waves >= 4) return 1.0;
    return waves == 3 ? 1.03 : waves == 2 ? 1.12 : 1.4;
}

}  // namespace

double estimated_cost(const Candidate& c, const ProblemKey& key, const Arch& arch) {
    if (c.kernel == Kernel::naive) return 1e18;
    const double depth = key.head_dim / 16.0, key_tiles = c.block_n / 16.0;
    const double products = 2 * c.q_tiles * key_tiles * depth;
    const double fragments = 2 * (2 * key_tiles * depth + (c.q_in_lds ? c.q_tiles * depth : 0));
    const double scores = c.q_tiles * key_tiles * 16 * 16 / arch.wave_size;
    const double step = products * kMatrix + fragments * kLds128 + scores * (kTranscendental + kSoftmax) + kStep +
                        (c.prefetch ? 0 : kNoPrefetch);
    double steps = std::ceil(std::max(key.seq_k, 1) / static_cast<double>(c.block_n));
    // Under a causal mask half of the steps fall away, and every block has one more that is masked in part.
    if (key.mask != MaskKind::none && key.seq_q > 1) steps = steps / 2 + 1;
    const double a_wave = steps * step + kPrologue;

    const double blocks = std::ceil(std::max(key.seq_q, 1) / static_cast<double>(c.block_m()));
    const double groups_each = std::ceil(blocks * key.parallel / arch.wgps);
    const double waves_a_simd = std::max(1.0, c.waves / static_cast<double>(arch.simds));
    const int resident = waves_per_simd(arch, estimated_vgprs(c, key.head_dim), lds_bytes(c, key.head_dim), c.waves);
    const double at_hand = std::min<double>(std::max(resident, 1), groups_each * waves_a_simd);
    return groups_each * waves_a_simd * a_wave * stall_factor(static_cast<int>(at_hand));
}

void order_by_promise(std::vector<Candidate>& candidates, const ProblemKey& key, const Arch& arch) {
    std::vector<std::pair<double, Candidate>> costs;
    for (const Candidate& candidate : candidates) costs.emplace_back(estimated_cost(candidate, key, arch), candidate);
    std::stable_sort(costs.begin(), costs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < costs.size(); ++i) candidates[i] = costs[i].second;
}

}  // namespace flashwave
