#include "emulator/timing/memory.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <unordered_set>

namespace hipemu {
namespace {

/// The finaliser of SplitMix64: spreads line numbers over the sets of tables and decides for a part of them.
std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/// True for about that part of all values.
bool falls_into(std::uint64_t hash, double part) { return static_cast<double>(hash >> 11) * 0x1p-53 < part; }

std::uint64_t cost_of_line(double bytes_per_cycle) {
    if (bytes_per_cycle <= 0) return 0;
    return static_cast<std::uint64_t>(std::max(1.0, std::round(kLineBytes / bytes_per_cycle * static_cast<double>(Server::kUnit))));
}

/// WGPs fill the arrays evenly; those of one array share its cache.
std::uint64_t gl1_share(const Chip& chip, std::uint32_t active_wgps) {
    const std::uint32_t wgps = std::max(chip.compute_units / 2, 1u), of_array = std::clamp(chip.wgps_per_array, 1u, wgps);
    const std::uint32_t arrays = std::max(wgps / of_array, 1u);
    return chip.gl1_bytes / std::clamp((active_wgps + arrays - 1) / arrays, 1u, of_array);
}

/// Lines of the memory bus behind which the directions of half of them are forgotten.
constexpr double kRecentLines = 256;

Cycle cycles_of(double nanoseconds, const Chip& chip) { return static_cast<Cycle>(std::lround(nanoseconds * chip.clock_ghz)); }

}  // namespace

MemoryFacts memory_facts(const Chip& chip, std::span<const GroupTrace* const> groups, std::uint64_t total_groups, std::uint32_t resident,
                         std::span<const std::pair<std::uint64_t, std::uint64_t>> spans) {
    MemoryFacts facts;
    const std::uint64_t wgps = std::max(chip.compute_units / 2, 1u);
    facts.active_wgps = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(total_groups, 1, wgps));
    for (const auto& [low, high] : spans)
        if (high > low) facts.ranges.push_back({.first = low / kLineBytes, .end = (high + kLineBytes - 1) / kLineBytes});
    std::sort(facts.ranges.begin(), facts.ranges.end(), [](const SharedRange& a, const SharedRange& b) { return a.first < b.first; });

    // Lines that a group touches, each once, by range.
    std::vector<std::uint64_t> touched(facts.ranges.size());
    std::unordered_set<std::uint64_t> seen;
    for (const GroupTrace* group : groups) {
        seen.clear();
        for (const WaveTrace& wave : group->waves) {
            for (const std::uint64_t line : wave.lines) {
                if (line & kScratchLine || !seen.insert(line).second) continue;
                const auto behind = std::upper_bound(facts.ranges.begin(), facts.ranges.end(), line,
                                                     [](std::uint64_t at, const SharedRange& range) { return at < range.first; });
                if (behind != facts.ranges.begin()) ++touched[static_cast<std::size_t>(behind - facts.ranges.begin()) - 1];
            }
        }
    }
    const double scale = groups.empty() ? 0 : static_cast<double>(total_groups) / static_cast<double>(groups.size());
    double distinct = 0, all = 0, of_one = 0;
    for (std::size_t i = 0; i < facts.ranges.size(); ++i) {
        SharedRange& range = facts.ranges[i];
        const auto lines = static_cast<double>(range.end - range.first);
        const double wanted = static_cast<double>(touched[i]) * scale;
        range.fetched = wanted > 0 ? std::min(1.0, lines / wanted) : 1;
        distinct += std::min(lines, wanted);
        all += wanted;
        of_one += groups.empty() ? 0 : static_cast<double>(touched[i]) / static_cast<double>(groups.size());
    }
    facts.fetched = all > 0 ? std::min(1.0, distinct / all) : 1;
    const double together = std::min(1.0, static_cast<double>(std::max(resident, 1u)) * static_cast<double>(facts.active_wgps) /
                                              static_cast<double>(std::max<std::uint64_t>(total_groups, 1)));
    facts.window_bytes = std::max(distinct * together, of_one) * kLineBytes * chip.sharing_window;
    return facts;
}

double kept_part(double distance, double bytes) {
    if (distance <= bytes) return 1;
    // Where each miss displaces a random line, one survives n misses with probability exp(-n / lines), and n is the part of the distance that
    // was not kept. By bytes / distance.
    constexpr std::size_t kSteps = 64;
    static const auto table = [] {
        std::array<double, kSteps + 1> kept{};
        for (std::size_t i = 1; i < kSteps; ++i) {
            const double ratio = static_cast<double>(kSteps) / static_cast<double>(i);
            double part = 0;
            for (int round = 0; round < 1000; ++round) part = std::exp(-(1 - part) * ratio);
            kept[i] = part;
        }
        kept[kSteps] = 1;
        return kept;
    }();
    const double at = bytes / distance * kSteps;
    const auto below = static_cast<std::size_t>(at);
    return table[below] + (table[below + 1] - table[below]) * (at - static_cast<double>(below));
}

LineCache::LineCache(std::uint64_t bytes, unsigned ways) : ways_(ways) {
    sets_ = std::bit_floor(std::max<std::uint64_t>(bytes / kLineBytes / ways, 1));
    ways_ = static_cast<unsigned>(std::max<std::uint64_t>(bytes / kLineBytes / sets_, 1));
    entries_.resize(sets_ * ways_);
}

LineCache::Entry* LineCache::set_of(std::uint64_t line) { return &entries_[(line & (sets_ - 1)) * ways_]; }

const Cycle* LineCache::find(std::uint64_t line) {
    Entry* const set = set_of(line);
    for (unsigned i = 0; i < ways_; ++i) {
        if (set[i].line != line || set[i].generation != generation_) continue;
        set[i].used = ++clock_;
        return &set[i].arrival;
    }
    return nullptr;
}

void LineCache::insert(std::uint64_t line, Cycle arrival) {
    Entry* const set = set_of(line);
    Entry* victim = set;
    for (unsigned i = 0; i < ways_; ++i) {
        if (set[i].generation != generation_) {
            victim = &set[i];
            break;
        }
        if (set[i].used < victim->used) victim = &set[i];
    }
    *victim = {.line = line, .generation = generation_, .used = ++clock_, .arrival = arrival};
}

WgpMemory::WgpMemory(const Chip& chip, const MemoryFacts& facts)
    : chip_(chip), facts_(facts), l0_{{chip.l0_bytes, 4}, {chip.l0_bytes, 4}},
      gl1_(gl1_share(chip, facts.active_wgps), 16), scalar_(chip.scalar_cache_bytes, 4),
      touched_(1 << 12) {
    const double clock = chip.clock_ghz, active = facts.active_wgps;
    fill_cost_ = cost_of_line(chip.l0_fill_bytes_per_cycle);
    l2_cost_ = cost_of_line(chip.l2_bytes_per_cycle / active);
    llc_cost_ = cost_of_line(chip.llc_gbs / clock / active);
    memory_cost_ = cost_of_line(chip.memory_gbs / clock / active);
    l2_latency_ = cycles_of(chip.l2_latency_ns, chip);
    llc_latency_ = cycles_of(chip.llc_latency_ns, chip);
    memory_latency_ = cycles_of(chip.memory_latency_ns, chip);
}

double WgpMemory::fetched(std::uint64_t line) const {
    const auto behind = std::upper_bound(facts_.ranges.begin(), facts_.ranges.end(), line,
                                         [](std::uint64_t at, const SharedRange& range) { return at < range.first; });
    return behind != facts_.ranges.begin() ? (behind - 1)->fetched : facts_.fetched;
}

WgpMemory::Level WgpMemory::level_of_first(std::uint64_t line) const {
    if (line & kScratchLine) return Level::l2;  // private memory is written before it is read
    const std::uint64_t hash = mixed(line);
    if (falls_into(hash, fetched(line & ((1ull << 48) - 1)))) return Level::memory;
    const double fits = facts_.window_bytes > 0 ? chip_.l2_bytes / facts_.window_bytes : 1;
    if (falls_into(mixed(hash + 1), fits)) return Level::l2;
    return chip_.llc_bytes >= facts_.window_bytes ? Level::llc : Level::memory;
}

WgpMemory::Touched& WgpMemory::touched(std::uint64_t line) {
    const std::size_t mask = touched_.size() - 1;
    for (std::size_t at = mixed(line) & mask;; at = (at + 1) & mask) {
        if (touched_[at].count == 0 || touched_[at].line == line) return touched_[at];
    }
}

void WgpMemory::grow() {
    std::vector<Touched> old(touched_.size() * 2);
    old.swap(touched_);
    for (const Touched& one : old)
        if (one.count != 0) touched(one.line) = one;
}

/// Of a line that was asked for before, as the `last` of all requests.
WgpMemory::Level WgpMemory::level_of_next(std::uint64_t line, std::uint32_t last) const {
    const bool scratch = (line & kScratchLine) != 0;
    // What all WGPs have asked for since, where that is not the same.
    const double since = static_cast<double>(asked_ - last) * kLineBytes * facts_.active_wgps * (scratch ? 1.0 : facts_.fetched);
    if (since <= chip_.l2_bytes) return Level::l2;
    const std::uint64_t hash = mixed(line ^ std::uint64_t{asked_} << 32);
    if (falls_into(hash, kept_part(since, chip_.l2_bytes))) return Level::l2;
    if (chip_.llc_bytes > 0 && falls_into(mixed(hash + 1), kept_part(since, chip_.llc_bytes))) return Level::llc;
    return !scratch && !falls_into(mixed(hash + 2), facts_.fetched) ? Level::l2 : Level::memory;
}

/// A bus that turns around loses time: the more, the more evenly its directions are mixed.
std::uint64_t WgpMemory::memory_cost(Direction direction) {
    double& reads = moved_[0];
    double& writes = moved_[1];
    (direction == Direction::read ? reads : writes) += 1;
    const double all = reads + writes;
    const double mixture = 4 * reads * writes / (all * all);
    if (all > kRecentLines) {
        reads /= 2;
        writes /= 2;
    }
    return memory_cost_ + static_cast<std::uint64_t>(static_cast<double>(memory_cost_) * chip_.memory_turnaround * mixture);
}

/// A request that missed L0 and GL1.
WgpMemory::Reached WgpMemory::beyond(std::uint64_t line, Direction direction, Cycle now) {
    if (touched_used_ * 2 >= touched_.size()) grow();
    Touched& place = touched(line);
    ++asked_;
    Level level;
    if (place.count == 0) {
        level = level_of_first(line);
        place.line = line;
        ++touched_used_;
    } else {
        level = level_of_next(line, place.count);
    }
    place.count = asked_;
    Reached reached;
    const auto through = [&](Server& server, std::uint64_t cost, Cycle latency) {
        // A bus that is free costs no time of its own: it is part of the latency.
        const Cycle served = server.serve(now, cost) - static_cast<Cycle>(cost / Server::kUnit);
        reached.served = std::max(reached.served, served);
        reached.arrived = std::max(reached.arrived, served + latency);
    };
    through(l2_, l2_cost_, l2_latency_);
    if (level == Level::llc) through(llc_, llc_cost_, llc_latency_);
    if (level == Level::memory) through(memory_, memory_cost(direction), memory_latency_);
    return reached;
}

Cycle WgpMemory::load(unsigned cu, std::span<const std::uint64_t> lines, std::uint64_t salt, std::uint32_t transfer, Cycle now) {
    const auto line_cost = static_cast<std::uint64_t>(chip_.l0_line_cycles * static_cast<double>(Server::kUnit));
    const auto hit = static_cast<Cycle>(chip_.l0_latency), gl1_hit = static_cast<Cycle>(chip_.gl1_latency);
    const std::uint64_t cost = std::max(lines.size() * line_cost, std::uint64_t{transfer} * Server::kUnit);
    // The first data come when the first lines were looked up, the last when all have been moved.
    const Cycle served = address_[cu].serve(now, cost);
    const Cycle start = served - static_cast<Cycle>((cost + Server::kUnit - 1) / Server::kUnit) + 1;
    Cycle done = std::max(served, start) + hit - 1;
    Cycle at = start;
    for (const std::uint64_t plain : lines) {
        const std::uint64_t line = plain ^ salt;
        if (const Cycle* arrival = l0_[cu].find(line)) {
            done = std::max(done, *arrival);
        } else {
            Cycle arrived;
            const Cycle request = fill_[cu].serve(at, fill_cost_);
            if (const Cycle* in_gl1 = gl1_.find(line)) {
                arrived = std::max(*in_gl1, request - 1 + gl1_hit);
            } else {
                arrived = beyond(line, Direction::read, request - 1).arrived;
                gl1_.insert(line, arrived);
            }
            l0_[cu].insert(line, arrived);
            done = std::max(done, arrived);
        }
        ++at;
    }
    return done;
}

Cycle WgpMemory::atomic(unsigned cu, std::span<const std::uint64_t> lines, std::uint64_t salt, Cycle now) {
    Cycle done = now;
    for (const std::uint64_t line : lines) done = std::max(done, beyond(line ^ salt, Direction::read, address_[cu].serve(now, Server::kUnit)).arrived);
    return done;
}

Cycle WgpMemory::store(unsigned cu, std::span<const std::uint64_t> lines, std::uint64_t salt, std::uint32_t transfer, Cycle now) {
    const auto latency = static_cast<Cycle>(chip_.store_latency);
    const Cycle start = address_[cu].serve(now, std::max<std::uint64_t>(lines.size(), transfer) * Server::kUnit);
    Cycle done = start + latency;
    for (const std::uint64_t line : lines) done = std::max(done, beyond(line ^ salt, Direction::write, start).served + latency);
    return done;
}

Cycle WgpMemory::scalar_load(std::span<const std::uint64_t> lines, std::uint64_t salt, Cycle now) {
    Cycle done = now + static_cast<Cycle>(chip_.scalar_latency);
    for (const std::uint64_t plain : lines) {
        const std::uint64_t line = plain ^ salt;
        if (const Cycle* arrival = scalar_.find(line)) {
            done = std::max(done, *arrival);
        } else {
            const Cycle arrived = beyond(line, Direction::read, now).arrived;
            scalar_.insert(line, arrived);
            done = std::max(done, arrived);
        }
    }
    return done;
}

Cycle WgpMemory::instructions(std::uint32_t line, std::uint32_t program_lines, Cycle now) {
    if (instruction_arrival_.size() < program_lines) instruction_arrival_.resize(program_lines);
    const std::size_t fits = std::max(chip_.instruction_cache_bytes / std::max(chip_.instruction_line_bytes, 1u), 1u);
    const auto fetch = [&](std::uint32_t wanted) {
        if (wanted >= program_lines || instruction_arrival_[wanted] != 0) return;
        if (instruction_order_.size() >= fits) {
            instruction_arrival_[instruction_order_.front()] = 0;
            instruction_order_.pop_front();
        }
        instruction_order_.push_back(wanted);
        instruction_arrival_[wanted] = now + l2_latency_;
    };
    fetch(line);
    const Cycle arrival = instruction_arrival_[line];
    for (std::uint32_t ahead = 1; ahead <= chip_.instruction_prefetch_lines; ++ahead) fetch(line + ahead);
    return std::max(now, arrival);
}

void WgpMemory::invalidate(unsigned cu, bool gl1) {
    l0_[cu].invalidate();
    if (gl1) gl1_.invalidate();
}

}  // namespace hipemu
