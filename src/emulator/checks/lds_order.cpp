// What orders accesses to LDS between two barriers: hand-overs. A wave that releases (by an atomic, or by a store that an atomic load reads)
// leaves all it has done with the location; a wave that acquires there takes it on. The bookkeeping is that of vector clocks.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "emulator/checks/lds_races.hpp"

namespace hipemu {
namespace {

/// Bytes in conflict that are looked at in one interval; a hand-over of more is judged by its first bytes.
constexpr std::size_t kMostBytes = 4096;

/// What an access is to the accesses of other waves.
enum Role : unsigned {
    kRead,
    kWrite,
    kOwnerWrite,      // a plain store to a location on which its wave has used atomics before: it unlocks
    kAtomic,
    kAtomicAcquire,   // may poll for an atomic store, which looks like any store
    kRoles,
    kAtomicLoad = kRoles,
};

constexpr bool is_store(Role role) { return role == kWrite || role == kOwnerWrite; }
constexpr unsigned bit(Role role) { return 1u << role; }

/// The roles that each role must not meet unordered.
constexpr unsigned kConflicts[kRoles] = {
    bit(kWrite) | bit(kOwnerWrite) | bit(kAtomic) | bit(kAtomicAcquire),
    bit(kRead) | bit(kWrite) | bit(kOwnerWrite) | bit(kAtomic),
    bit(kRead) | bit(kWrite),
    bit(kRead) | bit(kWrite),
    bit(kRead),
};

class Order {
public:
    using Clock = std::vector<std::uint32_t>;   // one entry a wave

    Order(const std::vector<LdsAccess>& log, const std::vector<std::array<std::uint64_t, kLanes>>& global, const std::vector<std::uint32_t>& stored,
          std::size_t waves, const std::vector<std::uint64_t>& conflicts, const std::vector<std::uint64_t>& written);

    bool find(LdsRace& race);

private:
    /// The words of memory at which an access may hand over; global ones have the highest bit set.
    template <class Work>
    void for_each_place(const LdsAccess& entry, Work work) const;
    Role role_of(const LdsAccess& entry) const;
    void acquire(const LdsAccess& entry);
    void release(const LdsAccess& entry);
    bool touch(const LdsAccess& entry, Role role, LdsRace& race);
    bool comes_before_first_store(const LdsAccess& entry, LdsRace& race) const;
    template <class Judge>
    bool touch_byte(std::uint32_t byte, std::uint32_t wave, Role role, Judge is_race);
    const LdsAccess* latest(const LdsAccess& before, std::uint32_t wave, Role role, std::uint32_t byte) const;

    const std::vector<LdsAccess>& log_;
    const std::vector<std::array<std::uint64_t, kLanes>>& global_;
    const std::vector<std::uint32_t>& stored_;
    const std::vector<std::uint64_t>& written_;    // before: one bit a byte
    const std::size_t waves_;
    std::vector<std::uint64_t> watched_;           // the bytes in conflict that are looked at
    std::vector<std::uint32_t> number_of_;         // of the first watched byte of each word
    std::vector<std::uint32_t> last_;              // [byte][wave][role]: when, by its wave's clock; 0: never
    std::vector<Clock> clocks_;                    // of each wave: how much of each wave has happened before what it does now
    std::unordered_set<std::uint64_t> meeting_places_;              // touched by atomics and atomic loads
    std::unordered_set<std::uint64_t> flags_;                       // by atomic loads: a store there is an atomic one
    std::unordered_map<std::uint64_t, Clock> by_atomics_, by_stores_;  // what has been left at them
    std::unordered_set<std::uint64_t> used_;       // place * 64 + wave: the wave has used atomics there
};

Order::Order(const std::vector<LdsAccess>& log, const std::vector<std::array<std::uint64_t, kLanes>>& global,
             const std::vector<std::uint32_t>& stored, std::size_t waves, const std::vector<std::uint64_t>& conflicts,
             const std::vector<std::uint64_t>& written)
    : log_(log), global_(global), stored_(stored), written_(written), waves_(waves), watched_(conflicts), clocks_(waves, Clock(waves)) {
    std::uint32_t bytes = 0;
    for (std::uint64_t& word : watched_) {
        number_of_.push_back(bytes);
        if (bytes >= kMostBytes) word = 0;
        bytes += static_cast<std::uint32_t>(__builtin_popcountll(word));
    }
    last_.resize(std::size_t{bytes} * waves * kRoles);
    for (std::size_t wave = 0; wave < waves; ++wave) clocks_[wave][wave] = 1;
    for (const LdsAccess& entry : log_) {
        if ((entry.kind & (kLdsAtomic | kLdsAcquires)) != 0) for_each_place(entry, [&](std::uint64_t place) { meeting_places_.insert(place); });
        if ((entry.kind & kLdsFlag) != 0) for_each_place(entry, [&](std::uint64_t place) { flags_.insert(place); });
    }
}

template <class Work>
void Order::for_each_place(const LdsAccess& entry, Work work) const {
    for (std::uint32_t left = entry.lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::size_t>(__builtin_ctz(left));
        const bool global = (entry.kind & kLdsGlobal) != 0;
        const std::uint64_t first = global ? global_[static_cast<std::size_t>(entry.second)][lane] : entry.address[lane];
        for (std::uint64_t word = first / 4; word <= (first + entry.bytes - 1) / 4; ++word) work(global ? word | 1ull << 57 : word);
    }
}

Role Order::role_of(const LdsAccess& entry) const {
    if ((entry.kind & kLdsAtomic) != 0) return (entry.kind & kLdsAcquires) != 0 ? kAtomicAcquire : kAtomic;
    if ((entry.kind & kLdsWrites) == 0) return (entry.kind & kLdsAcquires) != 0 ? kAtomicLoad : kRead;
    bool owner = !used_.empty();
    if (owner) for_each_place(entry, [&](std::uint64_t place) { owner = owner && used_.contains(place * 64 + entry.wave); });
    return owner ? kOwnerWrite : kWrite;
}

void join(Order::Clock& into, const Order::Clock& from) {
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], from[i]);
}

void Order::acquire(const LdsAccess& entry) {
    Clock& mine = clocks_[entry.wave];
    const bool sees_stores = (entry.kind & kLdsAcquires) != 0;
    for_each_place(entry, [&](std::uint64_t place) {
        used_.insert(place * 64 + entry.wave);
        if (const auto left = by_atomics_.find(place); left != by_atomics_.end()) join(mine, left->second);
        if (!sees_stores) return;
        if (const auto left = by_stores_.find(place); left != by_stores_.end()) join(mine, left->second);
    });
}

void Order::release(const LdsAccess& entry) {
    Clock& mine = clocks_[entry.wave];
    const bool atomic = (entry.kind & kLdsAtomic) != 0;
    bool released = false;
    for_each_place(entry, [&](std::uint64_t place) {
        if (!meeting_places_.contains(place)) return;
        const bool owner = atomic || used_.contains(place * 64 + entry.wave);
        Clock& left = (owner ? by_atomics_ : by_stores_)[place];
        left.resize(waves_);
        join(left, mine);
        released = true;
    });
    if (released) ++mine[entry.wave];
}

/// Notes that a wave touches a watched byte. True: another has touched it, nothing orders the two, and is_race(wave, role) of it.
template <class Judge>
bool Order::touch_byte(std::uint32_t byte, std::uint32_t wave, Role role, Judge is_race) {
    const std::uint64_t below = watched_[byte / 64] & ((1ull << byte % 64) - 1);
    const std::size_t number = number_of_[byte / 64] + static_cast<std::size_t>(__builtin_popcountll(below));
    std::uint32_t* const of_byte = &last_[number * waves_ * kRoles];
    for (std::uint32_t other = 0; other < waves_; ++other) {
        if (other == wave) continue;
        for (unsigned r = 0; r < kRoles; ++r) {
            if ((kConflicts[role] >> r & 1) == 0 || of_byte[other * kRoles + r] <= clocks_[wave][other]) continue;
            if (is_race(other, static_cast<Role>(r))) return true;
        }
    }
    of_byte[wave * kRoles + role] = clocks_[wave][wave];
    return false;
}

/// The latest access of a wave to a byte in a role before another access; nullptr: it is not known.
const LdsAccess* Order::latest(const LdsAccess& before, std::uint32_t wave, Role role, std::uint32_t byte) const {
    const LdsAccess* found = nullptr;
    for (const LdsAccess& other : log_) {
        if (&other == &before) break;
        const bool writes = (other.kind & kLdsWrites) != 0, atomic = (other.kind & kLdsAtomic) != 0;
        const bool same = atomic == (role == kAtomic || role == kAtomicAcquire) && writes == (role != kRead);
        if (other.wave == wave && same && (other.kind & kLdsGlobal) == 0 && lane_at(other, byte) >= 0) found = &other;
    }
    return found;
}

bool Order::touch(const LdsAccess& entry, Role role, LdsRace& race) {
    for (std::uint32_t left = entry.lanes; left != 0; left &= left - 1) {
        const std::uint32_t first = entry.address[__builtin_ctz(left)];
        for (const std::uint32_t start : {first, first + static_cast<std::uint32_t>(entry.second)}) {
            for (std::uint32_t byte = start; byte < start + entry.bytes; ++byte) {
                if ((watched_[byte / 64] >> byte % 64 & 1) == 0) continue;
                const auto is_race = [&](std::uint32_t wave, Role earlier_role) {
                    if (is_store(role) && is_store(earlier_role) && flags_.contains(byte / 4)) return false;
                    const LdsAccess* const earlier = latest(entry, wave, earlier_role, byte);
                    if (earlier == nullptr || store_equal(*earlier, entry, stored_, byte)) return false;
                    race = {.later = entry, .earlier = *earlier, .byte = byte};
                    return true;
                };
                if (touch_byte(byte, entry.wave, role, is_race)) return true;
            }
            if (entry.second == 0) break;
        }
    }
    return false;
}

/// Whether an atomic load looks at a byte that holds nothing unless another wave happens to be ahead.
bool Order::comes_before_first_store(const LdsAccess& entry, LdsRace& race) const {
    for (std::uint32_t left = entry.lanes; left != 0; left &= left - 1) {
        const std::uint32_t byte = entry.address[__builtin_ctz(left)];
        if ((watched_[byte / 64] >> byte % 64 & 1) == 0 || (written_[byte / 64] >> byte % 64 & 1) != 0) continue;
        const auto stores = [&](const LdsAccess& other) {
            return (other.kind & (kLdsWrites | kLdsGlobal)) == kLdsWrites && lane_at(other, byte) >= 0;
        };
        const auto first = std::find_if(log_.begin(), log_.end(), stores);
        if (first == log_.end() || first->wave == entry.wave || clocks_[entry.wave][first->wave] != 0) continue;
        race = {.later = entry, .earlier = *first, .byte = byte};
        return true;
    }
    return false;
}

bool Order::find(LdsRace& race) {
    for (const LdsAccess& entry : log_) {
        const Role role = role_of(entry);
        if (role == kAtomicLoad && (entry.kind & kLdsGlobal) == 0 && comes_before_first_store(entry, race)) return true;
        // An atomic orders what its wave does next, not itself.
        if ((entry.kind & kLdsGlobal) == 0 && role != kAtomicLoad && touch(entry, role, race)) return true;
        if ((entry.kind & (kLdsAcquires | kLdsReturns)) != 0) acquire(entry);
        if ((entry.kind & kLdsWrites) != 0) release(entry);
    }
    return false;
}

}  // namespace

bool find_unordered(const std::vector<LdsAccess>& log, const std::vector<std::array<std::uint64_t, kLanes>>& global,
                    const std::vector<std::uint32_t>& stored, std::size_t waves, const std::vector<std::uint64_t>& conflicts,
                    const std::vector<std::uint64_t>& written, LdsRace& race) {
    return Order(log, global, stored, waves, conflicts, written).find(race);
}

}  // namespace hipemu
