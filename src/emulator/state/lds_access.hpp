// One access to LDS as the search for races keeps it, and the bytes that stores have put there.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/isa/inst.hpp"

namespace hipemu {

struct Wave;

/// What an access means to the order of things.
enum LdsKind : std::uint8_t {
    kLdsReads = 1,
    kLdsWrites = 2,
    kLdsAtomic = 4,     // reads, computes and writes in one step
    kLdsReturns = 8,    // an atomic that tells its wave what it found
    kLdsAcquires = 16,  // an atomic load, or an atomic that an acquire fence follows
    kLdsCompares = 64,  // an atomic compare-and-swap: loops around it begin with a plain load, which it makes good
    kLdsFlag = 128,     // acquires, and is no volatile load: where it looks, stores are atomic ones
    kLdsGlobal = 32,    // in truth global memory: hands over what lies in LDS, but races of its own are not looked for here
};

/// One logged access.
struct LdsAccess {
    LdsAccess() {}  // leaves the addresses alone

    std::uint32_t code = 0;      // index of the instruction
    std::uint32_t lanes = 0;
    std::uint32_t ordinal = 0;   // of this among the LDS instructions of its wave, from 1
    std::uint16_t wave = 0;
    std::uint8_t bytes = 0;      // a lane, at one address
    std::uint8_t kind = 0;
    std::int32_t second = 0;     // from each address to a second one; kLdsGlobal: where in the list of global addresses its own are
    std::uint32_t stored = 0;    // of a plain store: where in the list of stored words its own are
    std::uint32_t known = 0;     // and the lanes that store defined bits alone
    std::uint16_t address[kLanes];

    bool is_plain_store() const { return (kind & (kLdsWrites | kLdsAtomic | kLdsGlobal)) == kLdsWrites; }
    /// Rows of 32 words that a plain store has in the list.
    unsigned rows() const { return (bytes + 3u) / 4u * (second != 0 ? 2u : 1u); }
};

/// The first lane of an access that touches a byte; -1: none does.
int lane_at(const LdsAccess& access, std::uint32_t byte);

/// Appends what the plain store `inst` takes from its wave's registers to `words`, and notes in `access` where.
void keep_stored(const Wave& wave, const Inst& inst, LdsAccess& access, std::vector<std::uint32_t>& words);

/// Of a byte of LDS that a plain store has written: true if both have stored defined and equal bits.
bool store_equal(const LdsAccess& a, const LdsAccess& b, const std::vector<std::uint32_t>& words, std::uint32_t byte);

/// What plain stores have written since a barrier, byte by byte: stores of several waves that agree are no race.
class LdsStores {
public:
    /// Takes in a store, of its bytes those that `wanted` names (empty: all), in the order in which stores were executed.
    void add(const LdsAccess& store, const std::vector<std::uint32_t>& words, const std::vector<std::uint64_t>& wanted);

    /// Bytes that several waves have stored, and not alike: one bit each.
    const std::vector<std::uint64_t>& different() const { return different_; }
    void forget();

private:
    void put(std::uint32_t byte, std::uint16_t wave, std::uint8_t value, bool known);

    struct Byte {
        std::uint16_t writer;  // plus 1; 0: nobody
        std::uint8_t value;
        bool known;
    };
    std::vector<Byte> bytes_;
    std::vector<std::uint64_t> different_;
    bool used_ = false;
};

}  // namespace hipemu
