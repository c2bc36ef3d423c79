#include "problem/arch.hpp"

#include <algorithm>

namespace flashwave {
namespace {

constexpr int kKiB = 1024;

// RDNA 3 and 3.5. The 1.5x register files are those of Navi 31, Navi 32 and Strix Halo; the smaller parts have 1024.
constexpr Arch kArchs[] = {
    // target     family    wave wgps simds group     total      vgprs granule max waves group supported
    {"gfx1100", "wmma11", 32, 48, 4, 64 * kKiB, 128 * kKiB, 1536, 24, 256, 16, 32, true},
    {"gfx1101", "wmma11", 32, 30, 4, 64 * kKiB, 128 * kKiB, 1536, 24, 256, 16, 32, false},
    {"gfx1102", "wmma11", 32, 16, 4, 64 * kKiB, 128 * kKiB, 1024, 16, 256, 16, 32, false},
    {"gfx1103", "wmma11", 32, 6, 4, 64 * kKiB, 128 * kKiB, 1024, 16, 256, 16, 32, false},
    {"gfx1150", "wmma11", 32, 8, 4, 64 * kKiB, 128 * kKiB, 1024, 16, 256, 16, 32, false},
    {"gfx1151", "wmma11", 32, 20, 4, 64 * kKiB, 128 * kKiB, 1536, 24, 256, 16, 32, false},
};

}  // namespace

std::span<const Arch> all_archs() noexcept { return kArchs; }

const Arch* find_arch(std::string_view gcn_arch_name) noexcept {
    const std::string_view target = gcn_arch_name.substr(0, gcn_arch_name.find(':'));
    const auto* row =
        std::find_if(std::begin(kArchs), std::end(kArchs), [&](const Arch& arch) { return arch.target == target; });
    return row == std::end(kArchs) ? nullptr : row;
}

int waves_per_simd(const Arch& arch, int vgprs, int lds_bytes, int waves_per_group) noexcept {
    const int given =
        std::max(arch.vgpr_granule, (vgprs + arch.vgpr_granule - 1) / arch.vgpr_granule * arch.vgpr_granule);
    const int by_registers = std::min(arch.max_waves, arch.vgprs / given);
    const int slots = by_registers * arch.simds;
    const int groups = std::min(slots / waves_per_group, lds_bytes > 0 ? arch.lds_total / lds_bytes : slots);
    return groups * waves_per_group / arch.simds;
}

}  // namespace flashwave
