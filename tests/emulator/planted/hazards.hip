// What gfx11 does not hold back by itself, and matrix operands whose halves differ.
#define K(name) extern "C" __global__ void name(unsigned* out, unsigned* in, unsigned* raw, unsigned n)
#define T threadIdx.x
#if BUG
#define B(x, y) x
#else
#define B(x, y) y
#endif
#define CL "v40", "v41", "v42", "v43", "v44", "v45", "v46", "v47", "v48", "v49", "v50", "v51", \
           "v52", "v53", "v54", "v55", "v56", "v57", "v58", "v59", "v60", "v61", "v62", "v63"
#define ZERO "v_mov_b32 v40, 0\n v_mov_b32 v41, 0\n v_mov_b32 v42, 0\n v_mov_b32 v43, 0\n" \
             "v_mov_b32 v44, 0\n v_mov_b32 v45, 0\n v_mov_b32 v46, 0\n v_mov_b32 v47, 0\n" \
             "v_mov_b32 v56, 0\n v_mov_b32 v57, 0\n v_mov_b32 v58, 0\n v_mov_b32 v59, 0\n" \
             "v_mov_b32 v60, 0\n v_mov_b32 v61, 0\n v_mov_b32 v62, 0\n v_mov_b32 v63, 0\n"

//@ z_wmma_a : another vector instruction has to stand between
K(z_wmma_a) {
    unsigned r;
    asm volatile(ZERO "v_wmma_f32_16x16x16_f16 v[48:55], v[40:47], v[40:47], 0\n"  //!
        B("", "v_nop\n") "v_wmma_f32_16x16x16_f16 v[56:63], v[48:55], v[40:47], 0\n"
        "v_mov_b32 %0, v56" : "=v"(r) :: CL);
    out[T] = r;
}

//@ z_wmma_b : another vector instruction has to stand between
K(z_wmma_b) {
    unsigned r;
    asm volatile(ZERO "v_wmma_f32_16x16x16_f16 v[48:55], v[40:47], v[40:47], 0\n"  //!
        B("s_nop 1\n", "v_mov_b32 %0, 0\n") "v_wmma_f32_16x16x16_f16 v[56:63], v[40:47], v[48:55], 0\n"
        "v_mov_b32 %0, v56" : "=&v"(r) :: CL);
    out[T] = r;
}

//@ z_wmma_c : clean
K(z_wmma_c) {
    unsigned r;
    asm volatile(ZERO "v_wmma_f32_16x16x16_f16 v[48:55], v[40:47], v[40:47], 0\n"
        "v_wmma_f32_16x16x16_f16 v[48:55], v[40:47], v[40:47], v[48:55]\n"
        "v_mov_b32 %0, v48" : "=v"(r) :: CL);
    out[T] = r;
}

//@ z_wmma_overlap : over an operand
K(z_wmma_overlap) {
    unsigned r;
    asm volatile(ZERO "v_wmma_f32_16x16x16_f16 "  //!
        B("v[44:51], v[40:47], v[56:63], 0", "v[48:55], v[40:47], v[56:63], 0") "\n"
        "v_nop\n"
        "v_mov_b32 %0, " B("v44", "v48") : "=v"(r) :: CL);
    out[T] = r;
}

//@ z_trans : s_waitcnt_depctr 0xfff has to stand between
K(z_trans) {
    unsigned r, x = 0x3f800000;
    asm volatile("v_exp_f32 v40, %1\n" B("", "s_waitcnt_depctr 0xfff\n") "v_add_f32 %0, v40, v40" : "=v"(r) : "v"(x) : CL);  //!
    out[T] = r;
}

//@ z_trans_far : clean
K(z_trans_far) {
    unsigned r, x = 0x3f800000;
    asm volatile("v_exp_f32 v40, %1\n"
        "v_mov_b32 v41, 0\n"
        "v_mov_b32 v42, 0\n"
        "v_mov_b32 v43, 0\n"
        "v_mov_b32 v44, 0\n"
        "v_mov_b32 v45, 0\n"
        "v_mov_b32 v46, 0\n"
        "v_add_f32 %0, v40, v40" : "=&v"(r) : "v"(x) : CL);
    out[T] = r;
}

//@ z_trans_4 : s_waitcnt_depctr 0xfff has to stand between
K(z_trans_4) {
    unsigned r, x = 0x3f800000;
    asm volatile("v_exp_f32 v40, %1\n"  //!
        "v_mov_b32 v41, 0\n"
        "v_mov_b32 v42, 0\n"
        "v_mov_b32 v43, 0\n"
        B("", "s_waitcnt_depctr 0xfff\n") "v_add_f32 %0, v40, v40" : "=&v"(r) : "v"(x) : CL);
    out[T] = r;
}

//@ z_trans_rcp_chain n=3 : s_waitcnt_depctr 0xfff has to stand between
K(z_trans_rcp_chain) {
    unsigned r, x = 0x3f800000;
    asm volatile("v_rcp_f32 v40, %1\n"  //!
        "s_cmp_eq_u32 %2, 3\n"
        "s_cbranch_scc0 1f\n"
        B("", "s_waitcnt_depctr 0xfff\n")
        "v_mul_f32 %0, v40, v40\n1: s_nop 0" : "=&v"(r) : "v"(x), "s"(n) : CL, "scc");
    out[T] = r;
}

//@ z_trans_vopd : s_waitcnt_depctr 0xfff has to stand between
K(z_trans_vopd) {
    unsigned r, x = 0x3f800000;
    asm volatile("v_sqrt_f32 v40, %1\n"  //!
        B("", "s_waitcnt_depctr 0xfff\n") "v_dual_mov_b32 v41, v40 :: v_dual_mov_b32 v42, 0\n"
        "v_mov_b32 %0, v41" : "=&v"(r) : "v"(x) : CL);
    out[T] = r;
}

//@ z_trans_store : clean
K(z_trans_store) {
    unsigned x = 0x3f800000;
    asm volatile("v_exp_f32 v40, %0\n global_store_b32 %1, v40, off" :: "v"(x), "v"(out + T) : CL, "memory");
}

//@ z_cmpx_permlane : another vector instruction has to stand between
K(z_cmpx_permlane) {
    unsigned r = in[T];
    asm volatile("s_mov_b32 s80, exec_lo\n"  //!
        "v_mov_b32 v40, %0\n"
        "v_cmpx_gt_u32 16, v40\n"
        B("v_nop\n", "v_mov_b32 v41, 0\n") "v_permlane16_b32 v40, v40, 0, 0\n"
        "s_mov_b32 exec_lo, s80\n"
        "v_mov_b32 %0, v40" : "+v"(r) :: CL, "s80", "s81");
    out[T] = r;
}

//@ z_mad64 : which this card does not do right
K(z_mad64) {
    unsigned r = in[T];
    asm volatile("v_mov_b32 v40, 3\n"  //!
        "v_mov_b32 v41, 4\n"
        "v_mov_b32 v42, 0\n"
        "v_mov_b32 v43, 0\n"
        "v_mad_u64_u32 " B("v[40:41]", "v[44:45]") ", null, v40, v41, v[42:43]\n"
        "v_mov_b32 %0, " B("v40", "v44") : "=v"(r) :: CL);
    out[T] = r;
}

//@ z_writelane_vmem : clean
K(z_writelane_vmem) {
    unsigned r;
    asm volatile("v_readfirstlane_b32 s80, %1\n"
        "v_readfirstlane_b32 s81, %2\n"
        "global_load_b32 %0, %3, s[80:81]\n"
        "s_waitcnt vmcnt(0)"
        : "=&v"(r) : "v"((unsigned)(unsigned long long)in), "v"((unsigned)((unsigned long long)in >> 32)), "v"(T * 4)
        : "s80", "s81");
    out[T] = r;
}

//@ z_halves : the two must be equal
K(z_halves) {
    unsigned r;
    asm volatile(ZERO B("v_mov_b32 v41, %1\n", "v_mov_b32 v41, 1\n")  //!
        "v_wmma_f32_16x16x16_f16 v[48:55], v[40:47], v[56:63], 0\n"
        "v_nop\n"
        "v_mov_b32 %0, v48" : "=&v"(r) : "v"(T) : CL);
    out[T] = r;
}

//@ z_halves_order : the two must be equal
K(z_halves_order) {
    // The upper half has two registers the other way round: of A alone, or of both operands.
    unsigned r, row = T & 15;
    unsigned a0 = T < 16 ? 1 + row : 50 + row, a1 = T < 16 ? 50 + row : 1 + row;
    unsigned b0 = B(0, T >= 16) ? 90 + row : 20 + row, b1 = B(0, T >= 16) ? 20 + row : 90 + row;
    asm volatile(ZERO "v_mov_b32 v40, %1\n v_mov_b32 v41, %2\n v_mov_b32 v56, %3\n v_mov_b32 v57, %4\n"  //!
        "v_wmma_f32_16x16x16_f16 v[48:55], v[40:47], v[56:63], 0\n"
        "v_nop\n"
        "v_mov_b32 %0, v48" : "=&v"(r) : "v"(a0), "v"(a1), "v"(b0), "v"(b1) : CL);
    out[T] = r;
}

//@ z_halves_b : the two must be equal
K(z_halves_b) {
    unsigned r;
    asm volatile(ZERO "v_mov_b32 v63, %1\n"  //!
        "v_wmma_i32_16x16x16_iu8 v[48:55], v[40:43], v[60:63], 0\n"
        "v_nop\n"
        "v_mov_b32 %0, v48" : "=&v"(r) : "v"(B(T, T & 15)) : CL);
    out[T] = r;
}
