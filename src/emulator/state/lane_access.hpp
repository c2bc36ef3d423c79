// What loads, stores and atomics share: how bytes in memory become a lane's registers and back, and how undefined bits go along.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "emulator/state/memory.hpp"
#include "emulator/state/undefined.hpp"
#include "emulator/state/wave.hpp"

namespace hipemu {

/// The bytes of one lane's access. Global memory keeps one defined bit a byte, LDS and scratch one undefined bit a bit.
struct Place {
    std::byte* data = nullptr;
    std::byte* undefined = nullptr;     // LDS, scratch
    std::uint8_t* bitmap = nullptr;     // global memory; nullptr: all defined
    std::uint64_t offset = 0;           // of the first byte in the bitmap
};

/// A format of loads and stores: how many bytes, whether a short load extends its sign, which half of the register it fills or takes.
struct Format {
    unsigned bytes = 4;
    bool sign = false;
    Half half = Half::whole;

    constexpr unsigned words() const { return bytes < 4 ? 1 : bytes / 4; }
};

/// The half that an access means: the text's `.l`/`.h` if there is one, the mnemonic's otherwise.
inline Half half_of(const Operand& operand, Half format) { return operand.half != Half::whole ? operand.half : format; }

/// Bytes (or their undefined bits) as they lie in memory -> the value of register `word`.
inline std::uint32_t register_word(const std::byte* from, const Format& format, unsigned word) {
    std::uint32_t value = 0;
    if (format.bytes >= 4) {
        std::memcpy(&value, from + 4 * word, 4);
        return value;
    }
    std::memcpy(&value, from, format.bytes);
    if (format.sign) {
        value = format.bytes == 1 ? static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int8_t>(value)))
                                  : static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int16_t>(value)));
    }
    return format.half == Half::whole ? value : value & 0xffffu;
}

inline void put_half(std::uint32_t& target, std::uint32_t value, Half half) {
    switch (half) {
        case Half::whole: target = value; break;
        case Half::low: target = (target & 0xffff0000u) | (value & 0xffffu); break;
        case Half::high: target = (target & 0xffffu) | value << 16; break;
    }
}

inline std::uint32_t take_half(std::uint32_t value, Half half) { return half == Half::high ? value >> 16 : value; }

/// True if every byte of [offset, offset + bytes) has its bit in a bitmap.
bool all_defined(const std::uint8_t* bitmap, std::uint64_t offset, unsigned bytes);

/// Sets those bits; safe against other threads that set their own.
void mark_defined(std::uint8_t* bitmap, std::uint64_t offset, unsigned bytes);

/// Clears the bit of one byte.
void mark_undefined(std::uint8_t* bitmap, std::uint64_t offset);

/// The undefined bits of the bytes of a place, as they lie in memory.
void undefined_bytes(const Place& place, unsigned bytes, std::byte* to);

inline bool has_undefined(const std::byte* bits, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) {
        if (bits[i] != std::byte{0}) return true;
    }
    return false;
}

/// Where a lane's global access lies; stops the wave if that is nowhere, or may not be written. `a_write` is for stores and atomics.
bool global_place(Wave& wave, std::uint64_t address, unsigned bytes, int lane, bool a_write, Place& place);
bool lds_place(Wave& wave, std::uint32_t address, unsigned bytes, int lane, Place& place);
bool scratch_place(Wave& wave, std::uint32_t offset, unsigned bytes, int lane, Place& place);

/// Widens the span of an allocation by an access.
inline void note_span(Workgroup& group, const Allocation* allocation, std::uint64_t low, std::uint64_t high) {
    for (MemorySpan& span : group.spans) {
        if (span.allocation != allocation) continue;
        span.low = low < span.low ? low : span.low;
        span.high = high > span.high ? high : span.high;
        return;
    }
    group.spans.push_back({allocation, low, high});
}

/// The rule of every load: what it loads is defined in the active lanes, until its handler meets undefined bytes. A 16-bit load into one half
/// leaves the other as it is.
void expect_defined_load(Wave& wave, const Inst& inst);

/// Stops the wave if an active lane's address operand holds undefined bits.
void require_defined_address(Wave& wave, const Operand& address);

}  // namespace hipemu
