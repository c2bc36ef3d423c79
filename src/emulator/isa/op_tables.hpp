// The tables of instruction semantics, one per group; decode.cpp joins them. A mnemonic stands in exactly one table.
#pragma once

#include <span>

#include "emulator/isa/inst.hpp"

namespace hipemu {

std::span<const OpInfo> salu_ops();      // SOP1, SOP2, SOPC, SOPK
std::span<const OpInfo> control_ops();   // SOPP: branches, barriers, waits, end
std::span<const OpInfo> smem_ops();      // s_load_*
std::span<const OpInfo> vmem_ops();      // global_*, flat_*, scratch_*, buffer_gl*_inv
std::span<const OpInfo> buffer_ops();    // buffer_load_*, buffer_store_*, buffer_atomic_*
std::span<const OpInfo> lds_ops();       // ds_*
std::span<const OpInfo> implicit_address_ops();  // ds_append, ds_consume, *_addtid_b32
std::span<const OpInfo> relative_move_ops();  // v_movrel*, v_swaprel, s_movrel*

/// Vector ALU tables come in two builds of the same sources, bit-equal by test: plain C++, and AVX2 + FMA + F16C. The host's
/// processor decides once, at load; HIPEMU_PORTABLE=1 asks for the plain one.
enum class LaneBuild { portable, avx2 };
bool host_has_avx2();             // and this library has that build
LaneBuild chosen_lane_build();
std::span<const OpInfo> valu_ops(LaneBuild build);   // VOP1, VOP2, VOP3, VOPC, VOP3P, WMMA, lane exchange; VOPD halves as v_dual_*

}  // namespace hipemu
