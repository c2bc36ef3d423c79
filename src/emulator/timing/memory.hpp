// The caches and buses between one WGP and memory. The WGP is simulated alone; of what the others do it feels that bandwidth beyond the GL1 is
// shared evenly, and that of data which several work-groups read only one brings it from memory: the others find it in the L2, or in the
// last-level cache where too much runs at once for the L2. One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "emulator/timing/chips.hpp"
#include "emulator/timing/trace.hpp"

namespace hipemu {

/// Counted from the start of a run.
using Cycle = std::uint32_t;

/// Lines [first, end) of device memory that a launch uses, and how much of them is new to a work-group that touches them.
struct SharedRange {
    std::uint64_t first = 0, end = 0;
    double fetched = 1;  // of the lines that groups touch for the first time, those that come from memory; the others were read by another group
};

/// What the rest of the chip does meanwhile.
struct MemoryFacts {
    std::uint32_t active_wgps = 1;
    std::vector<SharedRange> ranges;     // in address order
    double fetched = 1;                  // as SharedRange::fetched, of all ranges together
    double window_bytes = 0;             // what must stay in a cache for one work-group to find what another read
};

/// The facts of a launch of `total_groups` of which `resident` run on one WGP at a time. `spans`: bytes [first, second) that it uses.
MemoryFacts memory_facts(const Chip& chip, std::span<const GroupTrace* const> groups, std::uint64_t total_groups, std::uint32_t resident,
                         std::span<const std::pair<std::uint64_t, std::uint64_t>> spans);

/// Least recently used lines of each set go first.
class LineCache {
public:
    LineCache(std::uint64_t bytes, unsigned ways);

    /// When the line that a request at `now` finds here has arrived; nullptr: it is not here. A found line becomes the youngest of its set.
    const Cycle* find(std::uint64_t line);
    void insert(std::uint64_t line, Cycle arrival);
    void invalidate() { ++generation_; }

private:
    struct Entry {
        std::uint64_t line = 0;
        std::uint32_t generation = 0;
        std::uint32_t used = 0;
        Cycle arrival = 0;
    };
    Entry* set_of(std::uint64_t line);

    std::vector<Entry> entries_;
    unsigned ways_;
    std::uint64_t sets_;
    std::uint32_t generation_ = 1, clock_ = 0;
};

/// Something that serves one request after the other. Times in 1/64 cycles.
class Server {
public:
    static constexpr std::uint64_t kUnit = 64;

    /// When the request that comes at `now` and takes `cost` units is served.
    Cycle serve(Cycle now, std::uint64_t cost) {
        const std::uint64_t at = std::uint64_t{now} * kUnit;
        free_ = (free_ > at ? free_ : at) + cost;
        return static_cast<Cycle>((free_ + kUnit - 1) / kUnit);
    }

private:
    std::uint64_t free_ = 0;
};

/// The part of what was read `distance` bytes ago, in a cyclic order, that a cache of `bytes` still has. All of it while that fits. Which line a
/// card's L2 and last-level cache give up is not published; a random one fits a published chase where the least recently used does not.
double kept_part(double distance, double bytes);

class WgpMemory {
public:
    WgpMemory(const Chip& chip, const MemoryFacts& facts);

    /// When a load of `lines` by a wave of CU 0 or 1 that issues now has all its data. `transfer`: cycles to move them to registers.
    Cycle load(unsigned cu, std::span<const std::uint64_t> lines, std::uint64_t salt, std::uint32_t transfer, Cycle now);
    /// The same for an atomic operation that returns: the L2 does it.
    Cycle atomic(unsigned cu, std::span<const std::uint64_t> lines, std::uint64_t salt, Cycle now);
    /// When a store is done.
    Cycle store(unsigned cu, std::span<const std::uint64_t> lines, std::uint64_t salt, std::uint32_t transfer, Cycle now);
    Cycle scalar_load(std::span<const std::uint64_t> lines, std::uint64_t salt, Cycle now);
    /// When the instructions of a line are there for a wave that comes to it at `now`, straight on.
    Cycle instructions(std::uint32_t line, std::uint32_t program_lines, Cycle now);

    void invalidate(unsigned cu, bool gl1);

private:
    enum class Level { l2, llc, memory };
    struct Reached {
        Cycle served = 0;   // by the buses
        Cycle arrived = 0;  // back at the WGP
    };
    enum class Direction { read, write };
    Reached beyond(std::uint64_t line, Direction direction, Cycle now);
    Level level_of_first(std::uint64_t line) const;
    std::uint64_t memory_cost(Direction direction);
    double fetched(std::uint64_t line) const;

    const Chip& chip_;
    const MemoryFacts& facts_;
    LineCache l0_[2], gl1_, scalar_;
    Server address_[2], fill_[2], l2_, llc_, memory_;
    std::uint64_t fill_cost_ = 0, l2_cost_ = 0, llc_cost_ = 0, memory_cost_ = 0;
    Cycle l2_latency_ = 0, llc_latency_ = 0, memory_latency_ = 0;

    // When each line was last asked of the L2, as a count of lines asked for until then.
    struct Touched {
        std::uint64_t line = 0;
        std::uint32_t count = 0;  // 0: an empty place
    };
    Touched& touched(std::uint64_t line);
    Level level_of_next(std::uint64_t line, std::uint32_t last) const;
    void grow();
    std::vector<Touched> touched_;
    std::size_t touched_used_ = 0;
    std::uint32_t asked_ = 0;
    double moved_[2] = {};  // lines that the memory bus moved of late, by direction

    std::vector<Cycle> instruction_arrival_;    // by line; 0: not there
    std::deque<std::uint32_t> instruction_order_;  // lines that are there, in the order they came
};

}  // namespace hipemu
