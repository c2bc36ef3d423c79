// global_*, flat_* and scratch_* loads and stores.
#include "emulator/exec/vmem.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "emulator/exec/lane_transpose.hpp"
#include "emulator/isa/op_tables.hpp"

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

template <Space space, unsigned bytes, bool sign, Half half>
void exec_load(Wave& wave, const Inst& inst) {
    constexpr Format format{bytes, sign, half};
    const VectorAddress<space> address(wave, inst.src[0], inst.sources > 1 ? &inst.src[1] : nullptr, inst.mod.offset);
    const Operand& destination = inst.dst[0];
    const std::uint32_t exec = wave.exec();
    std::byte undefined[kLanes][16] = {};
    bool any_undefined_byte = false;
    Place places[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
        if ((exec >> lane & 1) == 0) continue;
        if (!find_place<space>(wave, address.of(lane), bytes, lane, false, places[lane])) return;
    }
    for (int lane = 0; lane < kLanes; ++lane) {
        if ((exec >> lane & 1) == 0) continue;
        const Place& place = places[lane];
        for (unsigned word = 0; word < format.words(); ++word) {
            const std::uint32_t value = register_word(place.data, format, word);
            put_half(wave.v[destination.index + word][lane], value, format.half == Half::whole ? Half::whole : half_of(destination, half));
        }
        if (!wave.group->tracks_undefined || (place.undefined == nullptr && place.bitmap == nullptr)) continue;
        undefined_bytes(place, bytes, undefined[lane]);
        any_undefined_byte |= has_undefined(undefined[lane], bytes);
    }
    if (any_undefined_byte) set_loaded_undefined(wave, destination, format, undefined);
}

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

#if defined(__x86_64__)

/// Where the lanes of a whole wave access one allocation: offsets in it.
struct alignas(32) Offsets {
    std::uint64_t of[kLanes];
};

/// The common case: every lane is active and within one allocation. nullptr if it is another case, which the slow path sorts out.
template <unsigned bytes>
__attribute__((target("avx2"))) const Allocation* one_allocation(Wave& wave, const Inst& inst, const Operand* saddr, Offsets& offsets) {
    if (wave.exec() != 0xffffffffu) return nullptr;
    const Operand& vaddr = inst.src[0];
    const VectorAddress<Space::global> address(wave, vaddr, saddr, inst.mod.offset);
    const std::uint64_t first = address.of(0);
    const Allocation* allocation = wave.last_allocation;
    if (allocation == nullptr || first - allocation->base >= allocation->size) {
        allocation = wave.group->memory->find(first, bytes);
        if (allocation == nullptr) return nullptr;
    }
    if (allocation->size < bytes) return nullptr;
    const bool wide = vaddr.count > 1;
    const std::uint32_t* const low = wave.v[vaddr.index];
    const std::uint32_t* const high = wave.v[(vaddr.index + 1) & 255];
    const std::uint64_t own = low[0] | (wide ? std::uint64_t{high[0]} << 32 : 0);
    const __m256i shift = _mm256_set1_epi64x(static_cast<long long>(first - own - allocation->base));
    const __m256i last = _mm256_set1_epi64x(static_cast<long long>(allocation->size - bytes));
    __m256i outside = _mm256_setzero_si256();  // by sign bits
    for (int lane = 0; lane < kLanes; lane += 4) {
        const __m128i words = _mm_load_si128(reinterpret_cast<const __m128i*>(low + lane));
        __m256i value = _mm256_cvtepu32_epi64(words);
        if (wide) {
            const __m256i upper = _mm256_cvtepu32_epi64(_mm_load_si128(reinterpret_cast<const __m128i*>(high + lane)));
            value = _mm256_or_si256(value, _mm256_slli_epi64(upper, 32));
        }
        const __m256i offset = _mm256_add_epi64(value, shift);
        outside = _mm256_or_si256(outside, _mm256_or_si256(offset, _mm256_cmpgt_epi64(offset, last)));
        _mm256_store_si256(reinterpret_cast<__m256i*>(offsets.of + lane), offset);
    }
    if (_mm256_movemask_pd(_mm256_castsi256_pd(outside)) != 0) return nullptr;
    wave.last_allocation = allocation;
    return allocation;
}

/// Counts a whole wave's access.
template <unsigned bytes>
void note_access(Wave& wave, const Allocation& allocation, const Offsets& offsets) {
    if (&allocation == &wave.group->dispatch_packet) return;
    const std::uint64_t first = offsets.of[0], last = offsets.of[kLanes - 1];
    note_span(*wave.group, &allocation, allocation.base + std::min(first, last), allocation.base + std::max(first, last) + bytes);
}

template <unsigned bytes>
__attribute__((target("avx2"))) bool all_lanes_defined(const std::uint8_t* bitmap, const Offsets& offsets) {
    std::uint64_t low_bits = bytes;
    for (const std::uint64_t offset : offsets.of) low_bits |= offset;
    bool all = true;
    if (bytes == 16 && (low_bits | reinterpret_cast<std::uintptr_t>(bitmap) << 3) % 16 == 0) {
        const auto* const pairs = reinterpret_cast<const std::uint16_t*>(bitmap);  // of 16 bytes each
        std::uint16_t bits = 0xffff;
        for (const std::uint64_t offset : offsets.of) bits &= __atomic_load_n(pairs + offset / 16, __ATOMIC_RELAXED);
        return bits == 0xffff;
    }
    if (low_bits % 8 == 0) {
        std::uint8_t bits = 0xff;
        for (const std::uint64_t offset : offsets.of) {
            for (unsigned i = 0; i < bytes / 8; ++i) bits &= __atomic_load_n(bitmap + offset / 8 + i, __ATOMIC_RELAXED);
        }
        return bits == 0xff;
    }
    for (const std::uint64_t offset : offsets.of) all = all && all_defined(bitmap, offset, bytes);
    return all;
}

template <unsigned bytes>
__attribute__((target("avx2"))) void exec_global_load_avx2(Wave& wave, const Inst& inst) {
    Offsets offsets;
    const Allocation* allocation = one_allocation<bytes>(wave, inst, inst.sources > 1 ? &inst.src[1] : nullptr, offsets);
    const bool checked = allocation != nullptr && allocation->defined != nullptr && wave.group->tracks_undefined;
    if (allocation == nullptr || (checked && !all_lanes_defined<bytes>(allocation->defined, offsets))) {
        return exec_load<Space::global, bytes, false, Half::whole>(wave, inst);
    }
    note_access<bytes>(wave, *allocation, offsets);
    std::uint32_t(*rows)[kLanes] = wave.v + inst.dst[0].index;
    const std::byte* const host = allocation->host;
    if constexpr (bytes == 16) {
        for (const int first : {0, 16}) transpose_sixteen([&](int lane) { return host + offsets.of[lane]; }, rows, first);
    } else {
        for (int lane = 0; lane < kLanes; ++lane) {
            std::uint32_t words[bytes / 4];
            std::memcpy(words, host + offsets.of[lane], bytes);
            for (unsigned word = 0; word < bytes / 4; ++word) rows[word][lane] = words[word];
        }
    }
}

template <unsigned bytes>
__attribute__((target("avx2"))) void exec_global_store_avx2(Wave& wave, const Inst& inst) {
    const Operand& data = inst.src[1];
    Offsets offsets;
    bool usual = true;
    if (wave.group->tracks_undefined) {
        RegSet registers;
        registers.add(data.index, bytes / 4);
        usual = wave.defined.covers(registers);
    }
    const Allocation* allocation = usual ? one_allocation<bytes>(wave, inst, inst.sources > 2 ? &inst.src[2] : nullptr, offsets) : nullptr;
    if (allocation == nullptr || !allocation->writable) return exec_store<Space::global, bytes, Half::whole>(wave, inst);
    note_access<bytes>(wave, *allocation, offsets);
    std::byte* const host = allocation->host;
    if constexpr (bytes == 8 || bytes == 16) {
        scatter_rows<bytes>(wave.v + data.index, [&](int lane) { return host + offsets.of[lane]; });
    } else {
        for (int lane = 0; lane < kLanes; ++lane) {
            for (unsigned word = 0; word < bytes / 4; ++word) std::memcpy(host + offsets.of[lane] + 4 * word, &wave.v[data.index + word][lane], 4);
        }
    }
    // Also where this launch does not look: a later one may.
    if (allocation->defined == nullptr || all_lanes_defined<bytes>(allocation->defined, offsets)) return;
    for (const std::uint64_t offset : offsets.of) mark_defined(allocation->defined, offset, bytes);
}

bool has_fast_path(const Inst& inst) {
    const Operand& vaddr = inst.src[0];
    return vaddr.kind == OperandKind::vgpr && vaddr.index + vaddr.count <= 256 && chosen_lane_build() == LaneBuild::avx2;
}

template <unsigned bytes>
ExecFn select_load(const Inst& inst) {
    const Operand& to = inst.dst[0];
    return to.kind == OperandKind::vgpr && to.index + bytes / 4 <= 256 && has_fast_path(inst) ? exec_global_load_avx2<bytes> : inst.exec;
}
template <unsigned bytes>
ExecFn select_store(const Inst& inst) {
    const Operand& data = inst.src[1];
    return data.kind == OperandKind::vgpr && data.index + bytes / 4 <= 256 && has_fast_path(inst) ? exec_global_store_avx2<bytes> : inst.exec;
}

constexpr SelectFn fast_path(std::string_view mnemonic) {
    if (mnemonic == "global_load_b32") return select_load<4>;
    if (mnemonic == "global_load_b64") return select_load<8>;
    if (mnemonic == "global_load_b96") return select_load<12>;
    if (mnemonic == "global_load_b128") return select_load<16>;
    if (mnemonic == "global_store_b32") return select_store<4>;
    if (mnemonic == "global_store_b64") return select_store<8>;
    if (mnemonic == "global_store_b96") return select_store<12>;
    if (mnemonic == "global_store_b128") return select_store<16>;
    return nullptr;
}

#else

constexpr SelectFn fast_path(std::string_view) { return nullptr; }

#endif

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
    for (OpInfo& op : ops) op.select = fast_path(op.mnemonic);
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
