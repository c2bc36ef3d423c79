// Races between the waves of one work-group in global memory: between two barriers two waves touch the same byte, one of them writing. Which of
// them ran first does not matter. A store that is still on its way at a barrier counts behind it, too. One a host thread.
//
// As between work-groups, a hand-over is taken to have happened whenever it may have: a wave that has asked by an atomic or an atomic load, of
// global memory or LDS, is from there to the next barrier behind all that the others did. A store of the values that memory holds already
// does not race with what came before it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/exec/access.hpp"
#include "emulator/state/wave.hpp"

namespace hipemu {

class WaveRaces {
public:
    /// `waits_for_stores`: barriers are preceded by waits for stores, as compilers emit them where the waves of a group have several caches.
    explicit WaveRaces(bool waits_for_stores) : waits_for_stores_(waits_for_stores) {}

    void start(const Workgroup& group);

    /// A plain store is about to run.
    void before_store(const Wave& wave, const Access& access);
    /// It has run.
    void after_store(const Access& access);

    /// swap: a compare-and-swap; loops around it begin with a plain load, which it makes good.
    enum class Kind : std::uint8_t { read, write, atomic, swap };
    /// The wave touches these bytes.
    void touch(std::uint64_t low, std::uint64_t high, std::uint32_t wave, std::size_t code, Kind kind);

    /// A wave has waited for all its stores.
    void wait_for_stores(std::uint32_t wave);
    /// A wave may have learnt what others have done.
    void acquire(std::uint32_t wave);

    /// Every living wave has arrived at a barrier, or all have ended. False: a finding, put into one of the group's waves.
    bool barrier(Workgroup& group);

private:
    struct Touch {
        std::uint64_t low = 0, high = 0;
        std::uint32_t code = 0, order = 0;
        std::uint16_t wave = 0;
        Kind kind = Kind::read;
        bool acquired = false;   // after the wave has acquired
        bool changes = false;    // a write of other values than there were
        bool done = false;       // a store that has been waited for, or no store
    };

    bool may_conflict() const;
    static bool conflict(const Touch& a, const Touch& b);
    void report(Workgroup& group, const Touch& a, const Touch& b) const;

    const bool waits_for_stores_;
    bool several_waves_ = false, writes_ = false;
    std::vector<Touch> touches_;
    std::vector<bool> acquired_;   // of each wave, since the last barrier
    std::vector<std::size_t> first_not_done_;   // of each wave: no store before that is on its way
    std::array<std::array<std::byte, 16>, kLanes> before_{};
    std::uint32_t known_before_ = 0;   // lanes of before_
    bool changes_ = true;              // the store that runs
    const MemoryMap* memory_ = nullptr;
};

}  // namespace hipemu
