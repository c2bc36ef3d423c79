#include "emulator/checks/wave_races.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

#include <fmt/format.h>

#include "emulator/isa/program.hpp"

namespace hipemu {
namespace {

/// Touches between two barriers that are kept; behind them nothing is found.
constexpr std::size_t kMostTouches = 1 << 16;

bool is_atomic(WaveRaces::Kind kind) { return kind == WaveRaces::Kind::atomic || kind == WaveRaces::Kind::swap; }

}  // namespace

void WaveRaces::start(const Workgroup& group) {
    several_waves_ = group.waves.size() > 1;
    writes_ = false;
    touches_.clear();
    acquired_.assign(group.waves.size(), false);
    first_not_done_.assign(group.waves.size(), 0);
    changes_ = true;
    memory_ = group.memory;
}

void WaveRaces::before_store(const Wave& wave, const Access& access) {
    known_before_ = 0;
    const bool global = access.shape->space == AccessSpace::global || access.shape->space == AccessSpace::flat;
    if (!several_waves_ || !global || access.shape->bytes > sizeof(before_[0])) return;
    const Allocation* allocation = wave.last_allocation;
    for (std::uint32_t left = access.lanes; left != 0; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        std::uint64_t address = 0;
        if (access.space_of(lane, address) != AccessSpace::global) return;
        const bool same = allocation != nullptr && address >= allocation->base && address - allocation->base + access.shape->bytes <= allocation->size;
        if (!same) allocation = memory_->find(address, access.shape->bytes);
        if (allocation == nullptr) return;
        std::memcpy(before_[static_cast<std::size_t>(lane)].data(), allocation->host + (address - allocation->base), access.shape->bytes);
    }
    known_before_ = access.lanes;
}

void WaveRaces::after_store(const Access& access) {
    changes_ = true;
    if (known_before_ != access.lanes || known_before_ == 0) return;
    const Allocation* allocation = nullptr;
    for (std::uint32_t left = access.lanes; left != 0; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const std::uint64_t address = access.address[lane];
        if (allocation == nullptr || address - allocation->base >= allocation->size) allocation = memory_->find(address, 1);
        if (allocation == nullptr) return;
        const std::byte* const now = allocation->host + (address - allocation->base);
        if (std::memcmp(before_[static_cast<std::size_t>(lane)].data(), now, access.shape->bytes) != 0) return;
    }
    changes_ = false;
}

void WaveRaces::touch(std::uint64_t low, std::uint64_t high, std::uint32_t wave, std::size_t code, Kind kind) {
    if (!several_waves_ || touches_.size() >= kMostTouches) return;
    writes_ |= kind != Kind::read;
    const bool changes = is_atomic(kind) || (kind == Kind::write && changes_);
    if (!touches_.empty()) {  // rows of a tile
        Touch& last = touches_.back();
        if (last.code == code && last.wave == wave && last.high == low && last.changes == changes) {
            last.high = high;
            return;
        }
    }
    touches_.push_back({.low = low,
                        .high = high,
                        .code = static_cast<std::uint32_t>(code),
                        .order = static_cast<std::uint32_t>(touches_.size()),
                        .wave = static_cast<std::uint16_t>(wave),
                        .kind = kind,
                        .acquired = acquired_[wave],
                        .changes = changes,
                        .done = kind != Kind::write || !waits_for_stores_});
}

void WaveRaces::wait_for_stores(std::uint32_t wave) {
    if (!several_waves_) return;
    for (std::size_t i = first_not_done_[wave]; i < touches_.size(); ++i) {
        if (touches_[i].wave == wave) touches_[i].done = true;
    }
    first_not_done_[wave] = touches_.size();
}

void WaveRaces::acquire(std::uint32_t wave) {
    if (several_waves_) acquired_[wave] = true;
}

bool WaveRaces::conflict(const Touch& a, const Touch& b) {
    if (a.wave == b.wave || a.acquired || b.acquired) return false;
    if (a.kind == Kind::read && b.kind == Kind::read) return false;
    if (is_atomic(a.kind) && is_atomic(b.kind)) return false;
    if (a.kind == Kind::read || b.kind == Kind::read) {
        const Touch& other = a.kind == Kind::read ? b : a;
        return other.kind != Kind::swap && other.changes;
    }
    return (a.order < b.order ? b : a).changes;
}

/// False where no wave touches anything between the first and the last byte that another has written.
bool WaveRaces::may_conflict() const {
    struct Extent {
        std::uint64_t low = ~std::uint64_t{0}, high = 0;
    };
    std::vector<Extent> written(acquired_.size());
    for (const Touch& touch : touches_) {
        if (touch.kind == Kind::read) continue;
        Extent& own = written[touch.wave];
        own = {.low = std::min(own.low, touch.low), .high = std::max(own.high, touch.high)};
    }
    return std::any_of(touches_.begin(), touches_.end(), [&](const Touch& touch) {
        for (std::size_t wave = 0; wave < written.size(); ++wave) {
            if (wave != touch.wave && touch.low < written[wave].high && written[wave].low < touch.high) return true;
        }
        return false;
    });
}

bool WaveRaces::barrier(Workgroup& group) {
    if (!several_waves_) return true;
    if (writes_ && may_conflict()) {
        std::vector<Touch> sorted = touches_;
        std::sort(sorted.begin(), sorted.end(), [](const Touch& a, const Touch& b) { return std::tuple(a.low, a.order) < std::tuple(b.low, b.order); });
        std::vector<const Touch*> active;
        for (const Touch& touch : sorted) {
            std::erase_if(active, [&](const Touch* one) { return one->high <= touch.low; });
            for (const Touch* one : active) {
                if (!conflict(*one, touch)) continue;
                report(group, *one, touch);
                return false;
            }
            active.push_back(&touch);
        }
    }
    // The barrier does not order stores that are still on their way.
    std::erase_if(touches_, [&](const Touch& touch) { return touch.done || group.waves[touch.wave]->state != WaveState::at_barrier; });
    writes_ = !touches_.empty();
    for (std::size_t i = 0; i < touches_.size(); ++i) {
        touches_[i].acquired = false;
        touches_[i].order = static_cast<std::uint32_t>(i);
    }
    std::fill(acquired_.begin(), acquired_.end(), false);
    std::fill(first_not_done_.begin(), first_not_done_.end(), 0);
    return true;
}

void WaveRaces::report(Workgroup& group, const Touch& a, const Touch& b) const {
    const auto verb = [](const Touch& touch) {
        return touch.kind == Kind::read ? "reads" : touch.kind == Kind::write ? "writes" : "changes atomically";
    };
    const Touch& later = a.order < b.order ? b : a;
    const Touch& earlier = a.order < b.order ? a : b;
    Wave& wave = *group.waves[later.wave];
    const std::uint64_t address = std::max(a.low, b.low), bytes = std::min(a.high, b.high) - address;
    const Program& program = *wave.program;
    wave.current = &program.code[later.code];
    wave.fault.reset();
    wave.stop_with_fault(FaultKind::global_race,
                         fmt::format("{} {} byte{} at {:#x}, {}, which wave {} of the group {} with `{}` at +{:#x}: no barrier{} and no atomic "
                                     "hand-over orders the two",
                                     verb(later), bytes, bytes == 1 ? "" : "s", address, group.memory->describe(address), earlier.wave,
                                     verb(earlier), program.text[earlier.code], program.code[earlier.code].address,
                                     earlier.kind == Kind::write && !earlier.done ? " behind a wait for the store" : ""),
                         -1, address);
}

}  // namespace hipemu
