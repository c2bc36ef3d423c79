// Races between work-groups in global memory: two groups touch the same byte, one of them writing, and no hand-over orders them. Each group's
// accesses are gathered as ranges of bytes while it runs, and compared after the launch: which group really ran first does not matter. Stores of
// equal bytes do not hurt each other.
//
// A hand-over is taken to have happened whenever it may have: a store counts as released when its group has waited for it and then stores or
// changes something, loads and atomics at once; a group acquires by atomics that return, atomic loads and cache invalidations, wherever they
// are. Time is one count of all these events. So a correct hand-over is never a finding, and some wrong ones are missed.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <vector>

#include "emulator/checks/global_stores.hpp"
#include "emulator/exec/access.hpp"
#include "emulator/isa/fault.hpp"
#include "emulator/state/memory.hpp"
#include "emulator/state/wave.hpp"

namespace hipemu {

struct LaunchRequest;
struct Program;
class WaveRaces;

/// What an access is to the accesses of other groups.
enum class GlobalRole : std::uint8_t {
    none,
    read,
    agreeing_write,  // a plain store of what stores of this launch have put there before, if any has
    write,           // one of something else
    owner_write,     // a plain store where the group has used atomics before: it unlocks
    atomic,
    atomic_acquire,  // with an acquire fence: it may poll for an atomic store, which looks like any store
    swap,            // compare-and-swap: loops around it begin with a plain load, which it makes good
    swap_acquire,
    atomic_load,
};

/// An atomic operation, not a mere load or store.
inline bool is_update(GlobalRole role) { return role >= GlobalRole::atomic && role <= GlobalRole::swap_acquire; }

/// Bytes that a group has touched in one way.
struct GlobalRange {
    std::uint64_t low = 0;
    std::uint32_t bytes = 0;
    std::uint32_t code = 0;      // index of an instruction that did
    std::uint32_t epoch = 0;     // in the list of epochs
    std::uint16_t wave = 0;
    GlobalRole role = GlobalRole::none;
    bool several = false;        // other instructions, too

    std::uint64_t high() const { return low + bytes; }
};

/// A part of a group's run between events.
struct GlobalEpoch {
    static constexpr std::uint64_t kNever = ~std::uint64_t{0};

    std::uint64_t acquired = 0;        // time of the last acquire before it; 0: none
    std::uint64_t done = kNever;       // of the first wait for stores after it
    std::uint64_t released = kNever;   // likewise, once a store or an atomic has followed that wait: it may tell of what is done
};

/// Those of one launch. Thread-safe.
class GlobalRaces {
public:
    /// `request` outlives this.
    explicit GlobalRaces(const LaunchRequest& request);

    /// False where there is nothing to find, also between the waves of a group: one wave, or a kernel that only reads.
    bool is_needed() const { return needed_; }
    bool has_acquires() const { return acquires_; }
    GlobalRole role_of(std::size_t code) const { return roles_[code]; }
    /// True for atomics that return and atomic loads.
    bool acquires(std::size_t code) const { return acquiring_[code]; }

    GlobalStores& stores() { return stores_; }
    const MemoryMap& memory() const;

    std::uint64_t tick() { return time_.fetch_add(1) + 1; }

    /// What one group has touched.
    void add(const Workgroup& group, const std::vector<GlobalRange>& ranges, const std::vector<GlobalEpoch>& epochs);

    /// After the launch: the race at the lowest address, if there is one.
    std::optional<Fault> find();

private:
    struct Touch {
        GlobalRange range;
        std::uint32_t group = 0;   // in grid order
    };
    struct Memory {
        std::vector<Touch> touches;
        std::uint64_t window = 0;   // bytes from its start that are looked at
    };

    void shrink(const Allocation& allocation, Memory& memory) const;
    bool are_ordered(const Touch& a, const Touch& b) const;
    std::optional<Fault> find_in(Memory& memory) const;
    Fault fault_of(const Touch& a, const Touch& b) const;

    const LaunchRequest& request_;
    std::vector<GlobalRole> roles_;   // of each instruction
    std::vector<bool> acquiring_;     // likewise
    bool needed_ = false, acquires_ = false;
    std::atomic<std::uint64_t> time_{0};
    GlobalStores stores_;
    std::mutex mutex_;                // guards what follows
    std::vector<GlobalEpoch> epochs_;
    std::map<const Allocation*, Memory> memories_;
};

/// Gathers the accesses of one group after the other. One a host thread.
class GroupAccesses {
public:
    /// `waves` is told of the accesses, too.
    GroupAccesses(GlobalRaces& races, const Program& program, WaveRaces& waves);

    void start();
    /// An access is about to happen; end() follows it.
    void begin(const Wave& wave, const Inst& inst, std::size_t code, const Access& access) {
        if (races_.role_of(code) == GlobalRole::write) different_ = stores_.begin(wave, inst, access);
    }
    void end() { stores_.end(); }
    /// An access has happened.
    void note(const Wave& wave, std::size_t code, const Access& access) {
        if (races_.role_of(code) == GlobalRole::write) note_store(wave, code, access);
        else add(wave, code, access, races_.role_of(code));
        if (races_.acquires(code)) acquire();
    }
    /// A wave has waited for its stores.
    void wait_for_stores();
    /// What a wave does from now on sees what others have released.
    void acquire();
    void finish(const Workgroup& group) { merge(), races_.add(group, ranges_, epochs_); }

private:
    void note_store(const Wave& wave, std::size_t code, const Access& access);
    void add(const Wave& wave, std::size_t code, const Access& access, GlobalRole role);
    void add(std::uint64_t low, std::uint64_t high, const Wave& wave, std::size_t code, GlobalRole role);
    void begin_epoch(std::uint64_t acquired);
    void release();
    bool uses_atomics_at(std::uint64_t low, std::uint64_t high) const;
    bool join(std::uint32_t number, std::uint64_t low, std::uint64_t high, std::size_t code, GlobalRole role);
    void absorb(std::uint32_t number, std::uint32_t other);
    void remember_ends(std::uint32_t number);
    void merge();

    /// Where ranges begin or end: the numbers of the latest ones, by address. Their neighbours are most often joined to them at once.
    using Ends = std::array<std::uint32_t, 1024>;

    GlobalRaces& races_;
    WaveRaces& waves_;
    GlobalStores::Part stores_;
    std::uint32_t different_ = 0;       // lanes of the store that runs
    std::vector<GlobalRange> ranges_;   // numbered from 1
    Ends begins_{}, ends_{};
    std::vector<std::uint32_t> last_;   // of each instruction: the number of its latest range
    std::size_t merge_at_ = 0;          // ranges, when they are sorted and merged
    std::vector<GlobalEpoch> epochs_;
    std::size_t first_not_done_ = 0, first_not_released_ = 0;
    bool epoch_is_used_ = false;
    std::unordered_set<std::uint64_t> atomics_at_;  // words
};

}  // namespace hipemu
