#include "emulator/timing/trace.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "emulator/timing/chips.hpp"

namespace hipemu {
namespace {

constexpr unsigned kMostBanks = 64;

/// True if the lanes of one phase want no two different words of one bank: each takes `words` banks of its own, or the words of another lane.
bool is_free_of_conflicts(const Access& access, int first, int lanes, unsigned words, unsigned banks, std::uint64_t shift) {
    const unsigned bytes = 4 * words, places = banks / words;
    std::uint32_t taken_by[kMostBanks];
    std::uint64_t taken = 0;
    for (int lane = first; lane < first + lanes; ++lane) {
        if ((access.lanes >> lane & 1) == 0) continue;
        const auto address = static_cast<std::uint32_t>(access.address[lane] + shift);
        if (words > 1 && address % bytes != 0) return false;
        const std::uint32_t unit = address / bytes, place = unit % places;
        if ((taken >> place & 1) != 0 && taken_by[place] != unit) return false;
        taken |= 1ull << place;
        taken_by[place] = unit;
    }
    return taken != 0;
}

/// Cycles for the lanes of one phase: the most different words that one bank has to give.
unsigned phase_cycles(const Access& access, int first, int lanes, unsigned words, unsigned banks, std::uint64_t shift) {
    if (std::has_single_bit(words) && is_free_of_conflicts(access, first, lanes, words, banks, shift)) return 1;
    std::uint32_t wanted[kMostBanks][kLanes];
    std::uint8_t count[kMostBanks] = {};
    unsigned cycles = 0;
    for (int lane = first; lane < first + lanes; ++lane) {
        if ((access.lanes >> lane & 1) == 0) continue;
        const auto start = static_cast<std::uint32_t>((access.address[lane] + shift) / 4);
        for (unsigned word = 0; word < words; ++word) {
            const std::uint32_t at = start + word;
            const unsigned bank = at % banks;
            if (std::find(wanted[bank], wanted[bank] + count[bank], at) != wanted[bank] + count[bank]) continue;
            wanted[bank][count[bank]++] = at;
            cycles = std::max<unsigned>(cycles, count[bank]);
        }
    }
    return cycles;
}

std::uint16_t count_port_cycles(const Chip& chip, const Access& access) {
    const unsigned words = std::max(access.shape->bytes / 4u, 1u);
    // As many lanes at a time as the port moves bytes in a cycle.
    const int at_once = static_cast<int>(chip.lds_bytes_per_cycle / (4 * std::bit_ceil(words)));
    const int lanes = static_cast<int>(std::bit_floor(static_cast<unsigned>(std::clamp(at_once, 1, kLanes))));
    const unsigned banks = std::clamp(words == 1 ? chip.lds_banks_b32 : chip.lds_banks, 1u, kMostBanks);
    unsigned cycles = 0;
    for (const std::int32_t shift : {0, access.shape->second}) {
        for (int first = 0; first < kLanes; first += lanes)
            cycles += phase_cycles(access, first, lanes, words, banks, static_cast<std::uint64_t>(std::int64_t{shift}));
        if (access.shape->second == 0) break;
    }
    return static_cast<std::uint16_t>(cycles);
}

}  // namespace

void WaveTrace::clear() {
    path.clear();
    lds_cycles.clear();
    memory.clear();
    lines.clear();
    full = false;
}

std::uint16_t lds_port_cycles(const Chip& chip, const Access& access) {
    if (access.lanes == 0) return count_port_cycles(chip, access);
    // All addresses moved by the same number of words conflict alike: a loop's accesses are counted once for each instruction. An entry holds
    // all that the answer depends on, so it does not matter whose it is.
    struct Counted {
        std::array<std::uint32_t, 6> key{};
        std::array<std::uint32_t, kLanes> from_first{};
        std::uint16_t cycles = 0;
    };
    static thread_local std::array<Counted, 256> remembered{};
    const std::uint64_t first = access.address[std::countr_zero(access.lanes)];
    const std::array<std::uint32_t, 6> key{access.lanes,
                                           std::uint32_t{access.shape->bytes} << 8 | static_cast<std::uint32_t>(first % 4),
                                           static_cast<std::uint32_t>(access.shape->second),
                                           chip.lds_bytes_per_cycle,
                                           chip.lds_banks,
                                           chip.lds_banks_b32};
    std::array<std::uint32_t, kLanes> from_first;
    for (int lane = 0; lane < kLanes; ++lane)
        from_first[lane] = (access.lanes >> lane & 1) != 0 ? static_cast<std::uint32_t>(access.address[lane] - first) : 0;
    Counted& one = remembered[reinterpret_cast<std::uintptr_t>(access.shape) / sizeof(AccessShape) % remembered.size()];
    if (one.key != key || one.from_first != from_first) one = {.key = key, .from_first = from_first, .cycles = count_port_cycles(chip, access)};
    return one.cycles;
}

void record_memory(WaveTrace& trace, const Chip&, const Access& access, std::uint32_t wave_id) {
    MemoryTouch touch;
    const std::size_t first = trace.lines.size();
    const auto add = [&](std::uint64_t line) {
        if (std::find(trace.lines.begin() + static_cast<std::ptrdiff_t>(first), trace.lines.end(), line) == trace.lines.end()) trace.lines.push_back(line);
    };
    const unsigned bytes = std::max<unsigned>(access.shape->bytes, 1);
    for (int lane = 0; lane < kLanes; ++lane) {
        if ((access.lanes >> lane & 1) == 0) continue;
        std::uint64_t offset = 0;
        switch (access.space_of(lane, offset)) {
            case AccessSpace::lds: touch.lds_cycles = 1; break;
            case AccessSpace::scratch:
                // Private memory is interleaved: the same word of all lanes of a wave makes one line.
                for (unsigned word = 0; word < (bytes + 3) / 4; ++word) add(kScratchLine | std::uint64_t{wave_id} << 40 | (offset / 4 + word));
                break;
            default:
                for (std::uint64_t line = offset / kLineBytes; line <= (offset + bytes - 1) / kLineBytes; ++line) add(line);
        }
    }
    touch.lines = static_cast<std::uint16_t>(trace.lines.size() - first);
    trace.memory.push_back(touch);
}

}  // namespace hipemu
