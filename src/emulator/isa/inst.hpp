// One decoded instruction: what the interpreter runs. A kernel's text is decoded once per module into a dense array of Inst,
// which is immutable afterwards and read by every host thread.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace hipemu {

struct Wave;
struct Inst;

inline constexpr int kLanes = 32;  // every object hiprtc makes for gfx10+ by default is wave32

/// Executes one instruction on one wave. Reports trouble through Wave::stop_with_fault, never by an exception.
using ExecFn = void (*)(Wave&, const Inst&);

/// The pipe an instruction goes to; timing and statistics count by it.
enum class Unit : std::uint8_t { salu, smem, valu, trans, wmma, vopd, lds, vmem, branch, wait, other };
inline constexpr int kUnits = 11;

/// Numbers of the scalar registers with a name of their own, as the ISA encodes them (gfx10+).
inline constexpr std::uint16_t kVccLo = 106, kVccHi = 107, kTtmp0 = 108, kNull = 124, kM0 = 125, kExecLo = 126, kExecHi = 127;

/// Where results for `null` go: the decoder writes this number into destinations, so that s[kNull] stays 0. Two registers wide.
inline constexpr std::uint16_t kSink = 128;
inline constexpr int kScalars = 130;

/// In sets of scalar registers SCC uses the place of `null`, which is never undefined.
inline constexpr std::uint16_t kSccBit = kNull;

/// A set of vector registers; tells in a few host instructions whether every source of an instruction is fully defined.
struct RegSet {
    std::array<std::uint64_t, 4> bits{};

    void add(unsigned first, unsigned count) {
        for (unsigned r = first; r < first + count && r < 256; ++r) bits[r / 64] |= 1ull << (r % 64);
    }
    bool contains(unsigned r) const { return bits[r / 64] >> (r % 64) & 1; }
    bool empty() const { return (bits[0] | bits[1] | bits[2] | bits[3]) == 0; }
    /// True if every member of `other` is in this set.
    bool covers(const RegSet& other) const {
        return ((other.bits[0] & ~bits[0]) | (other.bits[1] & ~bits[1]) | (other.bits[2] & ~bits[2]) | (other.bits[3] & ~bits[3])) == 0;
    }
    /// True if some member of `other` is in this set.
    bool meets(const RegSet& other) const {
        return ((other.bits[0] & bits[0]) | (other.bits[1] & bits[1]) | (other.bits[2] & bits[2]) | (other.bits[3] & bits[3])) != 0;
    }
    RegSet& operator|=(const RegSet& other) {
        for (int i = 0; i < 4; ++i) bits[i] |= other.bits[i];
        return *this;
    }
    RegSet& operator-=(const RegSet& other) {
        for (int i = 0; i < 4; ++i) bits[i] &= ~other.bits[i];
        return *this;
    }
};

/// A set of scalar registers by the ISA's numbers, SCC among them.
struct ScalarSet {
    std::array<std::uint64_t, 2> bits{};

    void add(unsigned first, unsigned count) {
        for (unsigned r = first; r < first + count && r < 128; ++r) bits[r / 64] |= 1ull << (r % 64);
    }
    bool contains(unsigned r) const { return r >= 128 || (bits[r / 64] >> (r % 64) & 1); }
    bool empty() const { return (bits[0] | bits[1]) == 0; }
    bool covers(const ScalarSet& other) const { return ((other.bits[0] & ~bits[0]) | (other.bits[1] & ~bits[1])) == 0; }
    ScalarSet& operator|=(const ScalarSet& other) {
        for (int i = 0; i < 2; ++i) bits[i] |= other.bits[i];
        return *this;
    }
    ScalarSet& operator-=(const ScalarSet& other) {
        for (int i = 0; i < 2; ++i) bits[i] &= ~other.bits[i];
        return *this;
    }
};

enum class OperandKind : std::uint8_t { none, vgpr, sgpr, constant };

/// Which part of a register a 16-bit operand means (`v1.l`, `v1.h`).
enum class Half : std::uint8_t { whole, low, high };

struct Operand {
    OperandKind kind = OperandKind::none;
    std::uint8_t count = 1;       // consecutive 32-bit registers
    std::uint16_t index = 0;      // vgpr: v0 = 0; sgpr: the ISA's number (vcc_lo = 106, null = 124, exec_lo = 126, src_* and scc by name)
    Half half = Half::whole;
    bool neg = false, abs = false;  // input modifiers of VOP2/VOP3
    std::uint64_t value = 0;      // constant: its bits, already in the width and type that the operation reads
};

/// How a wave's lanes are rearranged before an instruction with DPP reads src0.
enum class DppControl : std::uint8_t {
    none, quad_perm, row_shl, row_shr, row_ror, row_mirror, row_half_mirror, row_share, row_xmask, dpp8
};

/// Modifiers that only some encodings have; all zero where not printed.
struct Modifiers {
    std::uint8_t op_sel = 0;       // bit i = source i (bit 3, or the bit after the sources, = destination)
    std::uint8_t op_sel_hi = 0;    // VOP3P; the assembler's default (all ones) is filled in by the decoder
    std::uint8_t neg_lo = 0, neg_hi = 0;
    bool clamp = false;
    std::uint8_t omod = 0;         // 0 none, 1 mul:2, 2 mul:4, 3 div:2
    DppControl dpp = DppControl::none;
    std::uint32_t dpp_value = 0;   // quad_perm: 2 bits a lane; dpp8: 3 bits a lane; rows: the count
    std::uint8_t row_mask = 0xf, bank_mask = 0xf;
    bool bound_ctrl = false, fetch_inactive = false;
    bool glc = false, slc = false, dlc = false;   // glc on an atomic: the old value is returned
    bool gds = false;
    bool offen = false, idxen = false;  // buffer_*: the address register holds an offset, an index, or both
    std::int32_t offset = 0;       // offset:, or offset0:
    std::int32_t offset1 = 0;
};

/// What an undefined source bit makes undefined in the destination; see undefined.hpp.
enum class Taint : std::uint8_t {
    lane,       // any undefined bit of a lane's sources: that lane's whole result
    copy,       // bits move unchanged (v_mov, loads of a register pair)
    bitwise,    // and, or, xor, not, bfi: bit by bit, known zero bits of `and` and one bits of `or` define
    custom,     // the instruction's own rule, by OpInfo::taint_fn
    none,       // results are always defined (moves of constants, s_getreg)
};
using TaintFn = void (*)(Wave&, const Inst&);

/// How many bits and of what type an operand is read as; decides what the text `1.0` or `-4` means.
/// lane_mask: a scalar register with one bit a lane (VCC as a selector or carry), which matters to the taint of each lane alone.
enum class Type : std::uint8_t { none, b16, f16, bf16, b32, f32, b64, f64, pk16, pkf16, any, lane_mask };

/// Picks the handler for one decoded instruction: a faster one where its operands allow, OpInfo::exec otherwise.
using SelectFn = ExecFn (*)(const Inst&);

/// Cycles that are no whole numbers count in sixteenths.
inline constexpr std::uint32_t kFraction = 16;

/// The entry of one mnemonic (encoding suffixes stripped) in an operation table.
struct OpInfo {
    std::string_view mnemonic;
    ExecFn exec = nullptr;
    Unit unit = Unit::valu;
    std::uint8_t issue_cycles = 1;   // of its pipe, per wave32; see timing.hpp
    std::uint8_t destinations = 1;   // how many leading operands of the text are written
    Type source_type = Type::b32;    // of every source, unless source_types says otherwise
    std::array<Type, 4> source_types{};  // Type::none = as source_type
    bool reads_destination = false;  // v_fmac, v_dot2acc, v_writelane: the old value is a source
    bool half_result = false;        // 16 bits that keep the other half of their register: the decoder makes the destination's Operand::half
                                     // low or high, from the text's .l/.h or op_sel (and likewise of 16-bit sources outside VOP3P)
    bool writes_exec = false;        // v_cmpx_*
    bool reads_vcc = false;          // implicit: v_div_fmas
    bool reads_scc = false;
    bool writes_scc = false;
    bool reads_m0 = false;
    bool any_register = false;       // which registers it touches is known only when it runs: its rule is asked unless all are defined
    bool glc_returns = false;        // an atomic: has a destination if glc is printed
    bool ends_block = false;         // control flow: the interpreter looks at Wave::pc and Wave::state after it
    bool no_effect = false;          // waits, hints: never executed, only counted by their text
    Taint taint = Taint::lane;
    TaintFn taint_fn = nullptr;
    SelectFn select = nullptr;       // asked by the decoder once the instruction is complete
};

struct alignas(64) Inst {
    // By cache lines of the host: most handlers look at the first two only, the interpreter also at the third where undefined bits are tracked.
    ExecFn exec = nullptr;
    std::uint16_t skip = 1;          // distance to the next instruction with an effect (waits and hints are stepped over)
    bool ends_block = false;         // as OpInfo::ends_block
    bool crosses_lanes = false;      // reads lanes other than its own (DPP, permlane, readlane, WMMA)
    bool has_modifiers = true;       // DPP or clamp, which few instructions have; the decoder knows
    std::uint8_t sources = 0;        // used entries of src
    std::uint8_t destinations = 0;   // used entries of dst
    Unit unit = Unit::other;
    std::array<Operand, 2> dst;
    std::array<Operand, 5> src;

    RegSet touched;                  // reads and writes together
    ScalarSet scalar_touched;
    std::int32_t imm = 0;            // SOPP/SOPK immediate
    std::uint32_t target = 0;        // branches: index of the instruction to go on with
    std::uint32_t address = 0;       // byte offset from the start of .text
    std::uint8_t bytes = 4;          // encoded size
    std::uint8_t issue_cycles = 1;

    Modifiers mod;
    const OpInfo* info = nullptr;
    // VOPD: this is X and `second` the Y half, a whole Inst of its own. Each half's handler does its own half; `exec` of X is a joiner
    // that the decoder puts there (it runs both so that both read before either writes) and first_exec is X's own handler.
    const Inst* second = nullptr;
    ExecFn first_exec = nullptr;
    RegSet reads, writes;            // vector registers; of both halves of a VOPD
    ScalarSet scalar_reads, scalar_writes;
};

}  // namespace hipemu
