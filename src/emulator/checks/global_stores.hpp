// Which bytes of global memory the stores of a launch have written, so that a store can be told that repeats what lies there already: work-groups
// that store equal bytes do not race. Thread-safe: two stores to one place take turns.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>

#include "emulator/exec/access.hpp"
#include "emulator/state/memory.hpp"
#include "emulator/state/wave.hpp"

namespace hipemu {

class GlobalStores {
public:
    /// The part of a host thread. `memory` outlives it.
    class Part {
    public:
        Part(GlobalStores& all, const MemoryMap& memory) : all_(all), memory_(memory) {}

        /// A plain store is about to run. Its bytes are this thread's until end(). Returns the lanes that overwrite, with something else, what a
        /// store of this launch has put there.
        std::uint32_t begin(const Wave& wave, const Inst& inst, const Access& access);
        void end() {
            if (held_ != 0) all_.unlock(held_);
            held_ = 0;
        }

    private:
        /// One bit a byte, from the allocation's first byte rounded down to 64; nullptr: the address is none of a writable allocation.
        std::uint64_t* marks_at(std::uint64_t address);
        bool mark_row(std::uint64_t first, unsigned bytes);
        bool differs(const Wave& wave, const Inst& inst, const Access& access, int lane);

        GlobalStores& all_;
        const MemoryMap& memory_;
        const Allocation* allocation_ = nullptr;  // of the latest marks
        std::uint64_t* marks_ = nullptr;
        std::uint64_t held_ = 0;                  // stripes
    };

private:
    struct Free {
        void operator()(std::uint64_t* marks) const { std::free(marks); }
    };

    std::uint64_t* marks_of(const Allocation& allocation);
    void lock(std::uint64_t stripes);
    void unlock(std::uint64_t stripes);

    std::array<std::atomic<bool>, 64> stripes_{};   // of 64 KB each, again and again
    std::mutex mutex_;                              // guards what follows
    std::map<const Allocation*, std::unique_ptr<std::uint64_t[], Free>> marks_;
};

}  // namespace hipemu
