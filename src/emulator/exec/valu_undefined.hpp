// Rules for undefined bits of vector operations that neither work bit by bit nor lane by lane. Like all rules they run before the handler.
#pragma once

#include "emulator/isa/inst.hpp"

namespace hipemu {

void taint_mad64(Wave& wave, const Inst& inst);       // v_mad_u64_u32: a bit depends on bits at its place and below, never above
void taint_swap(Wave& wave, const Inst& inst);        // v_swap: the registers change places
void taint_pack(Wave& wave, const Inst& inst);        // v_cvt_pk_*: each half of the result comes from one source
void taint_pack_byte(Wave& wave, const Inst& inst);   // v_cvt_pk_u8: one byte of the third source is replaced
void taint_pack_halves_to_bytes(Wave& wave, const Inst& inst);  // v_sat_pk_u8
void taint_packed(Wave& wave, const Inst& inst);      // v_pk_*: the halves of the result are computed apart
void taint_mixed(Wave& wave, const Inst& inst);       // v_fma_mix: of a half source only that half matters
void taint_permlane(Wave& wave, const Inst& inst);    // each lane takes the bits of the lane it reads
void taint_readlane(Wave& wave, const Inst& inst);
void taint_writelane(Wave& wave, const Inst& inst);
void taint_nothing(Wave& wave, const Inst& inst);     // no register changes
void taint_matrix(Wave& wave, const Inst& inst);      // WMMA: a row of A, a column of B and the old value make an element

}  // namespace hipemu
