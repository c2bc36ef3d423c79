// Races in the LDS of one work-group: two waves touch the same byte, one of them writing, and neither a barrier nor an atomic hand-over orders
// them. The accesses between two barriers are logged as they happen and looked at when the barrier is reached; which wave really ran first
// does not matter. Stores of equal bytes do not hurt each other: compilers let several waves store what all of them have computed. One a host
// thread; it serves one work-group after the other.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emulator/checks/in_flight.hpp"
#include "emulator/exec/access.hpp"
#include "emulator/state/lds_access.hpp"
#include "emulator/state/wave.hpp"

namespace hipemu {

struct Program;

/// Two accesses that nothing orders.
struct LdsRace {
    LdsAccess later;
    LdsAccess earlier;
    bool earlier_is_known = true;   // false: long ago; only its wave is known
    std::uint32_t byte = 0;
};

class LdsRaces {
public:
    /// `program` outlives this.
    explicit LdsRaces(const Program& program);

    void start(const Workgroup& group);
    /// False for a group of one wave, whose accesses are in order.
    bool is_watching() const { return watching_; }

    /// An access has happened. `code`: index of its instruction; `ordinal`: its number among the wave's LDS instructions, from 1.
    void note(const Wave& wave, std::size_t code, const Access& access, std::size_t ordinal);

    /// All living waves have arrived at a barrier, or have ended. False: there was a race, which is put into one of the waves. An access that
    /// its wave has not waited for is not ordered by the barrier.
    bool barrier(Workgroup& group, const std::vector<InFlight>& in_flight);

private:
    /// Accesses that are logged in one interval before the log is emptied: 5 MB.
    static constexpr std::size_t kLogLength = 1 << 16;
    /// And words of plain stores, likewise: 16 MB.
    static constexpr std::size_t kStoredWords = 1 << 22;

    using Bits = std::vector<std::uint64_t>;   // one a byte of LDS
    struct Touched {
        Bits read, written, atomic, swapped;  // swapped: by compare-and-swap; atomic: by all others
    };
    struct Conflicts {
        Bits bad, twice;  // twice: written by plain stores of several waves, which are bad if they differ
    };

    bool repeats_last(const Wave& wave, std::size_t code, const Access& access) const;
    void note_flat(const Wave& wave, std::size_t code, const Access& access, std::size_t ordinal);
    void note_global(const Wave& wave, std::size_t code, const Access& access);
    LdsAccess& append(const Wave& wave, std::size_t code, const Access& access, std::size_t ordinal) {
        if (log_.size() >= kLogLength || stored_.size() >= kStoredWords) make_room();
        LdsAccess& entry = log_.emplace_back();
        entry.code = static_cast<std::uint32_t>(code);
        entry.lanes = access.lanes;
        entry.ordinal = static_cast<std::uint32_t>(ordinal);
        entry.wave = static_cast<std::uint16_t>(wave.index);
        entry.bytes = access.shape->bytes;
        entry.kind = kinds_[code];
        entry.second = access.shape->second;
        return entry;
    }
    void make_room();
    void collect();
    void touch(Bits& bits, const LdsAccess& access);
    bool conflict_somewhere();
    bool find_conflicts();
    void compare_stores();
    bool find_race(LdsRace& race);
    void find_in_log(LdsRace& race) const;
    void remember_written();
    void forget();
    void report(Workgroup& group, const LdsRace& race) const;

    const Program& program_;
    std::vector<std::uint8_t> kinds_;   // of each instruction
    bool hands_over_globally_ = false;  // some instruction of the program may
    bool asks_ = false;                 // it has atomic loads of LDS, perhaps
    bool watching_ = false;
    std::size_t words_ = 0;             // of each of the bitmaps

    std::vector<LdsAccess> log_;        // of this interval
    std::vector<std::array<std::uint64_t, kLanes>> global_;
    std::vector<std::uint32_t> stored_;  // words, of the plain stores in the log
    bool writes_ = false, acquires_ = false;   // something in this interval does
    bool log_is_cut_ = false;           // it was full: what fell off is in the bitmaps and in stores_ alone
    bool keep_all_ = false;             // or is full now: what is in it may meet what comes later
    bool blind_ = false;                // and what was handed over when can no longer be told
    std::vector<Touched> touched_;      // by each wave
    bool only_stores_ = true;           // nothing else is in touched_
    Touched seen_;                      // by the waves that have been looked at, while they are compared
    Conflicts found_at_;                // and what they have in conflict; from low_ to high_
    std::size_t low_ = 0, high_ = 0;    // words of the bitmaps that are not all zero
    Bits conflicts_, stored_twice_;     // the latter: by plain stores of several waves
    LdsStores stores_;
    Bits written_before_;               // bytes written before this interval, if asks_
    bool all_written_ = false;          // or nobody knows
    LdsRace race_;                      // found while making room
    bool found_ = false;
};

/// Finds two accesses to bytes of `conflicts` that no hand-over orders, taking the log in the order in which it was executed. False: all are
/// ordered. `stored`: the words of the log's plain stores. `written`: bytes written before; of others, an atomic load must not come before the first
/// store.
bool find_unordered(const std::vector<LdsAccess>& log, const std::vector<std::array<std::uint64_t, kLanes>>& global,
                    const std::vector<std::uint32_t>& stored, std::size_t waves, const std::vector<std::uint64_t>& conflicts,
                    const std::vector<std::uint64_t>& written, LdsRace& race);

}  // namespace hipemu
