// A register that a load has yet to fill must not be touched before a wait for that load. Each rule: code that breaks it, and the same code
// mended.
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "emulator/instruction_harness.hpp"

using emulator_test::WaveRun;
using namespace hipemu;

namespace {

constexpr std::uint64_t kBase = 0x7f0000001000;

/// Global memory of 1 KiB at s[2:3] and v[20:21], LDS of 1 KiB, private memory of 64 bytes; v0 is 0, v1 and s8 hold numbers.
class Bench {
public:
    explicit Bench(std::string_view lines, std::uint32_t exec = ~0u) : bytes_(1024), defined_(bytes_.size() / 8, 0xff), run_(lines) {
        run_.set_memory(std::make_shared<MemoryMap>(std::vector<Allocation>{{.base = kBase,
                                                                            .size = bytes_.size(),
                                                                            .host = bytes_.data(),
                                                                            .defined = defined_.data(),
                                                                            .writable = true,
                                                                            .label = "the buffer"}}));
        run_.set_lds(1024).set_scratch(64).set_s64(2, kBase).set_v64(20, kBase).set_v(0, 0).set_v(1, 1).set_v(2, 2).set_s(8, 8);
        run_.group().lds_undefined.assign(run_.group().lds_undefined.size(), std::byte{0});
        run_.group().scratch_undefined.assign(run_.group().scratch_undefined.size(), std::byte{0});
        run_.set_exec(exec).watched().go();
    }

    /// What it stopped with: "" if nothing.
    std::string finding() const { return run_.fault() != nullptr ? run_.fault()->message : ""; }
    std::string instruction() const { return run_.fault() != nullptr ? run_.fault()->instruction : ""; }
    bool is_missing_wait() const { return run_.fault() != nullptr && run_.fault()->kind == FaultKind::missing_wait; }

private:
    std::vector<std::byte> bytes_;
    std::vector<std::uint8_t> defined_;
    WaveRun run_;
};

/// `lines` up to "|" are fine; the instruction behind it comes too early, unless `wait` stands before it.
struct Rule {
    const char* name;
    const char* before;  // loads, and waits that do not do
    const char* use;     // one instruction
    const char* wait;    // that makes it right
    const char* names;   // the register that is named
};

void check(const Rule& rule) {
    INFO(rule.name);
    const Bench early(std::string(rule.before) + "\n" + rule.use);
    CHECK(early.is_missing_wait());
    CHECK(early.instruction() == rule.use);
    CHECK_MESSAGE(early.finding().find(std::string("uses ") + rule.names + " before") == 0, early.finding());
    const Bench right(std::string(rule.before) + "\n" + rule.wait + "\n" + rule.use);
    CHECK(right.finding() == "");
}

/// Lines that are right as they stand.
void check_fine(const char* name, const char* lines) {
    INFO(name);
    CHECK(Bench(lines).finding() == "");
}

}  // namespace

TEST_CASE("a loaded register is not read, nor written, before its wait") {
    for (const Rule& rule : {
             Rule{"global load, read", "global_load_b32 v4, v0, s[2:3]", "v_add_nc_u32 v5, v4, v1", "s_waitcnt vmcnt(0)", "v4"},
             Rule{"global load, overwritten", "global_load_b32 v4, v0, s[2:3]", "v_mov_b32 v4, v1", "s_waitcnt vmcnt(0)", "v4"},
             Rule{"the second register of a pair", "global_load_b64 v[4:5], v0, s[2:3]", "v_mov_b32 v6, v5", "s_waitcnt vmcnt(0)", "v5"},
             Rule{"as an address", "global_load_b32 v4, v0, s[2:3]", "global_load_b32 v5, v4, s[2:3]", "s_waitcnt vmcnt(0)", "v4"},
             Rule{"as the data of a store", "global_load_b32 v4, v0, s[2:3]", "global_store_b32 v0, v4, s[2:3]", "s_waitcnt vmcnt(0)", "v4"},
             Rule{"as the data of a store to LDS", "global_load_b32 v4, v0, s[2:3]", "ds_store_b32 v0, v4", "s_waitcnt vmcnt(0)", "v4"},
             Rule{"in the Y half of a pair", "global_load_b32 v4, v0, s[2:3]", "v_dual_mov_b32 v6, v1 :: v_dual_mov_b32 v7, v4",
                  "s_waitcnt vmcnt(0)", "v4"},
             Rule{"scratch", "scratch_load_b32 v4, off, off", "v_mov_b32 v5, v4", "s_waitcnt vmcnt(0)", "v4"},
             Rule{"LDS", "ds_load_b64 v[4:5], v0", "v_mov_b32 v6, v5", "s_waitcnt lgkmcnt(0)", "v5"},
             Rule{"scalar load", "s_load_b64 s[4:5], s[2:3], null", "s_add_u32 s6, s5, s8", "s_waitcnt lgkmcnt(0)", "s5"},
             Rule{"scalar load, read by a vector operation", "s_load_b32 s4, s[2:3], null", "v_mov_b32 v6, s4", "s_waitcnt lgkmcnt(0)", "s4"},
             Rule{"atomic that returns", "global_atomic_add_u32 v4, v0, v1, s[2:3] glc", "v_mov_b32 v6, v4", "s_waitcnt vmcnt(0)", "v4"},
             Rule{"LDS atomic that returns", "ds_add_rtn_u32 v4, v0, v1", "v_mov_b32 v6, v4", "s_waitcnt lgkmcnt(0)", "v4"},
             Rule{"LDS crossbar", "ds_bpermute_b32 v4, v0, v1", "v_mov_b32 v6, v4", "s_waitcnt lgkmcnt(0)", "v4"},
             Rule{"LDS swizzle", "ds_swizzle_b32 v4, v1 offset:swizzle(SWAP,1)", "v_mov_b32 v6, v4", "s_waitcnt lgkmcnt(0)", "v4"},
             Rule{"message with an answer", "s_sendmsg_rtn_b64 s[4:5], sendmsg(MSG_RTN_GET_REALTIME)", "s_mov_b32 s6, s4", "s_waitcnt lgkmcnt(0)",
                  "s4"},
             Rule{"wait in its own instruction", "ds_load_b32 v4, v0", "v_mov_b32 v6, v4", "s_waitcnt_lgkmcnt null, 0x0", "v4"},
             Rule{"wait as a number", "global_load_b32 v4, v0, s[2:3]", "v_mov_b32 v6, v4", "s_waitcnt 0x3f7", "v4"},
             Rule{"wait for everything", "global_load_b32 v4, v0, s[2:3]", "v_mov_b32 v6, v4", "s_wait_idle", "v4"},
         })
        check(rule);
}

TEST_CASE("a wait for another counter, or for fewer than needed, does not do") {
    for (const Rule& rule : {
             Rule{"vmcnt for LDS", "ds_load_b32 v4, v0\ns_waitcnt vmcnt(0)", "v_mov_b32 v6, v4", "s_waitcnt lgkmcnt(0)", "v4"},
             Rule{"lgkmcnt for global memory", "global_load_b32 v4, v0, s[2:3]\ns_waitcnt lgkmcnt(0)", "v_mov_b32 v6, v4", "s_waitcnt vmcnt(0)", "v4"},
             Rule{"vscnt for a load", "global_load_b32 v4, v0, s[2:3]\ns_waitcnt_vscnt null, 0x0", "v_mov_b32 v6, v4", "s_waitcnt vmcnt(0)", "v4"},
             Rule{"the older of two is done, not the newer", "global_load_b32 v4, v0, s[2:3]\nglobal_load_b32 v5, v0, s[2:3]\ns_waitcnt vmcnt(1)",
                  "v_mov_b32 v6, v5", "s_waitcnt vmcnt(0)", "v5"},
             Rule{"stores have a counter of their own", "global_load_b32 v4, v0, s[2:3]\nglobal_store_b32 v0, v1, s[2:3]\ns_waitcnt vmcnt(1)",
                  "v_mov_b32 v6, v4", "s_waitcnt vmcnt(0)", "v4"},
             Rule{"LDS: likewise in order", "ds_load_b32 v4, v0\nds_load_b32 v5, v0\ns_waitcnt lgkmcnt(1)", "v_mov_b32 v6, v5", "s_waitcnt lgkmcnt(0)",
                  "v5"},
             Rule{"scalar loads come in any order", "s_load_b32 s4, s[2:3], null\ns_load_b32 s5, s[2:3], null\ns_waitcnt lgkmcnt(1)",
                  "s_mov_b32 s6, s4", "s_waitcnt lgkmcnt(0)", "s4"},
             Rule{"a scalar load may be the one that is done", "ds_load_b32 v4, v0\ns_load_b32 s5, s[2:3], null\ns_waitcnt lgkmcnt(1)",
                  "v_mov_b32 v6, v4", "s_waitcnt lgkmcnt(0)", "v4"},
             Rule{"a flat load may come from LDS", "flat_load_b32 v4, v[20:21]\ns_waitcnt vmcnt(0)", "v_mov_b32 v6, v4", "s_waitcnt lgkmcnt(0)", "v4"},
             Rule{"or from global memory", "flat_load_b32 v4, v[20:21]\ns_waitcnt lgkmcnt(0)", "v_mov_b32 v6, v4", "s_waitcnt vmcnt(0)", "v4"},
         })
        check(rule);
}

TEST_CASE("results of two kinds may not race for one register; of one kind they come in order") {
    for (const Rule& rule : {
             Rule{"LDS behind global memory", "global_load_b32 v4, v0, s[2:3]", "ds_load_b32 v4, v0", "s_waitcnt vmcnt(0)", "v4"},
             Rule{"global memory behind LDS", "ds_load_b32 v4, v0", "global_load_b32 v4, v0, s[2:3]", "s_waitcnt lgkmcnt(0)", "v4"},
             Rule{"two scalar loads", "s_load_b32 s4, s[2:3], null", "s_load_b32 s4, s[2:3], 0x4", "s_waitcnt lgkmcnt(0)", "s4"},
         })
        check(rule);
    check_fine("two global loads", "global_load_b32 v4, v0, s[2:3]\nglobal_load_b32 v4, v0, s[2:3]\ns_waitcnt vmcnt(0)\nv_mov_b32 v6, v4");
    check_fine("two LDS loads", "ds_load_b32 v4, v0\nds_load_b32 v4, v0\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v6, v4");
    check_fine("the halves of a register",
               "global_load_d16_b16 v1, v0, s[2:3]\nglobal_load_d16_hi_b16 v1, v0, s[2:3]\ns_waitcnt vmcnt(0)\nv_mov_b32 v6, v1");
}

TEST_CASE("a 16-bit load fills one half of a register; the other may be used meanwhile") {
    for (const Rule& rule : {
             Rule{"the half that is loaded", "global_load_d16_hi_b16 v1, v0, s[2:3]", "ds_store_b16_d16_hi v0, v1", "s_waitcnt vmcnt(0)", "v1"},
             Rule{"likewise the low one", "global_load_d16_b16 v1, v0, s[2:3]", "ds_store_b16 v0, v1", "s_waitcnt vmcnt(0)", "v1"},
             Rule{"all of it", "global_load_d16_b16 v1, v0, s[2:3]", "v_mov_b32 v6, v1", "s_waitcnt vmcnt(0)", "v1"},
             Rule{"a 16-bit operation", "global_load_d16_hi_b16 v1, v0, s[2:3]", "v_mov_b16 v6.l, v1.h", "s_waitcnt vmcnt(0)", "v1"},
             Rule{"a 16-bit result", "global_load_d16_hi_b16 v1, v0, s[2:3]", "v_mov_b16 v1.h, v2.l", "s_waitcnt vmcnt(0)", "v1"},
             Rule{"an address", "global_load_d16_hi_b16 v1, v0, s[2:3]", "ds_store_b8 v1, v2", "s_waitcnt vmcnt(0)", "v1"},
             Rule{"a full load from LDS", "ds_load_u16 v1, v0", "v_mov_b16 v6.l, v1.h", "s_waitcnt lgkmcnt(0)", "v1"},
         })
        check(rule);
    check_fine("store of the low half", "global_load_d16_hi_b16 v1, v0, s[2:3]\nds_store_b16 v0, v1");
    check_fine("store of the high half", "global_load_d16_b16 v1, v0, s[2:3]\nglobal_store_d16_hi_b16 v0, v1, s[2:3]");
    check_fine("a 16-bit operation", "global_load_d16_hi_b16 v1, v0, s[2:3]\nv_mov_b16 v6.l, v1.l\nv_mov_b16 v1.l, v2.l");
    check_fine("halves from two kinds of memory", "global_load_d16_hi_b16 v1, v0, s[2:3]\nds_load_u16_d16 v1, v0");
}

TEST_CASE("the other half of a register that a 16-bit load fills may be used before its wait") {
    const std::string loads = "global_load_d16_b16 v1, v0, s[2:3]\nglobal_load_d16_hi_b16 v1, v0, s[2:3] offset:2\n";
    CHECK(Bench(loads + "s_waitcnt vmcnt(1)\nv_mov_b16_e32 v2.l, v1.l\ns_waitcnt vmcnt(0)\nv_mov_b16_e32 v2.h, v1.h").finding() == "");
    for (const std::string early : {"v_mov_b16_e32 v2.l, v1.h", "v_mov_b16_e32 v1.h, v2.l", "v_mov_b32 v2, v1"}) {
        CAPTURE(early);
        CHECK(Bench(loads + "s_waitcnt vmcnt(1)\n" + early).finding() == "uses v1 before a wait says that the load which fills it is done");
    }
}

TEST_CASE("waits that are just enough are enough") {
    check_fine("the older of two", "global_load_b32 v4, v0, s[2:3]\nglobal_load_b32 v5, v0, s[2:3]\ns_waitcnt vmcnt(1)\nv_mov_b32 v6, v4");
    check_fine("scratch and global memory in one order", "scratch_load_b32 v4, off, off\nglobal_load_b32 v5, v0, s[2:3]\ns_waitcnt vmcnt(1)\nv_mov_b32 v6, v4");
    check_fine("LDS behind a scalar load", "s_load_b32 s4, s[2:3], null\nds_load_b32 v4, v0\nds_load_b32 v5, v0\ns_waitcnt lgkmcnt(1)\nv_mov_b32 v6, v4");
    check_fine("a store to LDS counts", "ds_load_b32 v4, v0\nds_store_b32 v0, v1\ns_waitcnt lgkmcnt(1)\nv_mov_b32 v6, v4");
    check_fine("a flat load counts as LDS does, in order", "flat_load_b32 v4, v[20:21]\nds_load_b32 v5, v0\ns_waitcnt vmcnt(0) lgkmcnt(1)\nv_mov_b32 v6, v4");
    check_fine("a flat store, too", "ds_load_b32 v4, v0\nflat_store_b32 v[20:21], v1\ns_waitcnt lgkmcnt(1)\nv_mov_b32 v6, v4");
    check_fine("what a store is made of may change at once", "global_store_b32 v0, v1, s[2:3]\nv_mov_b32 v1, v2\nv_mov_b32 v0, v2");
    check_fine("what an address is made of, too", "global_load_b32 v4, v0, s[2:3]\nv_mov_b32 v0, v2\ns_mov_b32 s2, s8");
    check_fine("an atomic without a result fills nothing", "global_atomic_add_u32 v0, v1, s[2:3]\nv_mov_b32 v1, v2");
}

TEST_CASE("a load of no lane fills nothing, but counts") {
    CHECK(Bench("global_load_b32 v1, v0, s[2:3]\nv_readfirstlane_b32 s6, v1", 0).finding() == "");
    CHECK(Bench("global_load_b32 v1, v0, s[2:3]\nv_readfirstlane_b32 s6, v1", 1).is_missing_wait());
    CHECK(Bench("s_load_b32 s4, s[2:3], null\ns_mov_b32 s6, s4", 0).is_missing_wait());
}

TEST_CASE("missing waits are no findings where they are not asked for") {
    WaveRun run("s_load_b32 s4, s[2:3], null\ns_mov_b32 s6, s4");
    std::vector<std::byte> bytes(64);
    run.set_memory(std::make_shared<MemoryMap>(std::vector<Allocation>{
        {.base = kBase, .size = 64, .host = bytes.data(), .defined = nullptr, .writable = false, .label = "the buffer"}}));
    run.set_s64(2, kBase).watched({.waits = false}).go();
    CHECK(run.fault() == nullptr);
}
