#include "emulator/timing/chip.hpp"

#include <algorithm>
#include <queue>
#include <vector>

namespace hipemu {
namespace {

/// More are placed several at a time, one behind the other.
constexpr std::uint64_t kMostPlaced = 1 << 18;

/// Work-groups that end within this factor end at the same time.
constexpr double kSameTime = 1 + 1e-9;

/// A WGP whose work-groups all advance at the same speed: one of them ends when the common progress has grown by its work.
struct Processor {
    double now = 0, progress = 0;
    std::vector<double> ends;  // in progress, a heap with the smallest on top

    void advance(double time, const WgpSpeed& speed) {
        if (!ends.empty()) progress += (time - now) / speed.among(static_cast<std::uint32_t>(ends.size()));
        now = time;
    }
    void add(double work) {
        ends.push_back(progress + work);
        std::push_heap(ends.begin(), ends.end(), std::greater<>());
    }
    double next_end(const WgpSpeed& speed) const {
        return now + std::max(ends.front() - progress, 0.0) * speed.among(static_cast<std::uint32_t>(ends.size()));
    }
    void take_finished() {
        progress = std::max(progress, ends.front());
        while (!ends.empty() && ends.front() <= progress * kSameTime) {
            std::pop_heap(ends.begin(), ends.end(), std::greater<>());
            ends.pop_back();
        }
    }
};

}  // namespace

Placement place_groups(std::uint64_t groups, const std::function<double(std::uint64_t)>& work_of, std::uint32_t wgps, std::uint32_t resident,
                       const WgpSpeed& speed) {
    Placement placement;
    const std::uint64_t lump = (groups + kMostPlaced - 1) / kMostPlaced;
    std::uint64_t next = 0;
    const auto take = [&] {
        double work = 0;
        for (std::uint64_t i = 0; i < lump && next < groups; ++i) work += work_of(next++);
        placement.total_work += work;
        return work;
    };

    std::vector<Processor> processors(std::max(wgps, 1u));
    using Event = std::pair<double, std::size_t>;  // when a WGP's next work-group ends
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
    // The next group goes where the fewest are.
    const auto dispatch = [&](std::vector<std::size_t>& open) {
        for (std::uint32_t taken = 0; taken < std::max(resident, 1u) && next < groups; ++taken)
            for (const std::size_t i : open)
                if (processors[i].ends.size() == taken && next < groups) processors[i].add(take());
        for (const std::size_t i : open)
            if (!processors[i].ends.empty()) events.push({processors[i].next_end(speed), i});
    };
    std::vector<std::size_t> open(processors.size());
    for (std::size_t i = 0; i < open.size(); ++i) open[i] = i;
    dispatch(open);
    while (!events.empty()) {
        const double time = events.top().first;
        open.clear();
        while (!events.empty() && events.top().first <= time * kSameTime) {
            open.push_back(events.top().second);
            events.pop();
        }
        std::sort(open.begin(), open.end());
        for (const std::size_t i : open) {
            processors[i].advance(time, speed);
            processors[i].take_finished();
        }
        placement.cycles = std::max(placement.cycles, time);
        dispatch(open);
    }
    return placement;
}

}  // namespace hipemu
