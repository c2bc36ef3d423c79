#include <algorithm>
#include <optional>
#include <string_view>

#include "emulator/state/lane_access.hpp"
#include "emulator/state/lds_access.hpp"
#include "emulator/state/wave.hpp"

namespace hipemu {
namespace {

constexpr std::size_t kBytesOfLds = 65536 + 64;   // an access that begins inside may end behind it
constexpr std::uint16_t kSeveral = 0xffff;

/// Calls `work` with every byte that a store writes, its lane and its value, in the order in which the lanes store.
template <class Work>
void for_each_byte(const LdsAccess& store, const std::vector<std::uint32_t>& words, Work work) {
    const unsigned rows = (store.bytes + 3u) / 4u;
    for (unsigned part = 0; part < (store.second != 0 ? 2u : 1u); ++part) {
        const std::uint32_t* const first = &words[store.stored] + std::size_t{part} * rows * kLanes;
        for (std::uint32_t left = store.lanes; left != 0; left &= left - 1) {
            const unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
            const std::uint32_t address = store.address[lane] + (part != 0 ? static_cast<std::uint32_t>(store.second) : 0);
            for (unsigned i = 0; i < store.bytes; ++i) {
                work(address + i, lane, static_cast<std::uint8_t>(first[i / 4 * kLanes + lane] >> (8 * (i % 4))));
            }
        }
    }
}

/// What a store has put into a byte, if that is known.
std::optional<std::uint8_t> stored_byte(const LdsAccess& store, const std::vector<std::uint32_t>& words, std::uint32_t byte) {
    std::optional<std::uint8_t> value;
    for_each_byte(store, words, [&](std::uint32_t at, unsigned lane, std::uint8_t stored) {
        if (at == byte) value = (store.known >> lane & 1) != 0 ? std::optional(stored) : std::nullopt;
    });
    return value;
}

}  // namespace

void keep_stored(const Wave& wave, const Inst& inst, LdsAccess& access, std::vector<std::uint32_t>& words) {
    access.stored = static_cast<std::uint32_t>(words.size());
    access.known = access.lanes;
    const bool high = access.bytes < 4 && inst.info->mnemonic.find("d16_hi") != std::string_view::npos;
    for (unsigned part = 0; part < (access.second != 0 ? 2u : 1u); ++part) {
        const Operand& data = inst.src[1 + part];
        const Half half = access.bytes < 4 ? half_of(data, high ? Half::high : Half::whole) : Half::whole;
        for (unsigned row = 0; 4 * row < access.bytes; ++row) {
            const unsigned r = (data.index + row) & 255;
            words.insert(words.end(), wave.v[r], wave.v[r] + kLanes);
            if (half == Half::high) {
                for (auto word = words.end() - kLanes; word != words.end(); ++word) *word >>= 16;
            }
            if (wave.defined.contains(r)) continue;
            const std::uint32_t stored = (access.bytes < 4 ? (1u << 8 * access.bytes) - 1 : ~0u) << (half == Half::high ? 16 : 0);
            for (unsigned lane = 0; lane < kLanes; ++lane) access.known &= (wave.undefined[r][lane] & stored) != 0 ? ~(1u << lane) : ~0u;
        }
    }
}

bool store_equal(const LdsAccess& a, const LdsAccess& b, const std::vector<std::uint32_t>& words, std::uint32_t byte) {
    if (!a.is_plain_store() || !b.is_plain_store()) return false;
    const std::optional<std::uint8_t> of_a = stored_byte(a, words, byte), of_b = stored_byte(b, words, byte);
    return of_a && of_b && *of_a == *of_b;
}

void LdsStores::put(std::uint32_t byte, std::uint16_t wave, std::uint8_t value, bool known) {
    Byte& at = bytes_[byte];
    const auto writer = static_cast<std::uint16_t>(wave + 1);
    if (at.writer != 0 && at.writer != writer) {
        if (!known || !at.known || at.value != value) different_[byte / 64] |= 1ull << byte % 64;
        at.writer = kSeveral;
    } else {
        at.writer = writer;
    }
    at.value = value;
    at.known = known;
}

void LdsStores::add(const LdsAccess& store, const std::vector<std::uint32_t>& words, const std::vector<std::uint64_t>& wanted) {
    bytes_.resize(kBytesOfLds);
    different_.resize(kBytesOfLds / 64);
    used_ = true;
    for_each_byte(store, words, [&](std::uint32_t byte, unsigned lane, std::uint8_t value) {
        if (wanted.empty() || (byte / 64 < wanted.size() && (wanted[byte / 64] >> byte % 64 & 1) != 0)) {
            put(byte, store.wave, value, (store.known >> lane & 1) != 0);
        }
    });
}

void LdsStores::forget() {
    if (!used_) return;
    std::fill(bytes_.begin(), bytes_.end(), Byte{});
    std::fill(different_.begin(), different_.end(), 0);
    used_ = false;
}

}  // namespace hipemu
