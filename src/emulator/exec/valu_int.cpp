// Vector integer operations of 32 bits: VOP1, VOP2, VOP3.
#include <span>

#include "emulator/exec/lanes.hpp"
#include "emulator/exec/valu_tables.hpp"
#include "emulator/isa/op_rows.hpp"

namespace hipemu::HIPEMU_LANES {

namespace {

template <auto F>
void unary(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room, result;
    const u32* const __restrict a = at.raw(0, room);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = F(a[l]);
    at.store(result);
}

template <auto F>
void binary(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_b, result;
    const u32* const __restrict a = at.raw(0, room_a);
    const u32* const __restrict b = at.raw(1, room_b);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = F(a[l], b[l]);
    at.store(result);
}

template <auto F>
void ternary(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_b, room_c, result;
    const u32* const __restrict a = at.raw(0, room_a);
    const u32* const __restrict b = at.raw(1, room_b);
    const u32* const __restrict c = at.raw(2, room_c);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = F(a[l], b[l], c[l]);
    at.store(result);
}

// The clamp bit of an integer operation saturates: Saturating is the same operation done so.
template <auto F, auto Saturating>
void saturable(Wave& wave, const Inst& inst) {
    inst.mod.clamp ? binary<Saturating>(wave, inst) : binary<F>(wave, inst);
}

template <auto F, auto Saturating>
void saturable3(Wave& wave, const Inst& inst) {
    inst.mod.clamp ? ternary<Saturating>(wave, inst) : ternary<F>(wave, inst);
}

u32 saturate_i32(i64 x) { return static_cast<u32>(static_cast<i32>(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x)); }
u32 saturate_u32(u64 x) { return x > UINT32_MAX ? UINT32_MAX : static_cast<u32>(x); }
i32 s(u32 x) { return static_cast<i32>(x); }
i32 s24(u32 x) { return static_cast<i32>(x << 8) >> 8; }
u32 u24(u32 x) { return x & 0xffffffu; }
u32 min_u(u32 a, u32 b) { return (a < b) ? a : b; }
u32 max_u(u32 a, u32 b) { return (a < b) ? b : a; }
u32 min_s(u32 a, u32 b) { return (s(a) < s(b)) ? a : b; }
u32 max_s(u32 a, u32 b) { return (s(a) < s(b)) ? b : a; }

u32 reverse_bits(u32 x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
u32 leading_zeros(u32 x) { return x == 0 ? ~0u : static_cast<u32>(__builtin_clz(x)); }
u32 trailing_zeros(u32 x) { return x == 0 ? ~0u : static_cast<u32>(__builtin_ctz(x)); }
// Position of the first bit below the sign bit that differs from it.
u32 leading_sign(u32 x) { return leading_zeros(static_cast<u32>(s(x) >> 31) ^ x); }

u32 bfe_u(u32 x, u32 offset, u32 width) { return (x >> (offset & 31)) & ((1u << (width & 31)) - 1); }
u32 bfe_s(u32 x, u32 offset, u32 width) {
    const u32 w = width & 31;
    const u32 field = static_cast<u32>(s(x) >> (offset & 31)) & ((1u << w) - 1);
    const u32 top = w == 0 ? 0u : 1u << (w - 1);
    return (field ^ top) - top;
}

u32 byte(u32 x, int i) { return x >> (8 * i) & 0xffu; }
u32 distance(u32 a, u32 b) { return (a < b) ? b - a : a - b; }
u32 sad_u8(u32 a, u32 b, u32 c) {
    for (int i = 0; i < 4; ++i) c += distance(byte(a, i), byte(b, i));
    return c;
}
u32 msad_u8(u32 a, u32 b, u32 c) {
    for (int i = 0; i < 4; ++i) c += byte(b, i) == 0 ? 0 : distance(byte(a, i), byte(b, i));
    return c;
}
u32 lerp_u8(u32 a, u32 b, u32 c) {
    u32 result = 0;
    for (int i = 0; i < 4; ++i) result |= (byte(a, i) + byte(b, i) + (c >> (8 * i) & 1)) >> 1 << (8 * i);
    return result;
}

// One result byte of v_perm_b32: 0-3 a byte of src1, 4-7 of src0, 8-11 the sign of a 16-bit half, 12 zeros, above ones.
u32 permuted_byte(u64 data, u32 selector) {
    if (selector < 8) return static_cast<u32>(data >> (8 * selector)) & 0xffu;
    if (selector < 12) return (data >> (16 * (selector - 8) + 15) & 1) ? 0xffu : 0u;
    return selector == 12 ? 0u : 0xffu;
}
u32 permute_bytes(u32 a, u32 b, u32 selectors) {
    const u64 data = static_cast<u64>(a) << 32 | b;
    u32 result = 0;
    for (int i = 0; i < 4; ++i) result |= permuted_byte(data, byte(selectors, i)) << (8 * i);
    return result;
}

// The selector is nearly always one value for all lanes, of bytes of the sources and zeros (12): then each source takes one byte shuffle.
void perm(Wave& wave, const Inst& inst) {
    if (inst.src[2].kind == OperandKind::vgpr) return ternary<permute_bytes>(wave, inst);
    const u32 selectors = scalar_word(wave, inst.src[2]);
    const u32 beyond_seven = (selectors >> 3 & 0x01010101u) * 7;
    if ((selectors & 0xf0f0f0f0u) != 0 || ((selectors ^ 0x04040404u) & beyond_seven) != 0) return ternary<permute_bytes>(wave, inst);
    // Which byte of a source a result byte is; 0x80: none.
    const auto picks = [](u32 x) { return (x & 0x03030303u) | ((x & 0x08080808u) | (x & 0x04040404u) << 1) << 4; };
    const u32 from_a = picks(selectors ^ 0x04040404u), from_b = picks(selectors);
    const Access at(wave, inst);
    Words room_a, room_b, result;
    const u32* const __restrict a = at.raw(0, room_a);
    const u32* const __restrict b = at.raw(1, room_b);
#if defined(__AVX2__)
    const __m256i dwords = _mm256_setr_epi32(0, 0x04040404, 0x08080808, 0x0c0c0c0c, 0, 0x04040404, 0x08080808, 0x0c0c0c0c);
    const __m256i pick_a = _mm256_add_epi8(_mm256_set1_epi32(static_cast<int>(from_a)), dwords);
    const __m256i pick_b = _mm256_add_epi8(_mm256_set1_epi32(static_cast<int>(from_b)), dwords);
    for (int l = 0; l < kLanes; l += 8) {
        const __m256i x = _mm256_shuffle_epi8(_mm256_load_si256(reinterpret_cast<const __m256i*>(a + l)), pick_a);
        const __m256i y = _mm256_shuffle_epi8(_mm256_load_si256(reinterpret_cast<const __m256i*>(b + l)), pick_b);
        _mm256_store_si256(reinterpret_cast<__m256i*>(result.lane + l), _mm256_or_si256(x, y));
    }
#else
    for (int l = 0; l < kLanes; ++l) {
        u32 x = 0;
        for (int i = 0; i < 4; ++i) {
            const u32 of_a = byte(from_a, i), of_b = byte(from_b, i);
            x |= (((of_a & 0x80) != 0 ? 0u : a[l] >> (8 * of_a) & 0xffu) | ((of_b & 0x80) != 0 ? 0u : b[l] >> (8 * of_b) & 0xffu)) << (8 * i);
        }
        result.lane[l] = x;
    }
#endif
    at.store(result);
}

void cndmask(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_b, result;
    const u32* const __restrict a = at.f32_bits(0, room_a);
    const u32* const __restrict b = at.f32_bits(1, room_b);
    const u32 mask = at.mask(2);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = (mask >> l & 1) ? b[l] : a[l];
    at.store(result);
}

void swap(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words a, b;
    const u32* x = wave.v[inst.dst[0].index];
    const u32* y = wave.v[inst.dst[1].index];
    for (int l = 0; l < kLanes; ++l) a.lane[l] = x[l], b.lane[l] = y[l];
    at.store_register(inst.dst[0].index, b);
    at.store_register(inst.dst[1].index, a);
}

void nothing(Wave&, const Inst&) {}

constexpr OpInfo row(std::string_view mnemonic, ExecFn exec, std::uint8_t cycles = 1) { return vector_op(mnemonic, exec, Type::b32, cycles); }
constexpr OpInfo bitwise(std::string_view mnemonic, ExecFn exec) { return with_taint(row(mnemonic, exec), Taint::bitwise); }

constexpr OpInfo no_operands(std::string_view mnemonic) {
    OpInfo op = row(mnemonic, nothing);
    op.destinations = 0;
    op.taint = Taint::none;
    return op;
}

// Two registers, shifted right by a 16-bit number of bits or bytes.
template <u32 Unit, u32 Most>
void align(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_b, room_c, result;
    const u32* a = at.raw(0, room_a);
    const u32* b = at.raw(1, room_b);
    const u32* c = at.b16(2, room_c);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = static_cast<u32>((static_cast<u64>(a[l]) << 32 | b[l]) >> (Unit * (c[l] & Most)));
    at.store(result);
}

constexpr OpInfo kOps[] = {
    no_operands("v_nop"),
    no_operands("v_clrexcp"),
    no_operands("v_pipeflush"),
    with_taint(row("v_mov_b32", unary<[](u32 a) { return a; }>), Taint::copy),
    with_taint(with_destinations(with_accumulator(row("v_swap_b32", swap)), 2), Taint::custom, taint_swap),
    with_taint(with_sources(row("v_cndmask_b32", cndmask), Type::f32, Type::f32, Type::lane_mask), Taint::bitwise),
    bitwise("v_not_b32", unary<[](u32 a) { return ~a; }>),
    bitwise("v_and_b32", binary<[](u32 a, u32 b) { return a & b; }>),
    bitwise("v_or_b32", binary<[](u32 a, u32 b) { return a | b; }>),
    bitwise("v_xor_b32", binary<[](u32 a, u32 b) { return a ^ b; }>),
    bitwise("v_xnor_b32", binary<[](u32 a, u32 b) { return ~(a ^ b); }>),
    bitwise("v_and_or_b32", ternary<[](u32 a, u32 b, u32 c) { return (a & b) | c; }>),
    bitwise("v_or3_b32", ternary<[](u32 a, u32 b, u32 c) { return a | b | c; }>),
    bitwise("v_xor3_b32", ternary<[](u32 a, u32 b, u32 c) { return a ^ b ^ c; }>),
    bitwise("v_bfi_b32", ternary<[](u32 a, u32 b, u32 c) { return (a & b) | (~a & c); }>),
    with_taint(row("v_bfrev_b32", unary<reverse_bits>), Taint::bitwise),
    with_taint(row("v_lshlrev_b32", binary<[](u32 a, u32 b) { return b << (a & 31); }>), Taint::bitwise),
    with_taint(row("v_lshrrev_b32", binary<[](u32 a, u32 b) { return (b >> (a & 31)); }>), Taint::bitwise),
    with_taint(row("v_ashrrev_i32", binary<[](u32 a, u32 b) { return static_cast<u32>((s(b) >> (a & 31))); }>), Taint::bitwise),
    with_taint(row("v_bfe_u32", ternary<bfe_u>), Taint::bitwise),
    with_taint(row("v_bfe_i32", ternary<bfe_s>), Taint::bitwise),
    with_taint(with_sources(row("v_alignbit_b32", align<1, 31>), Type::b32, Type::b32, Type::b16), Taint::bitwise),
    with_taint(with_sources(row("v_alignbyte_b32", align<8, 3>), Type::b32, Type::b32, Type::b16), Taint::bitwise),
    with_taint(row("v_perm_b32", perm), Taint::bitwise),
    with_taint(row("v_lshl_or_b32", ternary<[](u32 a, u32 b, u32 c) { return a << (b & 31) | c; }>), Taint::bitwise),
    row("v_bfm_b32", binary<[](u32 a, u32 b) { return ((1u << (a & 31)) - 1) << (b & 31); }>),
    row("v_clz_i32_u32", unary<leading_zeros>),
    row("v_ctz_i32_b32", unary<trailing_zeros>),
    row("v_cls_i32", unary<leading_sign>),
    row("v_bcnt_u32_b32", binary<[](u32 a, u32 b) { return static_cast<u32>(__builtin_popcount(a)) + b; }>),

    row("v_add_nc_u32", saturable<[](u32 a, u32 b) { return a + b; }, [](u32 a, u32 b) { return saturate_u32(static_cast<u64>(a) + b); }>),
    row("v_sub_nc_u32", saturable<[](u32 a, u32 b) { return a - b; }, [](u32 a, u32 b) { return (a < b) ? 0u : a - b; }>),
    row("v_subrev_nc_u32", saturable<[](u32 a, u32 b) { return b - a; }, [](u32 a, u32 b) { return (b < a) ? 0u : b - a; }>),
    row("v_add_nc_i32", saturable<[](u32 a, u32 b) { return a + b; }, [](u32 a, u32 b) { return saturate_i32(static_cast<i64>(s(a)) + s(b)); }>),
    row("v_sub_nc_i32", saturable<[](u32 a, u32 b) { return a - b; }, [](u32 a, u32 b) { return saturate_i32(static_cast<i64>(s(a)) - s(b)); }>),
    row("v_add3_u32", ternary<[](u32 a, u32 b, u32 c) { return a + b + c; }>),
    row("v_lshl_add_u32", ternary<[](u32 a, u32 b, u32 c) { return (a << (b & 31)) + c; }>),
    row("v_add_lshl_u32", ternary<[](u32 a, u32 b, u32 c) { return (a + b) << (c & 31); }>),
    row("v_xad_u32", ternary<[](u32 a, u32 b, u32 c) { return (a ^ b) + c; }>),
    row("v_mul_lo_u32", binary<[](u32 a, u32 b) { return a * b; }>, kQuarterRate),
    row("v_mul_hi_u32", binary<[](u32 a, u32 b) { return static_cast<u32>((static_cast<u64>(a) * b) >> 32); }>, kQuarterRate),
    row("v_mul_hi_i32", binary<[](u32 a, u32 b) { return static_cast<u32>(((static_cast<i64>(s(a)) * s(b)) >> 32)); }>, kQuarterRate),
    row("v_mul_i32_i24", binary<[](u32 a, u32 b) { return static_cast<u32>(s24(a)) * static_cast<u32>(s24(b)); }>),
    row("v_mul_u32_u24", binary<[](u32 a, u32 b) { return u24(a) * u24(b); }>),
    row("v_mul_hi_i32_i24", binary<[](u32 a, u32 b) { return static_cast<u32>(((static_cast<i64>(s24(a)) * s24(b)) >> 32)); }>),
    row("v_mul_hi_u32_u24", binary<[](u32 a, u32 b) { return static_cast<u32>(((static_cast<u64>(u24(a)) * u24(b)) >> 32)); }>),
    row("v_mad_i32_i24", saturable3<[](u32 a, u32 b, u32 c) { return static_cast<u32>(s24(a)) * static_cast<u32>(s24(b)) + c; },
                                    [](u32 a, u32 b, u32 c) { return saturate_i32(static_cast<i64>(s24(a)) * s24(b) + s(c)); }>),
    row("v_mad_u32_u24", saturable3<[](u32 a, u32 b, u32 c) { return u24(a) * u24(b) + c; },
                                    [](u32 a, u32 b, u32 c) { return saturate_u32(static_cast<u64>(u24(a)) * u24(b) + c); }>),
    row("v_min_u32", binary<min_u>),
    row("v_max_u32", binary<max_u>),
    row("v_min_i32", binary<min_s>),
    row("v_max_i32", binary<max_s>),
    row("v_min3_u32", ternary<[](u32 a, u32 b, u32 c) { return min_u(min_u(a, b), c); }>),
    row("v_max3_u32", ternary<[](u32 a, u32 b, u32 c) { return max_u(max_u(a, b), c); }>),
    row("v_min3_i32", ternary<[](u32 a, u32 b, u32 c) { return min_s(min_s(a, b), c); }>),
    row("v_max3_i32", ternary<[](u32 a, u32 b, u32 c) { return max_s(max_s(a, b), c); }>),
    row("v_med3_u32", ternary<[](u32 a, u32 b, u32 c) { return max_u(min_u(a, b), min_u(max_u(a, b), c)); }>),
    row("v_med3_i32", ternary<[](u32 a, u32 b, u32 c) { return max_s(min_s(a, b), min_s(max_s(a, b), c)); }>),
    row("v_maxmin_u32", ternary<[](u32 a, u32 b, u32 c) { return min_u(max_u(a, b), c); }>),
    row("v_minmax_u32", ternary<[](u32 a, u32 b, u32 c) { return max_u(min_u(a, b), c); }>),
    row("v_maxmin_i32", ternary<[](u32 a, u32 b, u32 c) { return min_s(max_s(a, b), c); }>),
    row("v_minmax_i32", ternary<[](u32 a, u32 b, u32 c) { return max_s(min_s(a, b), c); }>),
    row("v_sad_u8", ternary<sad_u8>),
    row("v_sad_hi_u8", ternary<[](u32 a, u32 b, u32 c) { return (sad_u8(a, b, 0) << 16) + c; }>),
    row("v_sad_u16", ternary<[](u32 a, u32 b, u32 c) { return distance(a & 0xffffu, b & 0xffffu) + distance((a >> 16), (b >> 16)) + c; }>),
    row("v_sad_u32", ternary<[](u32 a, u32 b, u32 c) { return distance(a, b) + c; }>),
    row("v_msad_u8", ternary<msad_u8>),
    row("v_lerp_u8", ternary<lerp_u8>),
};

}  // namespace

std::span<const OpInfo> int_ops() { return kOps; }

}  // namespace hipemu::HIPEMU_LANES
