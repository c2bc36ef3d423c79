#include "emulator/checks/global_races.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "emulator/isa/program.hpp"
#include "emulator/state/launch_request.hpp"

namespace hipemu {
namespace {

/// Ranges that are kept of one allocation, 20 MB. Of a larger launch only the first part of the allocation is looked at: the same part whatever
/// the order in which groups end.
constexpr std::size_t kMostRanges = 1 << 19;
/// Pairs that are compared in one allocation: about a second. Only ranges that many groups share, in an order of their own, come near it.
constexpr std::uint64_t kMostPairs = 1 << 28;

GlobalRole role_of(const Program& program, std::size_t code) {
    const AccessShape& shape = program.accesses[code];
    const bool global = shape.space == AccessSpace::global || shape.space == AccessSpace::flat || shape.space == AccessSpace::scalar;
    if (!global || shape.bytes == 0) return GlobalRole::none;
    const bool swaps = shape.atomic && program.code[code].info->mnemonic.find("cmpswap") != std::string_view::npos;
    if (swaps) return shape.acquires ? GlobalRole::swap_acquire : GlobalRole::swap;
    if (shape.atomic) return shape.acquires ? GlobalRole::atomic_acquire : GlobalRole::atomic;
    if (shape.writes) return GlobalRole::write;
    return shape.acquires ? GlobalRole::atomic_load : GlobalRole::read;
}

constexpr unsigned bit(GlobalRole role) { return 1u << static_cast<unsigned>(role); }

/// The roles that a role must not meet unordered.
unsigned conflicts_of(GlobalRole role) {
    using enum GlobalRole;
    switch (role) {
        case read: return bit(write) | bit(agreeing_write) | bit(owner_write) | bit(atomic) | bit(atomic_acquire);
        case write: return bit(read) | bit(write) | bit(agreeing_write) | bit(owner_write) | bit(atomic) | bit(swap);
        case agreeing_write: return bit(read) | bit(write) | bit(owner_write) | bit(atomic) | bit(swap);
        case owner_write: return bit(read) | bit(write) | bit(agreeing_write);
        case atomic: return bit(read) | bit(write) | bit(agreeing_write);
        case atomic_acquire: return bit(read);
        case swap: return bit(write) | bit(agreeing_write);
        default: return 0;
    }
}

bool is_store(GlobalRole role) {
    return role == GlobalRole::write || role == GlobalRole::agreeing_write || role == GlobalRole::owner_write;
}

const char* verb_of(GlobalRole role) { return role == GlobalRole::read ? "reads" : is_store(role) ? "writes" : "changes atomically"; }

}  // namespace

GlobalRaces::GlobalRaces(const LaunchRequest& request) : request_(request) {
    const Program& program = *request.kernel->program;
    bool writes = false;
    for (std::size_t i = 0; i < program.code.size(); ++i) {
        const GlobalRole role = hipemu::role_of(program, i);
        roles_.push_back(role);
        writes |= role != GlobalRole::none && role != GlobalRole::read && role != GlobalRole::atomic_load;
        acquiring_.push_back(role == GlobalRole::atomic_load || (is_update(role) && program.code[i].destinations > 0));
        acquires_ |= acquiring_.back() || program.text[i].starts_with("buffer_gl1_inv");
    }
    const bool one_wave = request.block[0] * request.block[1] * request.block[2] <= kLanes;
    needed_ = writes && (!one_wave || std::uint64_t{request.grid[0]} * request.grid[1] * request.grid[2] > 1);
    epochs_.resize(1);
}

const MemoryMap& GlobalRaces::memory() const { return *request_.memory; }

void GlobalRaces::add(const Workgroup& group, const std::vector<GlobalRange>& ranges, const std::vector<GlobalEpoch>& epochs) {
    const auto number = static_cast<std::uint32_t>((std::uint64_t{group.id[2]} * group.grid[1] + group.id[1]) * group.grid[0] + group.id[0]);
    const std::lock_guard lock(mutex_);
    std::uint32_t first_epoch = 0;
    if (acquires_) {
        first_epoch = static_cast<std::uint32_t>(epochs_.size());
        epochs_.insert(epochs_.end(), epochs.begin(), epochs.end());
    }
    const Allocation* allocation = nullptr;
    Memory* memory = nullptr;
    for (const GlobalRange& range : ranges) {
        if (allocation == nullptr || range.low - allocation->base >= allocation->size) {
            allocation = request_.memory->find(range.low, 1);
            if (allocation == nullptr) continue;
            memory = nullptr;
            if (allocation->writable) {
                const auto [at, is_new] = memories_.try_emplace(allocation);
                memory = &at->second;
                if (is_new) memory->window = allocation->size;
            }
        }
        if (memory == nullptr || range.low - allocation->base >= memory->window) continue;
        Touch touch{.range = range, .group = number};
        touch.range.epoch += first_epoch;
        memory->touches.push_back(touch);
        if (memory->touches.size() > kMostRanges) shrink(*allocation, *memory);
    }
}

void GlobalRaces::shrink(const Allocation& allocation, Memory& memory) const {
    while (memory.touches.size() > kMostRanges && memory.window > 1) {
        memory.window /= 2;
        std::erase_if(memory.touches, [&](const Touch& touch) { return touch.range.low - allocation.base >= memory.window; });
    }
}

bool GlobalRaces::are_ordered(const Touch& a, const Touch& b) const {
    if (!acquires_) return false;
    // Loads and atomics count as released when they are made, or earlier.
    const auto released = [&](const Touch& touch) {
        const GlobalEpoch& epoch = epochs_[touch.range.epoch];
        return is_store(touch.range.role) ? epoch.released : epoch.acquired;
    };
    return released(a) < epochs_[b.range.epoch].acquired || released(b) < epochs_[a.range.epoch].acquired;
}

std::optional<Fault> GlobalRaces::find() {
    // The order of addresses, not of pointers.
    std::vector<std::pair<const Allocation*, Memory*>> memories;
    for (auto& [allocation, memory] : memories_) memories.emplace_back(allocation, &memory);
    std::sort(memories.begin(), memories.end(), [](const auto& a, const auto& b) { return a.first->base < b.first->base; });
    for (const auto& [allocation, memory] : memories) {
        const bool only_read = std::all_of(memory->touches.begin(), memory->touches.end(), [](const Touch& touch) {
            return touch.range.role == GlobalRole::read || touch.range.role == GlobalRole::atomic_load;
        });
        if (only_read) continue;
        if (std::optional<Fault> fault = find_in(*memory)) return fault;
    }
    return std::nullopt;
}

/// Goes through the ranges by address and compares each with those before it that reach into it.
std::optional<Fault> GlobalRaces::find_in(Memory& memory) const {
    const auto key = [](const Touch& touch) {
        return std::tuple(touch.range.low, touch.group, touch.range.role, touch.range.code, touch.range.bytes);
    };
    std::sort(memory.touches.begin(), memory.touches.end(), [&](const Touch& a, const Touch& b) { return key(a) < key(b); });

    // Where atomic loads look, a store is an atomic one.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> flags;
    for (const Touch& touch : memory.touches) {
        const bool looks = touch.range.role == GlobalRole::atomic_load || touch.range.role == GlobalRole::atomic_acquire ||
                           touch.range.role == GlobalRole::swap_acquire;
        if (!looks) continue;
        if (!flags.empty() && touch.range.low <= flags.back().second) flags.back().second = std::max(flags.back().second, touch.range.high());
        else flags.emplace_back(touch.range.low, touch.range.high());
    }
    const auto holds_flag = [&](std::uint64_t low, std::uint64_t high) {
        const auto after = std::upper_bound(flags.begin(), flags.end(), low, [](std::uint64_t value, const auto& one) { return value < one.second; });
        return after != flags.end() && after->first < high;
    };

    struct Active {
        std::vector<const Touch*> touches;
        std::size_t clean_at = 64;

        void add(const Touch& touch) {
            if (touches.size() >= clean_at) {
                std::erase_if(touches, [&](const Touch* one) { return one->range.high() <= touch.range.low; });
                clean_at = std::max<std::size_t>(64, 2 * touches.size());
            }
            touches.push_back(&touch);
        }
    } readers, others;
    std::uint64_t pairs = 0;
    for (const Touch& touch : memory.touches) {
        const GlobalRole role = touch.range.role;
        if (role == GlobalRole::atomic_load) continue;
        const unsigned conflicts = conflicts_of(role);
        const Touch* found = nullptr;
        const auto compare = [&](const Active& active) {
            pairs += active.touches.size();
            for (const Touch* other : active.touches) {
                if (other->group == touch.group || other->range.high() <= touch.range.low) continue;
                if ((conflicts & bit(other->range.role)) == 0 || are_ordered(*other, touch)) continue;
                if (is_store(role) && is_store(other->range.role) &&
                    holds_flag(touch.range.low, std::min(touch.range.high(), other->range.high()))) {
                    continue;
                }
                if (found == nullptr || other->group < found->group) found = other;
            }
        };
        compare(others);
        if (role != GlobalRole::read) compare(readers);
        if (found != nullptr) return fault_of(*found, touch);
        if (pairs > kMostPairs) return std::nullopt;
        (role == GlobalRole::read ? readers : others).add(touch);
    }
    return std::nullopt;
}

Fault GlobalRaces::fault_of(const Touch& a, const Touch& b) const {
    const Program& program = *request_.kernel->program;
    const auto group_of = [&](const Touch& touch) {
        const std::uint32_t x = request_.grid[0], y = request_.grid[1];
        return std::array<std::uint32_t, 3>{touch.group % x, touch.group / x % y, touch.group / x / y};
    };
    // Named is one that writes; of two, the later in grid order.
    const bool a_is_named = a.range.role != GlobalRole::read && (b.range.role == GlobalRole::read || a.group > b.group);
    const Touch& named = a_is_named ? a : b;
    const Touch& other = a_is_named ? b : a;
    const std::uint64_t address = std::max(a.range.low, b.range.low);
    const std::uint64_t bytes = std::min(a.range.high(), b.range.high()) - address;
    const std::array<std::uint32_t, 3> id = group_of(other);

    Fault fault;
    fault.kind = FaultKind::global_race;
    fault.kernel = request_.kernel->name;
    fault.group = group_of(named);
    fault.wave = named.range.wave;
    fault.code_address = program.code[named.range.code].address;
    fault.instruction = program.text[named.range.code];
    fault.data_address = address;
    fault.message = fmt::format("{} {} byte{} at {:#x}, {}, which group ({},{},{}), wave {} {} with `{}` at +{:#x}{}: nothing orders the two groups",
                                verb_of(named.range.role), bytes, bytes == 1 ? "" : "s", address, request_.memory->describe(address), id[0], id[1],
                                id[2], other.range.wave, verb_of(other.range.role), program.text[other.range.code],
                                program.code[other.range.code].address, other.range.several ? " or beside it" : "");
    return fault;
}

}  // namespace hipemu
