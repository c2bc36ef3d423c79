// global_*, flat_* and scratch_* loads and stores.
#include "emulator/exec_vmem.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "emulator/lane_transpose.hpp"
#include "emulator/op_tables.hpp"

namespace hipemu {
namespace {

/// The second pass of a load that met undefined bytes: the bits of each lane, register by register.
void set_loaded_undefined(Wave& wave, const Operand& destination, const Format& format, const std::byte (&bytes)[kLanes][16]) {
    Operand target = destination;
    if (format.half != Half::whole) target.half = half_of(destination, format.half);
    for (unsigned word = 0; word < format.words(); ++word) {
        LaneBits bits;
        for (int lane = 0; lane < kLanes; ++lane) bits[lane] = register_word(bytes[lane], format, word);
        set_undefined(wave, target, word, bits);
    }
}

/// Have the bytes of all lanes been written? False, too, where that takes a closer look.
template <unsigned bytes>
bool all_lanes_defined(const Allocation& allocation, const std::uint64_t (&address)[kLanes]) {
    const std::uint64_t base = allocation.base;
    if constexpr (bytes == 16) {
        std::uint64_t low_bits = base | reinterpret_cast<std::uintptr_t>(allocation.defined) << 3;
        for (const std::uint64_t one : address) low_bits |= one;
        if (low_bits % 16 == 0) {
            const auto* const bits = reinterpret_cast<const std::uint16_t*>(allocation.defined);  // of 16 bytes each
            std::uint16_t all = 0xffff;
            for (const std::uint64_t one : address) all &= __atomic_load_n(bits + (one - base) / 16, __ATOMIC_RELAXED);
            return all == 0xffff;
        }
    }
    for (const std::uint64_t one : address) {
        if (!all_defined(allocation.defined, one - base, bytes)) return false;
    }
    return true;
}

/// The common case: every lane is active, within one allocation, and all that it loads is defined. nullptr if it is another case.
template <unsigned bytes>
const Allocation* one_allocation(Wave& wave, const std::uint64_t (&address)[kLanes]) {
    const Allocation* allocation = wave.last_allocation;
    if (allocation == nullptr || address[0] - allocation->base >= allocation->size) {
        allocation = wave.group->memory->find(address[0], bytes);
        if (allocation == nullptr) return nullptr;
        wave.last_allocation = allocation;
    }
    if (allocation->size < bytes) return nullptr;
    const std::uint64_t base = allocation->base, last = allocation->size - bytes;
    bool inside = true;
    for (int lane = 0; lane < kLanes; ++lane) inside &= address[lane] - base <= last;
    if (!inside) return nullptr;
    if (allocation->defined != nullptr && !all_lanes_defined<bytes>(*allocation, address)) return nullptr;
    wave.memory_bytes += std::uint64_t{bytes} * kLanes;
    if (allocation != &wave.group->dispatch_packet)
        note_span(*wave.group, allocation, std::min(address[0], address[kLanes - 1]), std::max(address[0], address[kLanes - 1]) + bytes);
    return allocation;
}

template <unsigned bytes>
bool load_from_one_allocation(Wave& wave, const Operand& destination, const std::uint64_t (&address)[kLanes]) {
    const Allocation* allocation = one_allocation<bytes>(wave, address);
    if (allocation == nullptr) return false;
    std::uint32_t(*rows)[kLanes] = wave.v + destination.index;
    for (int lane = 0; lane < kLanes; ++lane) {
        std::uint32_t words[bytes / 4];
        std::memcpy(words, allocation->host + (address[lane] - allocation->base), bytes);
        for (unsigned word = 0; word < bytes / 4; ++word) rows[word][lane] = words[word];
    }
    return true;
}

template <Space space, unsigned bytes, bool sign, Half half>
void exec_load(Wave& wave, const Inst& inst) {
    constexpr Format format{bytes, sign, half};
    const VectorAddress<space> address(wave, inst.src[0], inst.sources > 1 ? &inst.src[1] : nullptr, inst.mod.offset);
    const Operand& destination = inst.dst[0];
    std::uint64_t addresses[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) addresses[lane] = address.of(lane);
    const std::uint32_t exec = wave.exec();
    if constexpr (space == Space::global && bytes >= 4) {
        if (exec == 0xffffffffu && load_from_one_allocation<bytes>(wave, destination, addresses)) return;
    }

    std::byte undefined[kLanes][16] = {};
    bool any_undefined_byte = false;
    Place places[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
        if ((exec >> lane & 1) == 0) continue;
        if (!find_place<space>(wave, addresses[lane], bytes, lane, false, places[lane])) return;
    }
    for (int lane = 0; lane < kLanes; ++lane) {
        if ((exec >> lane & 1) == 0) continue;
        const Place& place = places[lane];
        for (unsigned word = 0; word < format.words(); ++word) {
            const std::uint32_t value = register_word(place.data, format, word);
            put_half(wave.v[destination.index + word][lane], value, format.half == Half::whole ? Half::whole : half_of(destination, half));
        }
        if (place.undefined == nullptr && place.bitmap == nullptr) continue;
        undefined_bytes(place, bytes, undefined[lane]);
        any_undefined_byte |= has_undefined(undefined[lane], bytes);
    }
    if (any_undefined_byte) set_loaded_undefined(wave, destination, format, undefined);
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) void exec_load_b128_avx2(Wave& wave, const Inst& inst) {
    constexpr Space space = Space::global;
    const VectorAddress<space> address(wave, inst.src[0], inst.sources > 1 ? &inst.src[1] : nullptr, inst.mod.offset);
    std::uint64_t addresses[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) addresses[lane] = address.of(lane);
    const Allocation* allocation = wave.exec() == 0xffffffffu ? one_allocation<16>(wave, addresses) : nullptr;
    if (allocation == nullptr) return exec_load<space, 16, false, Half::whole>(wave, inst);
    std::uint32_t(*rows)[kLanes] = wave.v + inst.dst[0].index;
    for (const int first : {0, 16}) {
        transpose_sixteen([&](int lane) { return allocation->host + (addresses[lane] - allocation->base); }, rows, first);
    }
}

ExecFn select_load_b128(const Inst& inst) {
    const bool plain = inst.dst[0].kind == OperandKind::vgpr && inst.dst[0].count == 4;
    return plain && chosen_lane_build() == LaneBuild::avx2 ? exec_load_b128_avx2 : inst.exec;
}

#else

ExecFn select_load_b128(const Inst& inst) { return inst.exec; }

#endif

/// Of a stored struct's bytes those that are undefined stay so in memory (see is_padding).
void mark_holes(const Place& place, const Wave& wave, const Operand& data, Half half, unsigned bytes, int lane) {
    for (unsigned i = 0; i < bytes; ++i) {
        const unsigned r = data.index + i / 4;
        if (wave.defined.contains(r)) continue;
        if ((take_half(wave.undefined[r][lane], half) >> (8 * (i % 4)) & 0xff) != 0) mark_undefined(place.bitmap, place.offset + i);
    }
}

template <Space space, unsigned bytes, Half half>
void exec_store(Wave& wave, const Inst& inst) {
    constexpr Format format{bytes, false, half};
    const VectorAddress<space> address(wave, inst.src[0], inst.sources > 2 ? &inst.src[2] : nullptr, inst.mod.offset);
    const Operand& data = inst.src[1];
    const std::uint32_t exec = wave.exec();
    RegSet registers;
    registers.add(data.index, format.words());
    const bool undefined_data = data.kind == OperandKind::vgpr && !wave.defined.covers(registers);
    for (int lane = 0; lane < kLanes; ++lane) {
        if ((exec >> lane & 1) == 0) continue;
        Place place;
        if (!find_place<space>(wave, address.of(lane), bytes, lane, true, place)) return;
        for (unsigned word = 0; word < format.words(); ++word) {
            const std::uint32_t value = take_half(wave.v[data.index + word][lane], half_of(data, half));
            std::memcpy(place.data + 4 * word, &value, bytes < 4 ? bytes : 4);
        }
        if (place.bitmap != nullptr) mark_defined(place.bitmap, place.offset, bytes);
        if (place.bitmap != nullptr && undefined_data) mark_holes(place, wave, data, half_of(data, half), bytes, lane);
        if (place.undefined == nullptr) continue;
        std::memset(place.undefined, 0, bytes);
        for (unsigned word = 0; undefined_data && word < format.words(); ++word) {
            if (wave.defined.contains(data.index + word)) continue;
            const std::uint32_t bits = take_half(wave.undefined[data.index + word][lane], half_of(data, half));
            std::memcpy(place.undefined + 4 * word, &bits, bytes < 4 ? bytes : 4);
        }
    }
}

// Rules for undefined bits: addresses must be defined, and so must what goes to global memory.

void require_addresses(Wave& wave, const Inst& inst, unsigned saddr) {
    require_defined_address(wave, inst.src[0]);
    if (inst.sources > saddr) require_defined_address(wave, inst.src[saddr]);
}

void taint_load(Wave& wave, const Inst& inst) {
    require_addresses(wave, inst, 1);
    expect_defined_load(wave, inst);
}

/// What one lane's store takes from its registers: the undefined bits of the bytes, and the bytes.
struct StoredBytes {
    std::byte undefined[16] = {}, value[16] = {};
    unsigned count = 0;
};
StoredBytes stored_bytes(const Wave& wave, const Operand& data, Half half, unsigned bytes, int lane) {
    StoredBytes stored;
    stored.count = bytes;
    for (unsigned word = 0; 4 * word < bytes; ++word) {
        const unsigned r = data.index + word;
        const std::uint32_t bits = wave.defined.contains(r) ? 0 : take_half(wave.undefined[r][lane], half);
        const std::uint32_t value = take_half(wave.v[r][lane], half);
        std::memcpy(stored.undefined + 4 * word, &bits, bytes < 4 ? bytes : 4);
        std::memcpy(stored.value + 4 * word, &value, bytes < 4 ? bytes : 4);
    }
    return stored;
}

/// Holes of a struct that is copied whole: bytes of private memory that nobody wrote, unchanged, beside bytes that are defined. Compilers do
/// that; memory notes that the bytes are undefined, and a use of them is the finding.
bool is_padding(const StoredBytes& stored) {
    unsigned defined = 0;
    for (unsigned i = 0; i < stored.count; ++i) {
        if (stored.undefined[i] == std::byte{0}) ++defined;
        else if (stored.undefined[i] != std::byte{0xff} || stored.value[i] != std::byte{kPrivatePoison}) return false;
    }
    return defined > 0;
}

template <Space space>
void taint_store(Wave& wave, const Inst& inst) {
    require_addresses(wave, inst, 2);
    if (space == Space::scratch) return;
    const std::string_view name = inst.info->mnemonic;
    const Operand& data = inst.src[1];
    if (data.kind != OperandKind::vgpr) return;
    const Half half = half_of(data, name.find("d16_hi") != std::string_view::npos ? Half::high : Half::whole);
    const unsigned bytes = name.ends_with("b8") ? 1 : name.ends_with("b16") ? 2 : 4u * data.count;
    const VectorAddress<space> address(wave, inst.src[0], inst.sources > 2 ? &inst.src[2] : nullptr, inst.mod.offset);
    for (int lane = 0; lane < kLanes; ++lane) {
        if ((wave.exec() >> lane & 1) == 0) continue;
        const StoredBytes stored = stored_bytes(wave, data, half, bytes, lane);
        if (!has_undefined(stored.undefined, bytes) || is_padding(stored)) continue;
        const std::uint64_t window = address.of(lane) >> 32 << 32;
        if (space == Space::flat && (window == kSharedAperture || window == kPrivateAperture)) continue;
        wave.stop_with_fault(FaultKind::undefined_store, "undefined bits are stored to global memory", lane, address.of(lane));
        return;
    }
}

constexpr OpInfo memory_op(std::string_view mnemonic, ExecFn exec, std::uint8_t destinations, TaintFn rule) {
    OpInfo op;
    op.mnemonic = mnemonic;
    op.exec = exec;
    op.unit = Unit::vmem;
    op.issue_cycles = 1;
    op.destinations = destinations;
    op.taint = Taint::custom;
    op.taint_fn = rule;
    return op;
}

constexpr OpInfo load(std::string_view mnemonic, ExecFn exec) { return memory_op(mnemonic, exec, 1, taint_load); }
constexpr OpInfo half_load(std::string_view mnemonic, ExecFn exec) {
    OpInfo op = load(mnemonic, exec);
    op.reads_destination = true;
    return op;
}
template <Space space>
constexpr OpInfo store(std::string_view mnemonic, ExecFn exec) {
    return memory_op(mnemonic, exec, 0, taint_store<space>);
}

#define MOVE_ROWS(prefix, space)                                                                    \
    load(prefix "_load_u8", exec_load<space, 1, false, Half::whole>),                               \
        load(prefix "_load_i8", exec_load<space, 1, true, Half::whole>),                            \
        load(prefix "_load_u16", exec_load<space, 2, false, Half::whole>),                          \
        load(prefix "_load_i16", exec_load<space, 2, true, Half::whole>),                           \
        half_load(prefix "_load_d16_u8", exec_load<space, 1, false, Half::low>),                    \
        half_load(prefix "_load_d16_i8", exec_load<space, 1, true, Half::low>),                     \
        half_load(prefix "_load_d16_b16", exec_load<space, 2, false, Half::low>),                   \
        half_load(prefix "_load_d16_hi_u8", exec_load<space, 1, false, Half::high>),                \
        half_load(prefix "_load_d16_hi_i8", exec_load<space, 1, true, Half::high>),                 \
        half_load(prefix "_load_d16_hi_b16", exec_load<space, 2, false, Half::high>),               \
        load(prefix "_load_b32", exec_load<space, 4, false, Half::whole>),                          \
        load(prefix "_load_b64", exec_load<space, 8, false, Half::whole>),                          \
        load(prefix "_load_b96", exec_load<space, 12, false, Half::whole>),                         \
        load(prefix "_load_b128", exec_load<space, 16, false, Half::whole>),                        \
        store<space>(prefix "_store_b8", exec_store<space, 1, Half::whole>),                        \
        store<space>(prefix "_store_b16", exec_store<space, 2, Half::whole>),                       \
        store<space>(prefix "_store_d16_hi_b8", exec_store<space, 1, Half::high>),                  \
        store<space>(prefix "_store_d16_hi_b16", exec_store<space, 2, Half::high>),                 \
        store<space>(prefix "_store_b32", exec_store<space, 4, Half::whole>),                       \
        store<space>(prefix "_store_b64", exec_store<space, 8, Half::whole>),                       \
        store<space>(prefix "_store_b96", exec_store<space, 12, Half::whole>),                      \
        store<space>(prefix "_store_b128", exec_store<space, 16, Half::whole>)

constexpr auto kOps = [] {
    std::array ops{
        MOVE_ROWS("global", Space::global),
        MOVE_ROWS("flat", Space::flat),
        MOVE_ROWS("scratch", Space::scratch),
    };
    for (OpInfo& op : ops) {
        if (op.mnemonic == "global_load_b128") op.select = select_load_b128;
    }
    return ops;
}();

#undef MOVE_ROWS

}  // namespace

std::span<const OpInfo> vmem_move_ops() { return kOps; }

std::span<const OpInfo> vmem_ops() {
    static const std::vector<OpInfo> all = [] {
        std::vector<OpInfo> rows(kOps.begin(), kOps.end());
        const std::span<const OpInfo> atomics = vmem_atomic_ops();
        rows.insert(rows.end(), atomics.begin(), atomics.end());
        return rows;
    }();
    return all;
}

}  // namespace hipemu
