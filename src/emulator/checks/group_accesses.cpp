// What one work-group touches of global memory, as ranges.
#include <algorithm>
#include <string_view>
#include <tuple>

#include "emulator/checks/global_races.hpp"
#include "emulator/checks/wave_races.hpp"
#include "emulator/exec/lane_addresses.hpp"
#include "emulator/isa/program.hpp"

namespace hipemu {
namespace {

constexpr std::size_t kFirstMerge = 256;
constexpr std::size_t kMostEpochs = 4096;

bool is_atomic(GlobalRole role) {
    return is_update(role) || role == GlobalRole::atomic_load;
}

bool is_plain(GlobalRole role) { return role == GlobalRole::write || role == GlobalRole::agreeing_write; }
bool is_store(GlobalRole role) { return is_plain(role) || role == GlobalRole::owner_write; }

std::size_t slot_of(std::uint64_t address) { return static_cast<std::size_t>(address * 0x9e3779b97f4a7c15ull >> 54); }

}  // namespace

GroupAccesses::GroupAccesses(GlobalRaces& races, const Program& program, WaveRaces& waves)
    : races_(races), waves_(waves), stores_(races.stores(), races.memory()), last_(program.code.size()) {}

void GroupAccesses::start() {
    ranges_.clear();
    std::fill(last_.begin(), last_.end(), 0);
    begins_.fill(0);
    ends_.fill(0);
    merge_at_ = kFirstMerge;
    epochs_.assign(1, {});
    first_not_done_ = first_not_released_ = 0;
    epoch_is_used_ = false;
    atomics_at_.clear();
}

void GroupAccesses::note_store(const Wave& wave, std::size_t code, const Access& access) {
    if (different_ == 0) return add(wave, code, access, GlobalRole::agreeing_write);
    Access part = access;
    part.lanes = access.lanes & different_;
    add(wave, code, part, GlobalRole::write);
    part.lanes = access.lanes & ~different_;
    if (part.lanes != 0) add(wave, code, part, GlobalRole::agreeing_write);
}

void GroupAccesses::add(const Wave& wave, std::size_t code, const Access& access, GlobalRole role) {
    if (role == GlobalRole::none) return;
    const unsigned bytes = access.shape->bytes;
    const std::uint64_t first = access.address[0];
    if (access.shape->space == AccessSpace::scalar) return add(first, first + bytes, wave, code, role);
    const bool flat = access.shape->space == AccessSpace::flat;
    const bool whole = access.lanes == ~0u && !flat;
    // Neighbouring lanes are most often neighbours in memory.
    const std::uint32_t starts = whole ? starts_of_runs(access.address, bytes) : access.lanes;
    std::uint64_t low = 0, high = 0;   // of the lanes before
    for (std::uint32_t left = starts; left != 0; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const std::uint64_t address = access.address[lane];
        if (std::uint64_t offset = 0; flat && access.space_of(lane, offset) != AccessSpace::global) continue;
        const std::uint32_t later = left & (left - 1);
        const int next = !whole ? lane + 1 : later != 0 ? __builtin_ctz(later) : kLanes;
        const std::uint64_t end = address + static_cast<std::uint64_t>(next - lane) * bytes;
        if (address >= low && address <= high && high != 0) {
            high = std::max(high, end);
            continue;
        }
        if (high != 0) add(low, high, wave, code, role);
        low = address;
        high = end;
    }
    if (high != 0) add(low, high, wave, code, role);
}

bool GroupAccesses::uses_atomics_at(std::uint64_t low, std::uint64_t high) const {
    for (std::uint64_t word = low / 4; word <= (high - 1) / 4; ++word) {
        if (!atomics_at_.contains(word)) return false;
    }
    return true;
}

void GroupAccesses::add(std::uint64_t low, std::uint64_t high, const Wave& wave, std::size_t code, GlobalRole role) {
    if (role != GlobalRole::atomic_load) {
        const bool swaps = role == GlobalRole::swap || role == GlobalRole::swap_acquire;
        const auto kind = swaps ? WaveRaces::Kind::swap : is_atomic(role) ? WaveRaces::Kind::atomic : is_store(role) ? WaveRaces::Kind::write : WaveRaces::Kind::read;
        waves_.touch(low, high, wave.index, code, kind);
    }
    if (is_atomic(role)) {
        for (std::uint64_t word = low / 4; word <= (high - 1) / 4; ++word) atomics_at_.insert(word);
    } else if (is_plain(role) && !atomics_at_.empty() && uses_atomics_at(low, high)) {
        role = GlobalRole::owner_write;
    }
    if (is_update(role) || is_store(role)) release();
    const auto epoch = static_cast<std::uint32_t>(epochs_.size() - 1);
    const auto joins = [&](std::uint32_t number) { return number != 0 && join(number, low, high, code, role); };
    const std::size_t at_low = slot_of(low);
    if (joins(ends_[at_low]) || joins(last_[code]) || joins(begins_[at_low]) || joins(begins_[slot_of(high)])) return;
    epoch_is_used_ = true;
    if (ranges_.size() >= merge_at_) merge();
    ranges_.push_back({.low = low,
                       .bytes = static_cast<std::uint32_t>(high - low),
                       .code = static_cast<std::uint32_t>(code),
                       .epoch = epoch,
                       .wave = static_cast<std::uint16_t>(wave.index),
                       .role = role});
    last_[code] = static_cast<std::uint32_t>(ranges_.size());
    remember_ends(last_[code]);
}

/// Widens a range by bytes that touch it, if it is of the same kind.
bool GroupAccesses::join(std::uint32_t number, std::uint64_t low, std::uint64_t high, std::size_t code, GlobalRole role) {
    GlobalRange& range = ranges_[number - 1];
    const std::uint64_t end = range.high();
    if (range.epoch != epochs_.size() - 1 || range.role != role || low > end || high < range.low || range.bytes >= 1u << 30) return false;
    last_[code] = number;
    range.several |= range.code != code;
    if (low >= range.low && high <= end) return true;
    range.low = std::min(range.low, low);
    range.bytes = static_cast<std::uint32_t>(std::max(end, high) - range.low);
    if (high > end) absorb(number, begins_[slot_of(high)]);
    if (low == range.low) absorb(number, ends_[slot_of(low)]);
    remember_ends(number);
    return true;
}

/// Makes one of two ranges of a kind where one begins at the other's end. The other number is nobody's from then on.
void GroupAccesses::absorb(std::uint32_t number, std::uint32_t other) {
    if (other == 0 || other == number) return;
    GlobalRange& range = ranges_[number - 1];
    GlobalRange& neighbour = ranges_[other - 1];
    if (neighbour.role != range.role || neighbour.epoch != range.epoch || std::max(range.bytes, neighbour.bytes) >= 1u << 30) return;
    const bool before = neighbour.high() == range.low;
    if (!before && neighbour.low != range.high()) return;
    range.several |= neighbour.several || neighbour.code != range.code;
    if (before) {  // the lower one's name is kept, as merge() does
        range.low = neighbour.low;
        range.code = neighbour.code;
        range.wave = neighbour.wave;
    }
    range.bytes += neighbour.bytes;
    neighbour.role = GlobalRole::none;
}

void GroupAccesses::remember_ends(std::uint32_t number) {
    begins_[slot_of(ranges_[number - 1].low)] = number;
    ends_[slot_of(ranges_[number - 1].high())] = number;
}

/// Sorts the ranges and makes one of those that touch each other.
void GroupAccesses::merge() {
    std::erase_if(ranges_, [](const GlobalRange& range) { return range.role == GlobalRole::none; });
    const auto key = [](const GlobalRange& range) { return std::tuple(range.epoch, range.role, range.low, range.code, range.bytes); };
    std::sort(ranges_.begin(), ranges_.end(), [&](const GlobalRange& a, const GlobalRange& b) { return key(a) < key(b); });
    std::size_t kept = 0;
    for (const GlobalRange& range : ranges_) {
        if (kept > 0) {
            GlobalRange& last = ranges_[kept - 1];
            if (last.epoch == range.epoch && last.role == range.role && range.low <= last.high() && last.bytes < 1u << 30) {
                last.bytes = static_cast<std::uint32_t>(std::max(last.high(), range.high()) - last.low);
                last.several |= range.several || range.code != last.code;
                continue;
            }
        }
        ranges_[kept++] = range;
    }
    ranges_.resize(kept);
    std::fill(last_.begin(), last_.end(), 0);
    begins_.fill(0);
    ends_.fill(0);
    merge_at_ = std::max(kFirstMerge, 2 * kept);
}

void GroupAccesses::begin_epoch(std::uint64_t acquired) {
    // A group of more events than that seems to acquire later and to release earlier than it does: fewer findings, and no false ones.
    if (epoch_is_used_ && epochs_.size() < kMostEpochs) {
        epochs_.push_back({.acquired = acquired});
        epoch_is_used_ = false;
    } else {
        epochs_.back().acquired = acquired;
    }
}

void GroupAccesses::wait_for_stores() {
    const std::size_t last = epochs_.size() - 1;
    if (!races_.has_acquires() || (!epoch_is_used_ && first_not_done_ == last)) return;
    // Taken before anybody can see the store or atomic that tells of it.
    const std::uint64_t now = races_.tick();
    const std::size_t end = epoch_is_used_ ? last + 1 : last;
    for (; first_not_done_ < end; ++first_not_done_) epochs_[first_not_done_].done = std::min(epochs_[first_not_done_].done, now);
    if (!epoch_is_used_) return;
    begin_epoch(epochs_[last].acquired);
    first_not_done_ = epochs_.size() - 1;
}

/// What is done can be known to others from now on.
void GroupAccesses::release() {
    for (std::size_t i = first_not_released_; i < epochs_.size(); ++i) epochs_[i].released = std::min(epochs_[i].released, epochs_[i].done);
    first_not_released_ = first_not_done_;
}

void GroupAccesses::acquire() {
    if (races_.has_acquires()) begin_epoch(races_.tick());
}

}  // namespace hipemu
