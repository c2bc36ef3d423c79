// ds_load_* and ds_store_*. A whole wave's wide loads and stores, the bulk of a matrix kernel's LDS traffic, have paths of their own.
#include "emulator/exec/lds.hpp"

#include <array>
#include <vector>

#include "emulator/exec/lane_transpose.hpp"
#include "emulator/isa/op_tables.hpp"
#include "emulator/state/lane_access.hpp"

namespace hipemu {
namespace {

void set_loaded_undefined(Wave& wave, const Operand& destination, unsigned first, const Format& format, const std::byte (&bytes)[kLanes][16]) {
    Operand target = destination;
    if (format.half != Half::whole) target.half = half_of(destination, format.half);
    for (unsigned word = 0; word < format.words(); ++word) {
        LaneBits bits;
        for (int lane = 0; lane < kLanes; ++lane) bits[lane] = register_word(bytes[lane], format, word);
        set_undefined(wave, target, first + word, bits);
    }
}

/// Every lane's address; true if all lanes are active and all of them lie within LDS, so that nothing need be checked lane by lane.
template <unsigned bytes>
bool addresses_of(const Wave& wave, const Operand& base, std::uint32_t offset, std::uint32_t (&address)[kLanes]) {
    const std::uint32_t* const own = wave.v[base.index];
    std::uint32_t largest = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
        address[lane] = own[lane] + offset;
        largest = address[lane] > largest ? address[lane] : largest;
    }
    return wave.exec() == 0xffffffffu && wave.group->lds_bytes >= bytes && largest <= wave.group->lds_bytes - bytes;
}

/// One location a lane, into the registers from `first` of the destination. False if the wave was stopped.
template <unsigned bytes, bool sign, Half half>
bool load_lanes(Wave& wave, const Inst& inst, std::uint32_t offset, unsigned first) {
    constexpr Format format{bytes, sign, half};
    const Workgroup& group = *wave.group;
    const Operand& destination = inst.dst[0];
    const std::uint32_t exec = wave.exec();
    std::uint32_t address[kLanes];
    if (!addresses_of<bytes>(wave, inst.src[0], offset, address)) {
        Place place;
        for (int lane = 0; lane < kLanes; ++lane) {
            if ((exec >> lane & 1) != 0 && !lds_place(wave, address[lane], bytes, lane, place)) return false;
        }
    }
    const std::byte* const data = group.lds.data();
    const std::byte* const shadow = group.lds_undefined.data();
    const Half target = half == Half::whole ? Half::whole : half_of(destination, half);
    const bool tracked = group.tracks_undefined;
    std::uint32_t undefined_bits_met = 0;
    for (std::uint32_t left = exec; left != 0; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        for (unsigned word = 0; word < format.words(); ++word) {
            put_half(wave.v[destination.index + first + word][lane], register_word(data + address[lane], format, word), target);
            if (tracked) undefined_bits_met |= register_word(shadow + address[lane], format, word);
        }
    }
    if (undefined_bits_met == 0) return true;
    std::byte undefined[kLanes][16] = {};
    for (int lane = 0; lane < kLanes; ++lane) {
        if (exec >> lane & 1) std::memcpy(undefined[lane], shadow + address[lane], bytes);
    }
    set_loaded_undefined(wave, destination, first, format, undefined);
    return true;
}

template <unsigned bytes, bool sign, Half half>
void exec_load(Wave& wave, const Inst& inst) {
    load_lanes<bytes, sign, half>(wave, inst, static_cast<std::uint32_t>(inst.mod.offset), 0);
}

/// Two locations, their offsets counted in elements (or in 64 elements).
template <unsigned bytes, unsigned unit>
void exec_load_two(Wave& wave, const Inst& inst) {
    const Operand& address = inst.src[0];
    // The first load may overwrite the address register.
    std::uint32_t kept[kLanes];
    std::memcpy(kept, wave.v[address.index], sizeof(kept));
    if (!load_lanes<bytes, false, Half::whole>(wave, inst, static_cast<std::uint32_t>(inst.mod.offset) * unit, 0)) return;
    std::uint32_t result[kLanes];
    std::uint32_t(&row)[kLanes] = wave.v[address.index];
    std::memcpy(result, row, sizeof(result));
    const bool overlaps = address.index >= inst.dst[0].index && address.index < inst.dst[0].index + bytes / 4;
    if (overlaps) std::memcpy(row, kept, sizeof(kept));
    load_lanes<bytes, false, Half::whole>(wave, inst, static_cast<std::uint32_t>(inst.mod.offset1) * unit, bytes / 4);
    if (overlaps) std::memcpy(row, result, sizeof(result));
}

template <unsigned bytes, Half half>
bool store_lanes(Wave& wave, const Inst& inst, const Operand& data, std::uint32_t offset) {
    constexpr Format format{bytes, false, half};
    constexpr unsigned kWordBytes = bytes < 4 ? bytes : 4;
    Workgroup& group = *wave.group;
    const std::uint32_t exec = wave.exec();
    std::uint32_t address[kLanes];
    if (!addresses_of<bytes>(wave, inst.src[0], offset, address)) {
        Place place;
        for (int lane = 0; lane < kLanes; ++lane) {
            if ((exec >> lane & 1) != 0 && !lds_place(wave, address[lane], bytes, lane, place)) return false;
        }
    }
    RegSet registers;
    registers.add(data.index, format.words());
    const bool tracked = group.tracks_undefined;
    const bool undefined_data = !wave.defined.covers(registers);
    const Half source = half_of(data, half);
    for (std::uint32_t left = exec; left != 0; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        std::byte* const to = group.lds.data() + address[lane];
        std::byte* const shadow = group.lds_undefined.data() + address[lane];
        for (unsigned word = 0; word < format.words(); ++word) {
            const std::uint32_t value = take_half(wave.v[data.index + word][lane], source);
            std::memcpy(to + 4 * word, &value, kWordBytes);
        }
        if (!tracked) continue;
        std::memset(shadow, 0, bytes);
        for (unsigned word = 0; undefined_data && word < format.words(); ++word) {
            if (wave.defined.contains(data.index + word)) continue;
            const std::uint32_t bits = take_half(wave.undefined[data.index + word][lane], source);
            std::memcpy(shadow + 4 * word, &bits, kWordBytes);
        }
    }
    return true;
}

template <unsigned bytes, Half half>
void exec_store(Wave& wave, const Inst& inst) {
    store_lanes<bytes, half>(wave, inst, inst.src[1], static_cast<std::uint32_t>(inst.mod.offset));
}

template <unsigned bytes, unsigned unit>
void exec_store_two(Wave& wave, const Inst& inst) {
    if (!store_lanes<bytes, Half::whole>(wave, inst, inst.src[1], static_cast<std::uint32_t>(inst.mod.offset) * unit)) return;
    store_lanes<bytes, Half::whole>(wave, inst, inst.src[2], static_cast<std::uint32_t>(inst.mod.offset1) * unit);
}

#if defined(__x86_64__)

/// The largest of 32 unsigned addresses.
__attribute__((target("avx2"))) inline std::uint32_t largest(__m256i a, __m256i b, __m256i c, __m256i d) {
    const __m256i eight = _mm256_max_epu32(_mm256_max_epu32(a, b), _mm256_max_epu32(c, d));
    __m128i four = _mm_max_epu32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
    four = _mm_max_epu32(four, _mm_shuffle_epi32(four, 0x4e));
    four = _mm_max_epu32(four, _mm_shuffle_epi32(four, 0xb1));
    return static_cast<std::uint32_t>(_mm_cvtsi128_si32(four));
}

/// The undefined bits of sixteen lanes' 16 bytes each, or-ed together.
__attribute__((target("avx2"))) inline __m128i undefined_in_sixteen(const std::byte* shadow, const std::uint32_t* address) {
    const auto at = [&](int i) __attribute__((target("avx2"))) {
        return _mm_loadu_si128(reinterpret_cast<const __m128i*>(shadow + address[i]));
    };
    __m128i even = _mm_or_si128(at(0), at(2)), odd = _mm_or_si128(at(1), at(3));
    even = _mm_or_si128(_mm_or_si128(even, at(4)), _mm_or_si128(at(6), at(8)));
    odd = _mm_or_si128(_mm_or_si128(odd, at(5)), _mm_or_si128(at(7), at(9)));
    even = _mm_or_si128(_mm_or_si128(even, at(10)), _mm_or_si128(at(12), at(14)));
    odd = _mm_or_si128(_mm_or_si128(odd, at(11)), _mm_or_si128(at(13), at(15)));
    return _mm_or_si128(even, odd);
}

/// Every lane's address in LDS.
struct alignas(32) LdsAddresses {
    std::uint32_t of[kLanes];
    bool halves_alike = false;  // lanes 16 to 31 have the addresses of lanes 0 to 15
};

/// False if a lane is inactive or out of range: the slow path sorts it out.
template <unsigned bytes>
__attribute__((target("avx2"))) inline bool whole_wave(const Wave& wave, const Operand& base, std::uint32_t offset, LdsAddresses& to) {
    const std::uint32_t size = wave.group->lds_bytes;
    if (wave.exec() != 0xffffffffu || size < bytes) return false;
    const auto* own = reinterpret_cast<const __m256i*>(wave.v[base.index]);
    const __m256i more = _mm256_set1_epi32(static_cast<int>(offset));
    const __m256i a = _mm256_add_epi32(_mm256_load_si256(own), more), b = _mm256_add_epi32(_mm256_load_si256(own + 1), more);
    const __m256i c = _mm256_add_epi32(_mm256_load_si256(own + 2), more), d = _mm256_add_epi32(_mm256_load_si256(own + 3), more);
    auto* const kept = reinterpret_cast<__m256i*>(to.of);
    _mm256_store_si256(kept, a);
    _mm256_store_si256(kept + 1, b);
    _mm256_store_si256(kept + 2, c);
    _mm256_store_si256(kept + 3, d);
    const __m256i different = _mm256_or_si256(_mm256_xor_si256(a, c), _mm256_xor_si256(b, d));
    to.halves_alike = _mm256_testz_si256(different, different);
    return largest(a, b, c, d) <= size - bytes;
}

__attribute__((target("avx2"))) void exec_load_b128_avx2(Wave& wave, const Inst& inst) {
    LdsAddresses lanes;
    if (!whole_wave<16>(wave, inst.src[0], static_cast<std::uint32_t>(inst.mod.offset), lanes)) {
        return exec_load<16, false, Half::whole>(wave, inst);
    }
    const Workgroup& group = *wave.group;
    std::uint32_t(*rows)[kLanes] = wave.v + inst.dst[0].index;
    const std::byte* const data = group.lds.data();
    const std::byte* const shadow = group.lds_undefined.data();
    const auto place = [&](int lane) { return data + lanes.of[lane]; };
    transpose_sixteen(place, rows, 0);
    // The two halves of a WMMA operand read the same rows: one load serves both.
    if (lanes.halves_alike) {
        for (int row = 0; row < 4; ++row) {
            auto* to = reinterpret_cast<__m256i*>(rows[row]);
            _mm256_store_si256(to + 2, _mm256_load_si256(to));
            _mm256_store_si256(to + 3, _mm256_load_si256(to + 1));
        }
    } else {
        transpose_sixteen(place, rows, 16);
    }
    if (!group.tracks_undefined) return;
    __m128i undefined = undefined_in_sixteen(shadow, lanes.of);
    if (!lanes.halves_alike) undefined = _mm_or_si128(undefined, undefined_in_sixteen(shadow, lanes.of + 16));
    if (_mm_testz_si128(undefined, undefined)) return;

    std::byte bits[kLanes][16];
    for (int lane = 0; lane < kLanes; ++lane) std::memcpy(bits[lane], shadow + lanes.of[lane], 16);
    set_loaded_undefined(wave, inst.dst[0], 0, Format{16}, bits);
}

/// A whole wave's store of defined registers. False if it is another case.
template <unsigned bytes>
__attribute__((target("avx2"))) bool store_whole_wave(Wave& wave, const Inst& inst, const Operand& data, std::uint32_t offset) {
    LdsAddresses lanes;
    Workgroup& group = *wave.group;
    if (group.tracks_undefined) {
        RegSet registers;
        registers.add(data.index, bytes / 4);
        if (!wave.defined.covers(registers)) return false;
    }
    if (!whole_wave<bytes>(wave, inst.src[0], offset, lanes)) return false;
    std::byte* const to = group.lds.data();
    scatter_rows<bytes>(wave.v + data.index, [&](int lane) { return to + lanes.of[lane]; });
    if (!group.tracks_undefined) return true;
    std::byte* const shadow = group.lds_undefined.data();
    for (int lane = 0; lane < kLanes; ++lane) std::memset(shadow + lanes.of[lane], 0, bytes);
    return true;
}

template <unsigned bytes>
void exec_store_avx2(Wave& wave, const Inst& inst) {
    const auto offset = static_cast<std::uint32_t>(inst.mod.offset);
    if (!store_whole_wave<bytes>(wave, inst, inst.src[1], offset)) store_lanes<bytes, Half::whole>(wave, inst, inst.src[1], offset);
}

template <unsigned unit>
void exec_store_two_b64_avx2(Wave& wave, const Inst& inst) {
    const std::int32_t offsets[] = {inst.mod.offset, inst.mod.offset1};
    for (unsigned i = 0; i < 2; ++i) {
        const auto offset = static_cast<std::uint32_t>(offsets[i]) * unit;
        if (store_whole_wave<8>(wave, inst, inst.src[1 + i], offset)) continue;
        if (!store_lanes<8, Half::whole>(wave, inst, inst.src[1 + i], offset)) return;
    }
}

bool has_fast_path(const Inst& inst) {
    for (unsigned i = 0; i < inst.sources; ++i) {
        if (inst.src[i].kind == OperandKind::vgpr && inst.src[i].index + inst.src[i].count > 256) return false;
        if (inst.src[i].kind != OperandKind::vgpr) return false;
    }
    return !inst.mod.gds && chosen_lane_build() == LaneBuild::avx2;
}

ExecFn select_load_b128(const Inst& inst) {
    return inst.dst[0].kind == OperandKind::vgpr && has_fast_path(inst) ? exec_load_b128_avx2 : inst.exec;
}
template <ExecFn fast>
ExecFn select_store(const Inst& inst) {
    return has_fast_path(inst) ? fast : inst.exec;
}
constexpr SelectFn select_store_b64 = select_store<exec_store_avx2<8>>, select_store_b128 = select_store<exec_store_avx2<16>>;
constexpr SelectFn select_store_2addr_b64 = select_store<exec_store_two_b64_avx2<8>>;

#else

ExecFn select_load_b128(const Inst& inst) { return inst.exec; }
constexpr SelectFn select_store_b64 = nullptr, select_store_b128 = nullptr, select_store_2addr_b64 = nullptr;

#endif

void taint_load(Wave& wave, const Inst& inst) {
    require_defined_address(wave, inst.src[0]);
    expect_defined_load(wave, inst);
}

/// What is stored may be undefined: LDS carries the bits on.
void taint_store(Wave& wave, const Inst& inst) { require_defined_address(wave, inst.src[0]); }

constexpr OpInfo lds_op(std::string_view mnemonic, ExecFn exec, std::uint8_t cycles) {
    OpInfo op;
    op.mnemonic = mnemonic;
    op.exec = exec;
    op.unit = Unit::lds;
    op.issue_cycles = cycles;
    op.taint = Taint::custom;
    return op;
}

constexpr OpInfo load(std::string_view mnemonic, ExecFn exec, std::uint8_t cycles = 1, SelectFn select = nullptr) {
    OpInfo op = lds_op(mnemonic, exec, cycles);
    op.taint_fn = taint_load;
    op.select = select;
    return op;
}
constexpr OpInfo half_load(std::string_view mnemonic, ExecFn exec) {
    OpInfo op = load(mnemonic, exec);
    op.reads_destination = true;
    return op;
}
constexpr OpInfo store(std::string_view mnemonic, ExecFn exec, std::uint8_t cycles = 1, SelectFn select = nullptr) {
    OpInfo op = lds_op(mnemonic, exec, cycles);
    op.select = select;
    op.destinations = 0;
    op.taint_fn = taint_store;
    return op;
}

// Issue cycles by width: measured for 128 bits in a matrix loop on gfx1151 (2.4 to 3.3, taken as 3), scaled down for narrower ones.
constexpr std::uint8_t kWide = 3, kDouble = 2;

constexpr std::array kOps{
    load("ds_load_u8", exec_load<1, false, Half::whole>),
    load("ds_load_i8", exec_load<1, true, Half::whole>),
    load("ds_load_u16", exec_load<2, false, Half::whole>),
    load("ds_load_i16", exec_load<2, true, Half::whole>),
    half_load("ds_load_u8_d16", exec_load<1, false, Half::low>),
    half_load("ds_load_i8_d16", exec_load<1, true, Half::low>),
    half_load("ds_load_u16_d16", exec_load<2, false, Half::low>),
    half_load("ds_load_u8_d16_hi", exec_load<1, false, Half::high>),
    half_load("ds_load_i8_d16_hi", exec_load<1, true, Half::high>),
    half_load("ds_load_u16_d16_hi", exec_load<2, false, Half::high>),
    load("ds_load_b32", exec_load<4, false, Half::whole>),
    load("ds_load_b64", exec_load<8, false, Half::whole>, kDouble),
    load("ds_load_b96", exec_load<12, false, Half::whole>, kWide),
    load("ds_load_b128", exec_load<16, false, Half::whole>, kWide, select_load_b128),
    load("ds_load_2addr_b32", exec_load_two<4, 4>, kDouble),
    load("ds_load_2addr_b64", exec_load_two<8, 8>, kWide),
    load("ds_load_2addr_stride64_b32", exec_load_two<4, 4 * 64>, kDouble),
    load("ds_load_2addr_stride64_b64", exec_load_two<8, 8 * 64>, kWide),
    store("ds_store_b8", exec_store<1, Half::whole>),
    store("ds_store_b16", exec_store<2, Half::whole>),
    store("ds_store_b8_d16_hi", exec_store<1, Half::high>),
    store("ds_store_b16_d16_hi", exec_store<2, Half::high>),
    store("ds_store_b32", exec_store<4, Half::whole>),
    store("ds_store_b64", exec_store<8, Half::whole>, kDouble, select_store_b64),
    store("ds_store_b96", exec_store<12, Half::whole>, kWide),
    store("ds_store_b128", exec_store<16, Half::whole>, kWide, select_store_b128),
    store("ds_store_2addr_b32", exec_store_two<4, 4>, kDouble),
    store("ds_store_2addr_b64", exec_store_two<8, 8>, kWide, select_store_2addr_b64),
    store("ds_store_2addr_stride64_b32", exec_store_two<4, 4 * 64>, kDouble),
    store("ds_store_2addr_stride64_b64", exec_store_two<8, 8 * 64>, kWide),
};

}  // namespace

std::span<const OpInfo> lds_ops() {
    static const std::vector<OpInfo> all = [] {
        std::vector<OpInfo> rows(kOps.begin(), kOps.end());
        for (const std::span<const OpInfo> more : {lds_atomic_ops(), lds_exchange_ops()}) rows.insert(rows.end(), more.begin(), more.end());
        return rows;
    }();
    return all;
}

}  // namespace hipemu
