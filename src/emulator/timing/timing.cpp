#include "emulator/timing/timing.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <new>
#include <system_error>
#include <thread>

#include "emulator/timing/chip.hpp"

namespace hipemu {
namespace {

/// WGPs simulated, each with work-groups of its own. A fixed number, so that the result does not depend on the host.
constexpr std::size_t kRuns = 2;
/// Times that the places of a simulated WGP are filled where the launch fills those of the card more than once.
constexpr std::uint64_t kRounds = 2;
/// Instructions that one simulation replays at most. Where one filling of the places takes more, nothing else is simulated: start and end of
/// such work-groups matter little.
constexpr std::uint64_t kMostReplayed = 8'000'000;

std::uint64_t round_up(std::uint64_t value, std::uint64_t granule) { return (value + granule - 1) / granule * granule; }

std::uint32_t wgps_of(const Chip& chip) { return std::max(chip.compute_units / 2, 1u); }

/// Work-groups that a WGP has at a time in this launch.
std::uint32_t resident_groups(const Chip& chip, const Footprint& footprint, std::uint64_t total_groups) {
    const std::uint64_t fit = std::max(occupancy_of(chip, footprint).groups_per_wgp, 1u);
    const std::uint64_t each = (total_groups + wgps_of(chip) - 1) / wgps_of(chip);
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(each, 1, fit));
}

struct TraceSize {
    std::uint64_t work = 0, instructions = 0;
};
TraceSize size_of(const GroupTrace& trace, const TimedProgram& program) {
    TraceSize size;
    for (const WaveTrace& wave : trace.waves) {
        for (const Stretch& stretch : wave.path) {
            size.work += program.work_before[stretch.end] - program.work_before[stretch.first];
            size.instructions += stretch.end - stretch.first;
        }
    }
    return size;
}

/// Runs tasks 0 .. count - 1 on so many threads; a thread fewer is no failure.
template <class Task>
void run_tasks(std::size_t count, unsigned threads, const Task& task) {
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i = next++; i < count; i = next++) task(i);
    };
    std::vector<std::thread> others;
    try {
        for (std::size_t i = 1; i < std::min<std::size_t>(count, threads); ++i) others.emplace_back(work);
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
    work();
    for (std::thread& one : others) one.join();
}

/// Work of every group of the grid, from that of those that ran: between two of them it is taken to change evenly.
class WorkByGroup {
public:
    explicit WorkByGroup(std::span<const GroupWork> known) : known_(known) {}

    /// To be asked in ascending order.
    double operator()(std::uint64_t group) {
        if (known_.empty()) return 1;
        while (at_ + 1 < known_.size() && known_[at_ + 1].index <= group) ++at_;
        const GroupWork& here = known_[at_];
        if (group <= here.index || at_ + 1 == known_.size()) return static_cast<double>(here.work);
        const GroupWork& next = known_[at_ + 1];
        const double part = static_cast<double>(group - here.index) / static_cast<double>(next.index - here.index);
        return static_cast<double>(here.work) * (1 - part) + static_cast<double>(next.work) * part;
    }

private:
    std::span<const GroupWork> known_;
    std::size_t at_ = 0;
};

/// Work-groups whose work differs by no more than this advance in step.
constexpr double kAlike = 1.25;

/// The simulations of one launch: WGPs with all places taken, the same with as many groups again behind them where the launch has more than
/// fit the card, and one work-group alone. Groups that are alike advance in step: there the difference of the first two is a WGP in steady
/// state, without start and end. Where they are not, the second tells by itself how fast it was while all places were taken.
struct Simulations {
    std::vector<WgpInput> inputs;
    std::size_t full = 0;     // so many fill all places
    bool continued = false;   // each place twice
    bool alike = false;       // and as many before them, each place once
    std::size_t first = 0;    // of those that tell most

    Simulations(const TimingInput& input, const MemoryFacts& facts, std::uint32_t resident) {
        const std::size_t count = input.traces.size();
        std::vector<TraceSize> sizes;
        std::uint64_t instructions = 0;
        for (const GroupTrace& trace : input.traces) {
            sizes.push_back(size_of(trace, *input.program));
            instructions += sizes.back().instructions;
        }
        const std::uint64_t average = std::max<std::uint64_t>(instructions / count, 1);
        continued = input.total_groups > std::uint64_t{resident} * wgps_of(*input.chip) && kRounds * resident * average <= kMostReplayed;
        const auto group_of = [&](std::size_t nth) {
            // Where there are fewer traces than places, one stands for several groups, with memory of its own for each.
            const std::uint64_t copy = nth / count;
            return TimedGroup{.trace = &input.traces[nth % count], .salt = copy << 44, .work = static_cast<double>(sizes[nth % count].work)};
        };
        full = std::uint64_t{resident} * average > kMostReplayed ? 1 : std::clamp<std::size_t>(count / resident, 1, kRuns);
        const auto [least, most] =
            std::minmax_element(sizes.begin(), sizes.end(), [](const TraceSize& a, const TraceSize& b) { return a.work < b.work; });
        alike = static_cast<double>(most->work) <= kAlike * static_cast<double>(least->work);
        const auto fill = [&](std::uint64_t rounds) {
            for (std::size_t run = 0; run < full; ++run) {
                WgpInput& one = inputs.emplace_back(input_of(input, facts, resident));
                for (std::uint64_t i = 0; i < rounds * resident; ++i) one.groups.push_back(group_of(i * full + run));
            }
        };
        if (alike || !continued) fill(1);
        if (continued) {
            first = inputs.size();
            fill(kRounds);
        }
        if (resident == 1) return;
        std::vector<std::size_t> by_work(count);
        for (std::size_t i = 0; i < count; ++i) by_work[i] = i;
        std::stable_sort(by_work.begin(), by_work.end(), [&](std::size_t a, std::size_t b) { return sizes[a].work < sizes[b].work; });
        inputs.emplace_back(input_of(input, facts, 1)).groups.push_back(group_of(by_work[count / 2]));
    }

private:
    static WgpInput input_of(const TimingInput& input, const MemoryFacts& facts, std::uint32_t resident) {
        return {.program = input.program,
                .chip = input.chip,
                .facts = &facts,
                .groups = {},
                .resident = resident,
                .wgp_mode = input.footprint.wgp_mode};
    }
};

}  // namespace

Occupancy occupancy_of(const Chip& chip, const Footprint& footprint) {
    const std::uint64_t vgprs = round_up(std::max(footprint.vgprs, 1u), std::max(chip.vgpr_granule, 1u));
    const std::uint64_t by_vgprs = chip.vgprs_per_simd / vgprs;
    Occupancy result;
    result.limit = by_vgprs < chip.max_waves_per_simd ? "registers" : "wave slots";
    const std::uint64_t waves = std::min<std::uint64_t>(chip.max_waves_per_simd, by_vgprs);
    // Work-groups of a WGP, or of a CU (half a WGP) in CU mode.
    const std::uint64_t halves = footprint.wgp_mode ? 1 : 2;
    const std::uint64_t simds = kWgpSimds / halves;
    const std::uint64_t group_waves = std::max(footprint.waves, 1u);
    std::uint64_t groups = waves * simds / group_waves;
    if (footprint.lds_bytes > 0) {
        const std::uint64_t by_lds = chip.lds_per_wgp / halves / round_up(footprint.lds_bytes, std::max(chip.lds_granule, 1u));
        if (by_lds < groups) {
            groups = by_lds;
            result.limit = "lds";
        }
    }
    // A work-group of several waves takes a barrier; one wave alone needs none.
    if (group_waves > 1 && groups > chip.max_groups_per_wgp / halves) {
        groups = chip.max_groups_per_wgp / halves;
        result.limit = "group slots";
    }
    result.groups_per_wgp = static_cast<std::uint32_t>(groups * halves);
    result.waves_per_simd = static_cast<std::uint32_t>((groups * group_waves + simds - 1) / simds);
    return result;
}

std::uint32_t occupancy(const Chip& chip, const Footprint& footprint) { return occupancy_of(chip, footprint).waves_per_simd; }

std::vector<std::uint64_t> groups_to_time(const Chip& chip, const Footprint& footprint, std::uint64_t total_groups, std::uint64_t sample) {
    const std::uint64_t resident = resident_groups(chip, footprint, total_groups);
    const bool several_rounds = total_groups > resident * wgps_of(chip);
    const std::uint64_t wanted = sample != 0 ? sample : kRuns * resident * (several_rounds ? kRounds : 1);
    const std::uint64_t count = std::min(total_groups, wanted);
    std::vector<std::uint64_t> chosen;
    for (std::uint64_t i = 0; i < count; ++i) {
        // One of each of `count` equal parts, at places that no period of the grid falls in step with; the first and the last among them,
        // or the middle where it is only one.
        constexpr double kGolden = 0.6180339887498949;
        const double within = count == 1 ? 0.5 : i == 0 ? 0 : i + 1 == count ? 1 : std::fmod(static_cast<double>(i) * kGolden, 1.0);
        const std::uint64_t first = i * total_groups / count, end = (i + 1) * total_groups / count;
        chosen.push_back(std::min(first + static_cast<std::uint64_t>(within * static_cast<double>(end - first)), end - 1));
    }
    return chosen;
}

KernelTime model_time(const TimingInput& input) {
    const Chip& chip = *input.chip;
    KernelTime time;
    time.occupancy = occupancy_of(chip, input.footprint);
    time.groups_timed = input.traces.size();
    if (input.traces.empty() || input.total_groups == 0) return time;

    const std::uint32_t resident = resident_groups(chip, input.footprint, input.total_groups);
    std::vector<const GroupTrace*> traces;
    for (const GroupTrace& trace : input.traces) traces.push_back(&trace);
    const MemoryFacts facts = memory_facts(chip, traces, input.total_groups, resident, input.spans);
    const Simulations simulations(input, facts, resident);
    std::vector<WgpResult> results(simulations.inputs.size());
    run_tasks(results.size(), std::max(input.host_threads, 1u), [&](std::size_t i) { results[i] = simulate_wgp(simulations.inputs[i]); });

    const auto work_in = [&](std::size_t i) {
        double work = 0;
        for (const TimedGroup& group : simulations.inputs[i].groups) work += group.work;
        return std::max(work, 1.0);
    };
    Progress before, until;  // the start of the launch, which is no part of the steady state, and both together
    for (std::size_t i = 0; i < simulations.full; ++i) {
        const WgpResult& result = results[simulations.first + i];
        const bool ends = simulations.alike || !simulations.continued || result.steady_to.work <= 0;
        until.cycles += ends ? result.cycles : result.steady_to.cycles;
        until.work += ends ? work_in(simulations.first + i) : result.steady_to.work;
        if (!simulations.continued) continue;
        before.cycles += simulations.alike ? results[i].cycles : result.steady_from.cycles;
        before.work += simulations.alike ? work_in(i) : result.steady_from.work;
    }
    WgpSpeed speed{.alone = 0, .throughput = until.cycles / std::max(until.work, 1.0)};
    double start = 0;  // and end
    if (until.cycles > before.cycles && until.work > before.work && before.work > 0) {
        speed.throughput = (until.cycles - before.cycles) / (until.work - before.work);
        start = std::max(before.cycles - speed.throughput * before.work, 0.0) / static_cast<double>(simulations.full);
    }
    // What the cycles went into.
    double busy = 0, all_work = 0;
    time.instructions.resize(input.program->code.size());
    WhereCycles where{};
    for (std::size_t i = simulations.first; i < simulations.first + simulations.full; ++i) {
        const WgpResult& result = results[i];
        all_work += work_in(i);
        time.groups_simulated += simulations.inputs[i].groups.size();
        for (std::size_t w = 0; w < where.size(); ++w) {
            where[w] += result.where[w];
            if (w != static_cast<std::size_t>(Where::idle)) busy += result.where[w];
        }
        for (std::size_t at = 0; at < result.instructions.size(); ++at) {
            time.instructions[at].issue_cycles += result.instructions[at].issue_cycles;
            time.instructions[at].stall_cycles += result.instructions[at].stall_cycles;
        }
    }
    if (results.size() > simulations.first + simulations.full) {
        const WgpInput& alone = simulations.inputs.back();
        speed.alone = results.back().cycles / std::max(alone.groups.front().work, 1.0);
    }
    WorkByGroup work_by_group(input.work);
    const auto work_of = [&](std::uint64_t group) { return work_by_group(group); };
    const Placement placement = place_groups(input.total_groups, work_of, wgps_of(chip), resident, speed);

    time.cycles = placement.cycles + start;
    time.seconds = time.cycles / (chip.clock_ghz * 1e9);
    // What the simulated groups spent, for all groups of the launch; the rest of the chip's cycles is idle.
    const double simd_cycles = time.cycles * wgps_of(chip) * kWgpSimds;
    double scale = placement.total_work / std::max(all_work, 1.0);
    if (busy * scale > simd_cycles) scale = simd_cycles / busy;
    double rest = 1;
    std::size_t most = static_cast<std::size_t>(Where::idle);
    for (std::size_t w = 0; w < where.size(); ++w) {
        if (w == static_cast<std::size_t>(Where::idle)) continue;
        time.where[w] = where[w] * scale / simd_cycles;
        rest -= time.where[w];
    }
    time.where[most] = std::max(rest, 0.0);
    for (std::size_t w = 0; w < where.size(); ++w)
        if (w != static_cast<std::size_t>(Where::idle) && (time.where[w] > time.where[most] || most == static_cast<std::size_t>(Where::idle))) most = w;
    time.limiter = name_of(static_cast<Where>(most));
    time.matrix_share = time.where[static_cast<std::size_t>(Where::matrix)];
    return time;
}

}  // namespace hipemu
