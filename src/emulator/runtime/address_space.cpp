#include "emulator/runtime/address_space.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "emulator/runtime/pool.hpp"

namespace hipemu {
namespace {

// Much more than any card has: addresses of freed memory rest until all of it was given out once. ThreadSanitizer has room for less, and only
// where it chooses: it ends the program at a mapping elsewhere.
#if defined(__SANITIZE_THREAD__)
constexpr bool kOwnPlace = false;
constexpr std::uint64_t kRangeBytes = std::uint64_t{16} << 30;
#else
constexpr bool kOwnPlace = true;
constexpr std::uint64_t kRangeBytes = std::uint64_t{256} << 30;
#endif
constexpr std::uint64_t kSmallestRange = std::uint64_t{4} << 30;  // under a limit on address space (ulimit -v)
// A place of its own keeps addresses, and what depends on them, the same from run to run.
constexpr std::uint64_t kPreferredBase = 0x2000'0000'0000;
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kGuard = 64 << 10;               // between allocations
constexpr std::uint64_t kAccessStep = std::uint64_t{64} << 20;
constexpr std::size_t kFreedRemembered = 64;

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

std::byte* reserve(std::uint64_t where, std::uint64_t bytes) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (where ? MAP_FIXED_NOREPLACE : 0);
    void* got = mmap(reinterpret_cast<void*>(where), bytes, PROT_NONE, flags, -1, 0);
    if (got == MAP_FAILED) return nullptr;
    if (where && got != reinterpret_cast<void*>(where)) {  // a kernel before 4.17 takes the address as a wish
        munmap(got, bytes);
        return nullptr;
    }
    return static_cast<std::byte*>(got);
}

}  // namespace

void mark_defined(std::uint8_t* bits, std::uint64_t first, std::uint64_t count) {
    if (!bits) return;
    const std::uint64_t end = first + count;
    while (first < end && first % 8) bits[first / 8] |= static_cast<std::uint8_t>(1u << first % 8), ++first;
    if (end - first >= 8) {
        std::memset(bits + first / 8, 0xff, (end - first) / 8);
        first += (end - first) / 8 * 8;
    }
    for (; first < end; ++first) bits[first / 8] |= static_cast<std::uint8_t>(1u << first % 8);
}

bool is_defined(const std::uint8_t* bits, std::uint64_t byte) { return !bits || (bits[byte / 8] >> byte % 8 & 1); }

void copy_defined(std::uint8_t* to, std::uint64_t to_first, const std::uint8_t* from, std::uint64_t from_first, std::uint64_t count) {
    if (!to) return;
    if (!from) return mark_defined(to, to_first, count);
    std::uint64_t done = 0;
    if (to_first % 8 == 0 && from_first % 8 == 0) {
        std::memmove(to + to_first / 8, from + from_first / 8, count / 8);
        done = count / 8 * 8;
    }
    for (; done < count; ++done) {
        const std::uint8_t bit = static_cast<std::uint8_t>(1u << (to_first + done) % 8);
        std::uint8_t& byte = to[(to_first + done) / 8];
        byte = static_cast<std::uint8_t>(is_defined(from, from_first + done) ? byte | bit : byte & ~bit);
    }
}

AddressSpace::AddressSpace() {
    std::byte* addresses = nullptr;
    for (size_ = kRangeBytes; size_ >= kSmallestRange; size_ /= 2) {
        if (kOwnPlace) addresses = reserve(kPreferredBase, size_);
        if (!addresses) addresses = reserve(0, size_);
        if (!addresses) continue;
        view_ = reserve(0, size_);
        if (view_) break;
        munmap(addresses, size_);
        addresses = nullptr;
    }
    if (!view_) {
        size_ = 0;
        return;
    }
    base_ = reinterpret_cast<std::uint64_t>(addresses);
    next_ = kGuard;
    // A core dump of the host program is about the host's memory.
    madvise(view_, size_, MADV_DONTDUMP);
}

bool AddressSpace::make_accessible(std::uint64_t end_offset) {
    if (end_offset <= accessible_) return true;
    const std::uint64_t end = std::min(round_up(end_offset, kAccessStep), size_);
    if (mprotect(view_ + accessible_, end - accessible_, PROT_READ | PROT_WRITE) != 0) return false;
    accessible_ = end;
    return true;
}

/// Offset of a free range, or 0.
std::uint64_t AddressSpace::take_range(std::uint64_t bytes) {
    if (bytes <= size_ - next_ && make_accessible(next_ + bytes)) {
        const std::uint64_t offset = next_;
        next_ += bytes;
        return offset;
    }
    for (auto range = free_ranges_.begin(); range != free_ranges_.end(); ++range) {
        if (range->second < bytes) continue;
        const std::uint64_t offset = range->first;
        range->first += bytes;
        range->second -= bytes;
        if (range->second == 0) free_ranges_.erase(range);
        return offset;
    }
    return 0;
}

Block* AddressSpace::allocate(BlockKind kind, std::uint64_t bytes, int device, std::string label) {
    if (bytes > size_) return nullptr;
    auto block = std::make_unique<Block>();
    block->kind = kind;
    block->device = device;
    block->reserved = round_up(bytes, kPage) + kGuard;
    // calloc of a large block is made of pages that cost nothing until a bit is set.
    if (kind == BlockKind::device) {
        block->defined.reset(static_cast<std::uint8_t*>(std::calloc(bytes / 8 + 1, 1)));
        if (!block->defined) return nullptr;
    }
    const std::uint64_t offset = take_range(block->reserved);
    if (offset == 0) return nullptr;
    block->whole = {.base = base_ + offset, .size = bytes, .host = view_ + offset, .defined = block->defined.get(), .label = std::move(label)};
    Block* result = block.get();
    blocks_.emplace(result->whole.base, std::move(block));
    changed();
    return result;
}

Block* AddressSpace::adopt_host(BlockKind kind, std::byte* memory, std::uint64_t bytes, int device, std::string label) {
    auto block = std::make_unique<Block>();
    block->kind = kind;
    block->device = device;
    block->whole = {.base = reinterpret_cast<std::uint64_t>(memory), .size = bytes, .host = memory, .label = std::move(label)};
    Block* result = block.get();
    blocks_.emplace(result->whole.base, std::move(block));
    changed();
    return result;
}

void AddressSpace::release(Block* block) {
    Allocation gone = block->whole;
    gone.host = nullptr;
    gone.defined = nullptr;
    if (!block->on_host()) {
        const std::uint64_t offset = gone.base - base_;
        madvise(view_ + offset, round_up(gone.size, kPage), MADV_DONTNEED);
        free_ranges_.emplace_back(offset, block->reserved);
    }
    freed_.push_back(std::move(gone));
    if (freed_.size() > kFreedRemembered) freed_.pop_front();
    blocks_.erase(block->whole.base);
    changed();
}

std::vector<Block*> AddressSpace::blocks_of(int device) const {
    std::vector<Block*> found;
    for (const auto& [address, block] : blocks_)
        if (block->device == device) found.push_back(block.get());
    return found;
}

Block* AddressSpace::find_any(std::uint64_t address) const {
    auto after = blocks_.upper_bound(address);
    if (after == blocks_.begin()) return nullptr;
    Block* block = std::prev(after)->second.get();
    // An empty allocation still has an address of its own.
    return address - block->whole.base < std::max<std::uint64_t>(block->whole.size, 1) ? block : nullptr;
}

Block* AddressSpace::find(std::uint64_t address) const {
    Block* block = find_any(address);
    return block && !block->hidden ? block : nullptr;
}

bool AddressSpace::overlaps(std::uint64_t address, std::uint64_t bytes) const {
    if (find_any(address)) return true;
    const auto after = blocks_.upper_bound(address);
    return after != blocks_.end() && after->first - address < bytes;
}

namespace {

enum class Access : std::uint8_t { none, read, all };

/// What kernels of a device may do with a block.
Access access_of(const Block& block, int device, const std::set<int>& peers) {
    if (block.on_host() || block.device == device) return Access::all;
    if (block.pool)
        if (const auto set = block.pool->access.find(device); set != block.pool->access.end())
            return set->second == hipMemAccessFlagsProtReadWrite ? Access::all : set->second == hipMemAccessFlagsProtRead ? Access::read : Access::none;
    return peers.contains(block.device) ? Access::all : Access::none;
}

}  // namespace

std::shared_ptr<const MemoryMap> AddressSpace::snapshot(const Allocation& arguments, int device, const std::set<int>& peers) {
    Snapshot& last = snapshots_[device];
    if (last.map && last.arguments == arguments.size) return last.map;
    std::vector<Allocation> all, freed, unreachable;
    for (const auto& [address, block] : blocks_) {
        const Access access = access_of(*block, device, peers);
        if (block->hidden) freed.push_back(block->whole);
        else if (access == Access::none) unreachable.push_back(block->whole);
        else if (access == Access::read) all.push_back(block->whole), all.back().writable = false;
        else if (block->kind != BlockKind::image) all.push_back(block->whole);
        else all.insert(all.end(), block->parts.begin(), block->parts.end());
    }
    if (arguments.size > 0) {
        auto place = std::upper_bound(all.begin(), all.end(), arguments.base,
                                      [](std::uint64_t value, const Allocation& one) { return value < one.base; });
        all.insert(place, arguments);
    }
    freed.insert(freed.end(), freed_.rbegin(), freed_.rend());
    last = {.map = std::make_shared<const MemoryMap>(std::move(all), std::move(freed), std::move(unreachable)), .arguments = arguments.size};
    return last.map;
}

std::string AddressSpace::describe(std::uint64_t address) {
    std::vector<Allocation> all, freed;
    for (const auto& [base, block] : blocks_) (block->hidden ? freed : all).push_back(block->whole);
    freed.insert(freed.end(), freed_.rbegin(), freed_.rend());
    return MemoryMap(std::move(all), std::move(freed)).describe(address);
}

}  // namespace hipemu
