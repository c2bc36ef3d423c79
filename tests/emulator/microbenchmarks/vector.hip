// Vector instructions. NAME runs 32 copies of its lines a round, NAME_twice 64: the difference of the two has neither
// the loop nor the launch nor a cold instruction cache in it. Registers are fixed, so that what is timed is what stands
// here.
#define REGISTERS "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15"
#define TIMED(name, lines)                                                                         \
    extern "C" __global__ void name(int rounds) {                                                  \
        for (int i = 0; i < rounds; ++i) asm volatile(".rept 32\n" lines "\n.endr" ::: REGISTERS); \
    }                                                                                              \
    extern "C" __global__ void name##_twice(int rounds) {                                          \
        for (int i = 0; i < rounds; ++i) asm volatile(".rept 64\n" lines "\n.endr" ::: REGISTERS); \
    }

// Issue, six instructions that do not depend on each other: of one result register, of two.
#define SIX(op, sources)                                                                                               \
    op " v1, " sources "\n" op " v2, " sources "\n" op " v3, " sources "\n" op " v4, " sources "\n" op " v5, " sources \
       "\n" op " v6, " sources
#define SIX_WIDE(op, sources)                                                                                          \
    op " v[0:1], " sources "\n" op " v[2:3], " sources "\n" op " v[4:5], " sources "\n" op " v[6:7], " sources "\n" op \
       " v[8:9], " sources "\n" op " v[14:15], " sources
TIMED(add_f32, SIX("v_add_f32", "v10, v11"))
TIMED(fma_f32, SIX("v_fma_f32", "v10, v11, v12"))
TIMED(perm_b32, SIX("v_perm_b32", "v10, v11, v12"))
TIMED(pk_fma_f16, SIX("v_pk_fma_f16", "v10, v11, v12"))
TIMED(exp_f32, SIX("v_exp_f32", "v10"))
TIMED(rcp_f32, SIX("v_rcp_f32", "v10"))
TIMED(mul_lo_u32, SIX("v_mul_lo_u32", "v10, v11"))
TIMED(lshlrev_b64, SIX_WIDE("v_lshlrev_b64", "v10, v[12:13]"))
TIMED(mad_u64_u32, SIX_WIDE("v_mad_u64_u32", "null, v10, v11, v[12:13]"))
TIMED(fma_f64, SIX_WIDE("v_fma_f64", "v[10:11], v[12:13], v[12:13]"))
#define PAIR(even, odd) "v_dual_add_f32 v" #even ", v8, v9 :: v_dual_mul_f32 v" #odd ", v10, v11\n"
TIMED(dual_f32, PAIR(0, 1) PAIR(2, 3) PAIR(4, 5) PAIR(6, 7) PAIR(12, 13) PAIR(14, 15))

// From issue to a dependent instruction.
TIMED(add_f32_chain, "v_add_f32 v1, v1, v11")
TIMED(dual_f32_chain, "v_dual_add_f32 v2, v2, v9 :: v_dual_mul_f32 v3, v3, v11")
TIMED(exp_f32_chain, "v_exp_f32 v1, v1")
TIMED(exp_add_chain, "v_exp_f32 v1, v1\n v_add_f32 v1, v1, v11")
TIMED(mul_lo_u32_chain, "v_mul_lo_u32 v1, v1, v11")
TIMED(fma_f64_chain, "v_fma_f64 v[0:1], v[0:1], v[12:13], v[12:13]")

// What runs beside what: three vector instructions fit beside one transcendental.
#define ADD(to) "v_add_f32 v" #to ", v10, v11\n"
TIMED(exp_beside_three, "v_exp_f32 v1, v10\n" ADD(2) ADD(3) ADD(4))
TIMED(exp_beside_seven, "v_exp_f32 v1, v10\n" ADD(2) ADD(3) ADD(4) ADD(5) ADD(6) ADD(7) ADD(8))
