// Scalar instructions, branches, barriers, instruction fetch. NAME runs 32 copies of its lines a round, NAME_twice 64
// (see vector.hip).
#define REGISTERS                                                                                                  \
    "s20", "s21", "s22", "s23", "s24", "s25", "s26", "s27", "s28", "s29", "s30", "s31", "scc", "v1", "v10", "v11", \
        "v12", "memory"
#define TIMED(name, lines)                                                                         \
    extern "C" __global__ void name(int rounds) {                                                  \
        for (int i = 0; i < rounds; ++i) asm volatile(".rept 32\n" lines "\n.endr" ::: REGISTERS); \
    }                                                                                              \
    extern "C" __global__ void name##_twice(int rounds) {                                          \
        for (int i = 0; i < rounds; ++i) asm volatile(".rept 64\n" lines "\n.endr" ::: REGISTERS); \
    }

TIMED(salu, "s_add_u32 s20, s30, s31\n s_add_u32 s21, s30, s31\n s_add_u32 s22, s30, s31\n s_add_u32 s23, s30, s31")
TIMED(salu_chain, "s_add_u32 s20, s20, s31")
TIMED(nop_4, "s_nop 4")
TIMED(delay_alu, "s_delay_alu instid0(VALU_DEP_1)\n v_add_f32 v1, v10, v11")
// Taken jumps lead over one instruction.
TIMED(branch_taken, "s_branch 1\n s_nop 0")
TIMED(branch_not_taken, "s_cmp_lg_u32 s30, s30\n s_cbranch_scc1 1\n s_nop 0")
TIMED(branch_on_compare, "s_cmp_eq_u32 s30, s30\n s_cbranch_scc1 1\n s_nop 0")
TIMED(branch_on_exec, "v_cmpx_eq_u32 v10, v10\n s_cbranch_execz 1\n s_nop 0")
TIMED(read_first_lane, "v_readfirstlane_b32 s20, v10\n s_add_u32 s21, s20, s31\n v_mov_b32 v10, s21")
TIMED(barrier, "s_barrier")

// A scalar pointer that points at itself.
extern "C" __global__ void scalar_chase(int steps, const void* at) {
    for (int i = 0; i < steps; ++i)
        asm volatile(".rept 32\n s_load_b64 %0, %0, 0x0\n s_waitcnt lgkmcnt(0)\n.endr" : "+s"(at));
}

// Loops of 16 KiB and 48 KiB of code, eight bytes an instruction; the cache holds 32 KiB.
extern "C" __global__ void code_16k(int rounds) {
    for (int i = 0; i < rounds; ++i) asm volatile(".rept 2048\n v_fma_f32 v1, v10, v11, v12\n.endr" ::: REGISTERS);
}
extern "C" __global__ void code_48k(int rounds) {
    for (int i = 0; i < rounds; ++i) asm volatile(".rept 6144\n v_fma_f32 v1, v10, v11, v12\n.endr" ::: REGISTERS);
}
