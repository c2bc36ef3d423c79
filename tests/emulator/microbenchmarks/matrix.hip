// Matrix instructions alone, and what others cost beside them. NAME runs 16 copies of its lines a round, NAME_twice 32
// (see vector.hip). A, B and C of a 16x16x16 product start in one bank of vector registers, two, or three: the number
// of the first register modulo 4.
#define REGISTERS                                                                                                 \
    "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", \
        "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", "v32", "v33", "v34", "v35", "v36", "v37", "v38",  \
        "v39", "v40", "v41", "v42", "v43", "v44", "v45", "v46", "v47", "v48", "v49", "v50", "v51", "v52", "v53",  \
        "v54", "v55", "v60"
#define ROUNDS(copies, lines)                                                        \
    for (int i = 0; i < rounds; ++i)                                                 \
    asm volatile("v_mov_b32 v60, %0\n.rept " #copies "\n" lines                      \
                 "\n.endr\n s_waitcnt lgkmcnt(0)" ::"v"((threadIdx.x & 31) * stride) \
                 : REGISTERS)
#define TIMED(name, lines)                                                         \
    extern "C" __global__ void name(int rounds, int stride) { ROUNDS(16, lines); } \
    extern "C" __global__ void name##_twice(int rounds, int stride) { ROUNDS(32, lines); }

TIMED(f16_one_bank, "v_wmma_f32_16x16x16_f16 v[8:15], v[16:23], v[24:31], v[8:15]")
TIMED(f16_two_banks, "v_wmma_f32_16x16x16_f16 v[8:15], v[17:24], v[25:32], v[8:15]")
TIMED(f16_three_banks, "v_wmma_f32_16x16x16_f16 v[8:15], v[17:24], v[26:33], v[8:15]")
TIMED(bf16_one_bank, "v_wmma_f32_16x16x16_bf16 v[8:15], v[16:23], v[24:31], v[8:15]")
TIMED(iu8_one_bank, "v_wmma_i32_16x16x16_iu8 v[8:15], v[16:19], v[20:23], v[8:15]")
TIMED(iu4_one_bank, "v_wmma_i32_16x16x16_iu4 v[8:15], v[16:17], v[20:21], v[8:15]")
TIMED(iu4_three_banks, "v_wmma_i32_16x16x16_iu4 v[8:15], v[17:18], v[22:23], v[8:15]")
TIMED(f16_chains,
      "v_wmma_f32_16x16x16_f16 v[8:15], v[16:23], v[24:31], v[8:15]\n"
      "v_wmma_f32_16x16x16_f16 v[32:39], v[16:23], v[24:31], v[32:39]")

#define MATRIX "v_wmma_f32_16x16x16_f16 v[8:15], v[16:23], v[24:31], v[8:15]\n"
#define ADDS_2 "v_add_f32 v32, v40, v41\n v_add_f32 v33, v40, v41\n"
#define ADDS_4 ADDS_2 "v_add_f32 v34, v40, v41\n v_add_f32 v35, v40, v41\n"
TIMED(beside_1_add, MATRIX "v_add_f32 v32, v40, v41")
TIMED(beside_4_adds, MATRIX ADDS_4)
TIMED(beside_16_adds, MATRIX ADDS_4 ADDS_4 ADDS_4 ADDS_4)
#define PAIRS_2                                                      \
    "v_dual_add_f32 v32, v40, v41 :: v_dual_mul_f32 v33, v42, v43\n" \
    "v_dual_add_f32 v34, v40, v41 :: v_dual_mul_f32 v35, v42, v43\n"
TIMED(beside_4_pairs, MATRIX PAIRS_2 PAIRS_2)
TIMED(beside_2_exps, MATRIX "v_exp_f32 v32, v40\n v_exp_f32 v33, v40\n")

// LDS accesses between matrix instructions, lane by lane `stride` bytes apart.
#define LOAD(at) "ds_load_b128 v[" #at ":" #at "+3], v60\n"
#define STORE(at) "ds_store_b128 v60, v[" #at ":" #at "+3]\n"
TIMED(beside_1_load_b128, MATRIX LOAD(40))
TIMED(beside_2_loads_b128, MATRIX LOAD(40) LOAD(44))
TIMED(beside_4_loads_b128, MATRIX LOAD(40) LOAD(44) LOAD(48) LOAD(52))
TIMED(beside_4_loads_b32,
      MATRIX "ds_load_b32 v40, v60\n ds_load_b32 v41, v60\n ds_load_b32 v42, v60\n ds_load_b32 v43, v60")
TIMED(beside_1_store_b128, MATRIX STORE(40))
TIMED(beside_4_stores_b128, MATRIX STORE(40) STORE(44) STORE(48) STORE(52))
