// The device addresses of this process. One range is reserved twice: at the device addresses nothing is ever accessible, so that a host
// program which follows a device pointer faults as it would with a card; at a fixed distance lies the emulator's own view, which holds the
// bytes. Addresses are given out in the same order in every process.
//
// Not thread-safe: the machine's lock protects it. Blocks stay where they are until they are released.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "emulator/state/memory.hpp"

namespace hipemu {

enum class BlockKind : std::uint8_t {
    device,  // hipMalloc
    host,    // hipHostMalloc, hipHostRegister: host memory at its own address, which kernels reach too
    managed, // hipMallocManaged: the same, by another name
    image,   // a loaded code object; its segments have different rights and are listed one by one
};

struct GraphMemory;
struct Pool;

struct FreeDeleter {
    void operator()(void* memory) const { std::free(memory); }
};

/// One allocation and what belongs to it.
struct Block {
    BlockKind kind = BlockKind::device;
    int device = 0;
    Allocation whole;                        // the allocation in one piece
    std::vector<Allocation> parts;           // images: what kernels may see of it; empty: `whole`
    std::unique_ptr<std::uint8_t, FreeDeleter> defined;  // storage of whole.defined
    std::uint64_t reserved = 0;              // bytes of the address range it occupies, guard zone included
    unsigned flags = 0;                      // of hipHostMalloc
    bool registered = false;                 // by hipHostRegister: the memory stays the program's
    GraphMemory* of_graph = nullptr;         // whose it is
    std::shared_ptr<GraphMemory> graph_memory;  // the same while it is in use, as of what is queued
    bool freeing = false;                    // hipFreeAsync was called for it
    bool hidden = false;                     // memory of a graph before its allocation and after its release
    std::shared_ptr<Pool> pool;              // hipMallocAsync: whose budget it takes

    bool on_host() const { return kind == BlockKind::host || kind == BlockKind::managed; }
};

class AddressSpace {
public:
    AddressSpace();
    AddressSpace(const AddressSpace&) = delete;
    AddressSpace& operator=(const AddressSpace&) = delete;

    /// nullptr where the host has no memory or address range left. Contents are undefined.
    Block* allocate(BlockKind kind, std::uint64_t bytes, int device, std::string label);
    /// Registers host memory under its own address.
    Block* adopt_host(BlockKind kind, std::byte* memory, std::uint64_t bytes, int device, std::string label);
    /// Its bytes go back to the system at once, its addresses are not used again for a long time. Host memory stays with the caller.
    void release(Block* block);

    /// All live blocks of a device.
    std::vector<Block*> blocks_of(int device) const;

    /// The live block that holds `address`, or nullptr.
    Block* find(std::uint64_t address) const;
    /// The same, hidden or not.
    Block* find_any(std::uint64_t address) const;
    /// Does a block of host memory hold any byte of the range?
    bool overlaps(std::uint64_t address, std::uint64_t bytes) const;
    /// True for an address that was handed out in the past or may be in the future: no host memory lies there.
    bool is_device_address(std::uint64_t address) const { return address - base_ < size_; }

    /// What kernels of a device see now: its memory, the host's, that of its `peers`, and `arguments`, the kernel's own arguments, which
    /// always lie at the same place.
    std::shared_ptr<const MemoryMap> snapshot(const Allocation& arguments, int device, const std::set<int>& peers);
    std::string describe(std::uint64_t address);

    /// After a change of a block's parts, of its being hidden, or of who is whose peer.
    void changed() { snapshots_.clear(); }

private:
    bool make_accessible(std::uint64_t end_offset);
    std::uint64_t take_range(std::uint64_t bytes);

    std::uint64_t base_ = 0;     // device address of the first byte of the range
    std::uint64_t size_ = 0;
    std::byte* view_ = nullptr;  // the emulator's view of base_
    std::uint64_t next_ = 0;         // offset of the first byte never given out
    std::uint64_t accessible_ = 0;   // the view is readable and writable up to here
    std::map<std::uint64_t, std::unique_ptr<Block>> blocks_;  // by address
    std::deque<Allocation> freed_;                            // newest last, to name a use after free
    std::deque<std::pair<std::uint64_t, std::uint64_t>> free_ranges_;  // offset, bytes; oldest first
    struct Snapshot {
        std::shared_ptr<const MemoryMap> map;
        std::uint64_t arguments = 0;                          // bytes of arguments in it
    };
    std::map<int, Snapshot> snapshots_;                       // the last one of each device, while nothing changed
};

/// Defined bits of bytes [first, first + count) of an allocation.
void mark_defined(std::uint8_t* bits, std::uint64_t first, std::uint64_t count);
void copy_defined(std::uint8_t* to, std::uint64_t to_first, const std::uint8_t* from, std::uint64_t from_first, std::uint64_t count);
bool is_defined(const std::uint8_t* bits, std::uint64_t byte);

}  // namespace hipemu
