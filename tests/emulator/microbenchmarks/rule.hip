// Mixes of instructions as attention and matrix kernels have them: in each round a wave loads operands from LDS,
// multiplies matrices, then computes. MIX_m_v_t_l has m matrix instructions, v vector and t transcendental ones, l
// loads of 128 bits; none waits for another of its kind.
#define MIX(m, v, t, l)                                                                                               \
    extern "C" __global__ void mix_##m##_##v##_##t##_##l(int rounds) {                                                \
        for (int i = 0; i < rounds; ++i)                                                                              \
            asm volatile(".rept " #l                                                                                  \
                         "\n ds_load_b128 v[40:43], %0\n.endr\n s_waitcnt lgkmcnt(0)\n"                               \
                         ".rept " #m                                                                                  \
                         "\n v_wmma_f32_16x16x16_f16 v[8:15], v[16:23], v[24:31], v[8:15]\n.endr\n"                   \
                         ".rept " #v "\n v_add_f32 v44, v40, v41\n.endr\n.rept " #t                                   \
                         "\n v_exp_f32 v45, v42\n.endr" ::"v"((threadIdx.x & 31) * 16)                                \
                         : "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20",   \
                           "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", "v40", "v41", \
                           "v42", "v43", "v44", "v45");                                                               \
    }

MIX(16, 8, 0, 16)      // a matrix product
MIX(64, 160, 32, 128)  // attention, head dimension 128
MIX(32, 165, 32, 64)   // attention, head dimension 64
MIX(8, 64, 0, 4)
MIX(8, 8, 16, 4)
MIX(4, 100, 25, 0)
