// What a code object says about itself: its target and, per kernel, the resources it takes (the msgpack note that the
// compiler writes). Checked before an object is stored or loaded, for a wrong one can end the process in older HIP
// libraries. Pure functions; every input is taken as possibly damaged.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flashwave/status.hpp"

namespace flashwave {

struct KernelInfo {
    std::string name;
    int vgprs = 0;
    int agprs = 0;
    int sgprs = 0;
    int vgpr_spills = 0;
    int sgpr_spills = 0;
    int lds_bytes = 0;      ///< Static; dynamic LDS comes with the launch.
    int scratch_bytes = 0;  ///< Per work-item.
    int wave_size = 0;
    int kernarg_bytes = 0;
    int max_workgroup = 0;  ///< Work-items; what the launch bounds allow.
};

struct CodeObjectInfo {
    std::string target;  ///< "gfx1100", "gfx942:sramecc+:xnack-"
    std::vector<KernelInfo> kernels;

    const KernelInfo* find(std::string_view kernel) const;  ///< nullptr where there is none.
};

/// corrupt: not an AMD GPU code object, or its metadata cannot be read.
Result<CodeObjectInfo> read_code_object(std::string_view bytes);

/// corrupt: not an AMD GPU code object. unsupported: it was made for another target than `target`.
Status check_code_object(std::string_view bytes, std::string_view target);

}  // namespace flashwave
