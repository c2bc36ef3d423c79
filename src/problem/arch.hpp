// What is known of a gfx target before any device is asked: one row each. Facts only; what a kernel makes of them is
// elsewhere.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace flashwave {

struct Arch {
    std::string_view target;  ///< "gfx1100"
    std::string_view family;  ///< names kernels_src/arch/<family>.h and stands in kernel names: "wmma11"
    int wave_size;
    int wgps;           ///< of the largest card: work-group processors
    int simds;          ///< SIMD units that share the LDS of one work-group (a WGP's, on gfx10 and later)
    int lds_per_group;  ///< bytes a work-group may have
    int lds_total;      ///< bytes that the groups on those SIMDs share
    int vgprs;          ///< registers a SIMD has, each `wave_size` lanes wide
    int vgpr_granule;   ///< registers are given out in multiples of this
    int max_vgprs;      ///< a wave can address
    int max_waves;      ///< on one SIMD
    int max_waves_per_group;
    bool supported;  ///< kernels of this version are tested for it
};

/// All rows, for tables that list them.
std::span<const Arch> all_archs() noexcept;

/// The row of a full target name, feature suffix allowed ("gfx942:sramecc+:xnack-"); nullptr: not known.
const Arch* find_arch(std::string_view gcn_arch_name) noexcept;

/// Waves one SIMD holds at once, from registers a wave and bytes of LDS a work-group.
int waves_per_simd(const Arch& arch, int vgprs, int lds_bytes, int waves_per_group) noexcept;

}  // namespace flashwave
