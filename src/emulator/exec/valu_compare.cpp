// Vector compares. v_cmp_* writes one bit a lane to VCC or any scalar register, 0 for lanes that are off; v_cmpx_* writes EXEC instead.
#include <span>

#include "emulator/exec/lanes_float.hpp"
#include "emulator/exec/lanes_half.hpp"
#include "emulator/exec/valu_tables.hpp"
#include "emulator/isa/op_rows.hpp"

namespace hipemu::HIPEMU_LANES {

namespace {

// The operand types: how one is read and what value its bits are.
struct F32 {
    using Room = Words;
    static constexpr Type kType = Type::f32;
    static const u32* read(const Access& at, unsigned i, Words& room) { return at.f32(i, room); }
    static float value(u32 bits) { return as_f32(bits); }
};
struct F64 {
    using Room = Longs;
    static constexpr Type kType = Type::f64;
    static const u64* read(const Access& at, unsigned i, Longs& room) { return at.f64(i, room); }
    static double value(u64 bits) { return as_f64(bits); }
};
struct F16 {
    using Room = Words;
    static constexpr Type kType = Type::f16;
    static const u32* read(const Access& at, unsigned i, Words& room) {
        Words halves;
        halves_to_f32(at.f16(i, halves), room);
        return room.lane;
    }
    static float value(u32 bits) { return as_f32(bits); }
};
template <class Value, Type Kind>
struct Int32 {
    using Room = Words;
    static constexpr Type kType = Kind;
    static const u32* read(const Access& at, unsigned i, Words& room) { return Kind == Type::b16 ? at.b16(i, room) : at.raw(i, room); }
    static Value value(u32 bits) { return static_cast<Value>(bits); }
};
template <class Value>
struct Int64 {
    using Room = Longs;
    static constexpr Type kType = Type::b64;
    static const u64* read(const Access& at, unsigned i, Longs& room) { return at.b64(i, room); }
    static Value value(u64 bits) { return static_cast<Value>(bits); }
};
using I32 = Int32<i32, Type::b32>;
using U32 = Int32<u32, Type::b32>;
using I16 = Int32<i16, Type::b16>;
using U16 = Int32<u16, Type::b16>;
using I64 = Int64<i64>;
using U64 = Int64<u64>;

void finish(const Access& at, u32 bits, bool to_exec) {
    if (to_exec) {
        at.wave.s[kExecLo] = bits & at.active;
    } else {
        at.store_mask(0, bits);
    }
}

template <class T, auto Holds, bool ToExec>
void compare(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    typename T::Room room_a, room_b;
    const auto* a = T::read(at, 0, room_a);
    const auto* b = T::read(at, 1, room_b);
    Words result;
    for (int l = 0; l < kLanes; ++l) result.lane[l] = Holds(T::value(a[l]), T::value(b[l])) ? ~0u : 0u;
    finish(at, sign_bits(result), ToExec);
}

// Bit 0 signalling NaN, 1 quiet NaN, then from -infinity, -normal, -denormal, -0, +0, +denormal, +normal to +infinity.
template <class Format, int MantissaBits>
bool in_class(typename Format::Word x, u32 mask) {
    using Word = typename Format::Word;
    const Word magnitude = x & (Format::kSign - 1);
    const bool negative = (x & Format::kSign) != 0;
    if (Format::is_nan(x)) return (mask >> (Format::is_signalling(x) ? 0 : 1) & 1) != 0;
    int kind = 3;                                     // distance from zero: infinity
    if (magnitude != Format::kInfinity) kind = 2;     // normal
    if (magnitude >> MantissaBits == 0) kind = magnitude == 0 ? 0 : 1;
    return (mask >> (negative ? 5 - kind : 6 + kind) & 1) != 0;
}

template <bool ToExec>
void class_f32(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_b, result;
    const u32* a = at.f32_bits(0, room_a);
    const u32* mask = at.raw(1, room_b);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = in_class<Format32, 23>(a[l], mask[l]) ? ~0u : 0u;
    finish(at, sign_bits(result), ToExec);
}

template <bool ToExec>
void class_f16(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Words room_a, room_b, result;
    const u32* a = at.f16(0, room_a);
    const u32* mask = at.b16(1, room_b);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = in_class<Format16, 10>(a[l], mask[l]) ? ~0u : 0u;
    finish(at, sign_bits(result), ToExec);
}

template <bool ToExec>
void class_f64(Wave& wave, const Inst& inst) {
    const Access at(wave, inst);
    Longs room_a;
    Words room_b, result;
    const u64* a = at.f64(0, room_a);
    const u32* mask = at.raw(1, room_b);
    for (int l = 0; l < kLanes; ++l) result.lane[l] = in_class<Format64, 52>(a[l], mask[l]) ? ~0u : 0u;
    finish(at, sign_bits(result), ToExec);
}

constexpr auto kNever = [](auto, auto) { return false; };
constexpr auto kAlways = [](auto, auto) { return true; };
constexpr auto kLess = [](auto a, auto b) { return a < b; };
constexpr auto kEqual = [](auto a, auto b) { return a == b; };
constexpr auto kLessEqual = [](auto a, auto b) { return a <= b; };
constexpr auto kGreater = [](auto a, auto b) { return a > b; };
constexpr auto kGreaterEqual = [](auto a, auto b) { return a >= b; };
constexpr auto kNotEqual = [](auto a, auto b) { return a != b; };
// Of floats: ordered and unequal, both numbers, one a NaN; and the negations, which hold for NaNs.
constexpr auto kLessGreater = [](auto a, auto b) { return a < b || a > b; };
constexpr auto kOrdered = [](auto a, auto b) { return a == a && b == b; };
constexpr auto kUnordered = [](auto a, auto b) { return a != a || b != b; };
constexpr auto kNotGreaterEqual = [](auto a, auto b) { return !(a >= b); };
constexpr auto kNotLessGreater = [](auto a, auto b) { return !(a < b || a > b); };
constexpr auto kNotGreater = [](auto a, auto b) { return !(a > b); };
constexpr auto kNotLessEqual = [](auto a, auto b) { return !(a <= b); };
constexpr auto kNotLess = [](auto a, auto b) { return !(a < b); };

constexpr OpInfo mask_result(std::string_view mnemonic, ExecFn exec, Type type, bool to_exec) {
    OpInfo op = vector_op(mnemonic, exec, type, type == Type::f64 ? kDoubleCycles : 1);
    op.destinations = to_exec ? 0 : 1;
    op.writes_exec = to_exec;
    return op;
}

#define HIPEMU_COMPARE(name, type, holds)                                                                 \
    mask_result("v_cmp_" name, compare<type, holds, false>, type::kType, false),                          \
    mask_result("v_cmpx_" name, compare<type, holds, true>, type::kType, true)

#define HIPEMU_FLOAT_COMPARES(suffix, type)                                                               \
    HIPEMU_COMPARE("f_" suffix, type, kNever), HIPEMU_COMPARE("lt_" suffix, type, kLess),                 \
    HIPEMU_COMPARE("eq_" suffix, type, kEqual), HIPEMU_COMPARE("le_" suffix, type, kLessEqual),           \
    HIPEMU_COMPARE("gt_" suffix, type, kGreater), HIPEMU_COMPARE("lg_" suffix, type, kLessGreater),       \
    HIPEMU_COMPARE("ge_" suffix, type, kGreaterEqual), HIPEMU_COMPARE("o_" suffix, type, kOrdered),       \
    HIPEMU_COMPARE("u_" suffix, type, kUnordered), HIPEMU_COMPARE("nge_" suffix, type, kNotGreaterEqual), \
    HIPEMU_COMPARE("nlg_" suffix, type, kNotLessGreater), HIPEMU_COMPARE("ngt_" suffix, type, kNotGreater), \
    HIPEMU_COMPARE("nle_" suffix, type, kNotLessEqual), HIPEMU_COMPARE("neq_" suffix, type, kNotEqual),   \
    HIPEMU_COMPARE("nlt_" suffix, type, kNotLess), HIPEMU_COMPARE("t_" suffix, type, kAlways)

#define HIPEMU_INT_COMPARES(suffix, type)                                                                 \
    HIPEMU_COMPARE("lt_" suffix, type, kLess), HIPEMU_COMPARE("eq_" suffix, type, kEqual),                \
    HIPEMU_COMPARE("le_" suffix, type, kLessEqual), HIPEMU_COMPARE("gt_" suffix, type, kGreater),         \
    HIPEMU_COMPARE("ne_" suffix, type, kNotEqual), HIPEMU_COMPARE("ge_" suffix, type, kGreaterEqual)

// 16-bit integers have no "never" and "always".
#define HIPEMU_WIDE_COMPARES(suffix, type)                                                                \
    HIPEMU_COMPARE("f_" suffix, type, kNever), HIPEMU_INT_COMPARES(suffix, type), HIPEMU_COMPARE("t_" suffix, type, kAlways)

constexpr OpInfo kOps[] = {
    HIPEMU_FLOAT_COMPARES("f16", F16),
    HIPEMU_FLOAT_COMPARES("f32", F32),
    HIPEMU_FLOAT_COMPARES("f64", F64),
    HIPEMU_INT_COMPARES("i16", I16),
    HIPEMU_INT_COMPARES("u16", U16),
    HIPEMU_WIDE_COMPARES("i32", I32),
    HIPEMU_WIDE_COMPARES("u32", U32),
    HIPEMU_WIDE_COMPARES("i64", I64),
    HIPEMU_WIDE_COMPARES("u64", U64),
    with_sources(mask_result("v_cmp_class_f16", class_f16<false>, Type::f16, false), Type::f16, Type::b16),
    with_sources(mask_result("v_cmpx_class_f16", class_f16<true>, Type::f16, true), Type::f16, Type::b16),
    with_sources(mask_result("v_cmp_class_f32", class_f32<false>, Type::f32, false), Type::f32, Type::b32),
    with_sources(mask_result("v_cmpx_class_f32", class_f32<true>, Type::f32, true), Type::f32, Type::b32),
    with_sources(mask_result("v_cmp_class_f64", class_f64<false>, Type::f64, false), Type::f64, Type::b32),
    with_sources(mask_result("v_cmpx_class_f64", class_f64<true>, Type::f64, true), Type::f64, Type::b32),
};

#undef HIPEMU_COMPARE
#undef HIPEMU_FLOAT_COMPARES
#undef HIPEMU_INT_COMPARES
#undef HIPEMU_WIDE_COMPARES

}  // namespace

std::span<const OpInfo> compare_ops() { return kOps; }

}  // namespace hipemu::HIPEMU_LANES
