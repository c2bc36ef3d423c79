#include "emulator/checks/global_stores.hpp"

#include <string_view>
#include <thread>

#include "emulator/exec/buffer_address.hpp"
#include "emulator/state/lane_access.hpp"

namespace hipemu {
namespace {

std::uint64_t stripe_of(std::uint64_t address) { return 1ull << (address >> 16 & 63); }
std::uint64_t start_of(const Allocation& allocation) { return allocation.base & ~std::uint64_t{63}; }

/// The bits of [first, first + bytes), which is at most 64 long, within one word of marks or two.
struct Span {
    std::size_t word;
    std::uint64_t low, high;

    Span(std::uint64_t first, unsigned bytes) : word(first / 64) {
        const unsigned shift = first % 64;
        const std::uint64_t ones = bytes == 64 ? ~0ull : (1ull << bytes) - 1;
        low = ones << shift;
        high = shift == 0 ? 0 : ones >> (64 - shift);
    }
    bool any(const std::uint64_t* marks) const { return (marks[word] & low) != 0 || (high != 0 && (marks[word + 1] & high) != 0); }
    void set(std::uint64_t* marks) const {
        marks[word] |= low;
        if (high != 0) marks[word + 1] |= high;
    }
};

}  // namespace

std::uint64_t* GlobalStores::marks_of(const Allocation& allocation) {
    const std::lock_guard lock(mutex_);
    auto& marks = marks_[&allocation];
    // Pages that nobody touches are never made.
    if (marks == nullptr) marks.reset(static_cast<std::uint64_t*>(std::calloc(allocation.size / 64 + 3, sizeof(std::uint64_t))));
    return marks.get();
}

void GlobalStores::lock(std::uint64_t stripes) {
    for (; stripes != 0; stripes &= stripes - 1) {
        std::atomic<bool>& taken = stripes_[static_cast<std::size_t>(__builtin_ctzll(stripes))];
        while (taken.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
    }
}

void GlobalStores::unlock(std::uint64_t stripes) {
    for (; stripes != 0; stripes &= stripes - 1) {
        stripes_[static_cast<std::size_t>(__builtin_ctzll(stripes))].store(false, std::memory_order_release);
    }
}

std::uint64_t* GlobalStores::Part::marks_at(std::uint64_t address) {
    if (allocation_ == nullptr || address - allocation_->base >= allocation_->size) {
        const Allocation* const found = memory_.find(address, 1);
        if (found == nullptr || !found->writable) return nullptr;
        allocation_ = found;
        marks_ = all_.marks_of(*found);
    }
    return marks_;
}

/// Marks a row of neighbouring lanes; false: some of it is marked, or it is not of one allocation.
bool GlobalStores::Part::mark_row(std::uint64_t first, unsigned bytes) {
    std::uint64_t* const marks = marks_at(first);
    if (marks == nullptr || first + bytes - allocation_->base > allocation_->size) return false;
    const std::uint64_t start = first - start_of(*allocation_);
    for (unsigned done = 0; done < bytes; done += 64) {
        if (Span(start + done, bytes - done < 64 ? bytes - done : 64).any(marks)) return false;
    }
    for (unsigned done = 0; done < bytes; done += 64) Span(start + done, bytes - done < 64 ? bytes - done : 64).set(marks);
    return true;
}

bool GlobalStores::Part::differs(const Wave& wave, const Inst& inst, const Access& access, int lane) {
    const std::uint64_t address = access.address[lane];
    const unsigned bytes = access.shape->bytes;
    const std::uint64_t* const marks = marks_at(address);
    if (marks == nullptr) return false;
    const std::uint64_t start = address - start_of(*allocation_);
    if (!Span(start, bytes).any(marks)) return false;
    const Operand& data = access.shape->buffer ? *operands_of<true>(inst).data : inst.src[1];
    const bool high = inst.info->mnemonic.find("d16_hi") != std::string_view::npos;
    const Half half = bytes < 4 ? half_of(data, high ? Half::high : Half::whole) : Half::whole;
    for (unsigned i = 0; i < bytes && address + i - allocation_->base < allocation_->size; ++i) {
        if ((marks[(start + i) / 64] >> (start + i) % 64 & 1) == 0) continue;
        const unsigned r = (data.index + i / 4) & 255;
        const auto byte_of = [&](std::uint32_t word) { return static_cast<std::uint8_t>(take_half(word, half) >> (8 * (i % 4))); };
        if (!wave.defined.contains(r) && byte_of(wave.undefined[r][lane]) != 0) continue;  // a hole of a struct
        if (byte_of(wave.v[r][lane]) != static_cast<std::uint8_t>(allocation_->host[address + i - allocation_->base])) return true;
    }
    return false;
}

std::uint32_t GlobalStores::Part::begin(const Wave& wave, const Inst& inst, const Access& access) {
    const unsigned bytes = access.shape->bytes;
    const std::uint64_t first = access.address[0];
    if (access.lanes == ~0u && access.shape->space == AccessSpace::global) {
        std::uint64_t not_consecutive = 0;
        for (unsigned lane = 0; lane < kLanes; ++lane) not_consecutive |= access.address[lane] ^ (first + std::uint64_t{lane} * bytes);
        if (not_consecutive == 0) {
            all_.lock(held_ = stripe_of(first) | stripe_of(first + kLanes * bytes - 1));
            if (mark_row(first, kLanes * bytes)) return 0;
        }
    }
    std::uint32_t lanes = 0;
    std::uint64_t stripes = 0;
    for (std::uint32_t left = access.lanes; left != 0; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        if (std::uint64_t offset = 0; access.space_of(lane, offset) != AccessSpace::global) continue;
        lanes |= 1u << lane;
        stripes |= stripe_of(access.address[lane]) | stripe_of(access.address[lane] + bytes - 1);
    }
    if (held_ == 0) all_.lock(held_ = stripes);
    std::uint32_t different = 0;
    for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        if (differs(wave, inst, access, lane)) different |= 1u << lane;
    }
    // Only now: several lanes may store to one place.
    for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
        const std::uint64_t address = access.address[__builtin_ctz(left)];
        if (std::uint64_t* const marks = marks_at(address)) Span(address - start_of(*allocation_), bytes).set(marks);
    }
    return different;
}

}  // namespace hipemu
