// Work-groups placed over the chip: each WGP takes the next one in grid order as soon as it has a place, and those of one WGP share it. The
// end of the last one is the end of the launch. Pure functions.
#pragma once

#include <cstdint>
#include <functional>

namespace hipemu {

/// How fast one WGP is, per unit of a work-group's work.
struct WgpSpeed {
    double alone = 0;       // cycles of a work-group that is alone there
    double throughput = 0;  // cycles between the ends of work-groups where all places are taken

    /// Cycles of a work-group among `count`.
    double among(std::uint32_t count) const { return alone > throughput * count ? alone : throughput * count; }
};

struct Placement {
    double cycles = 0;      // until the last work-group ends
    double total_work = 0;
};

/// `work_of`: of a work-group by its index; they are dispatched in order.
Placement place_groups(std::uint64_t groups, const std::function<double(std::uint64_t)>& work_of, std::uint32_t wgps, std::uint32_t resident,
                       const WgpSpeed& speed);

}  // namespace hipemu
