// Arithmetic in the rounding modes that the MODE register knows: a[i] op b[i] to nearest, up, down and toward zero. One piece of assembly sets the mode
// and takes it back, for compilers move their own instructions over such changes.
#define ROUNDED(mode, bits)                                                                                                      \
    {                                                                                                                            \
        float sum, product, fused, narrowed, converted;                                                                          \
        double wide_sum, wide_product, wide_fused;                                                                               \
        asm volatile("s_round_mode " bits "\n"                                                                                   \
                     "v_add_f32 %0, %8, %9\n"                                                                                    \
                     "v_mul_f32 %1, %8, %9\n"                                                                                    \
                     "v_fma_f32 %2, %8, %9, %8\n"                                                                                \
                     "v_cvt_f32_f64 %3, %10\n"                                                                                   \
                     "v_cvt_f32_u32 %4, %8\n"                                                                                    \
                     "v_add_f64 %5, %10, %11\n"                                                                                  \
                     "v_mul_f64 %6, %10, %11\n"                                                                                  \
                     "v_fma_f64 %7, %10, %11, %10\n"                                                                             \
                     "s_round_mode 0x0"                                                                                          \
                     : "=&v"(sum), "=&v"(product), "=&v"(fused), "=&v"(narrowed), "=&v"(converted), "=&v"(wide_sum),             \
                       "=&v"(wide_product), "=&v"(wide_fused)                                                                    \
                     : "v"(x), "v"(y), "v"(wx), "v"(wy));                                                                        \
        float* const o = out + (i * 4 + mode) * 5;                                                                               \
        o[0] = sum;                                                                                                              \
        o[1] = product;                                                                                                          \
        o[2] = fused;                                                                                                            \
        o[3] = narrowed;                                                                                                         \
        o[4] = converted;                                                                                                        \
        double* const w = wide + (i * 4 + mode) * 3;                                                                             \
        w[0] = wide_sum;                                                                                                         \
        w[1] = wide_product;                                                                                                     \
        w[2] = wide_fused;                                                                                                       \
    }

extern "C" __global__ void rounding(const float* a, const float* b, const double* wa, const double* wb, float* out, double* wide, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    const float x = a[i], y = b[i];
    const double wx = wa[i], wy = wb[i];
    ROUNDED(0, "0x0")
    ROUNDED(1, "0x5")
    ROUNDED(2, "0xa")
    ROUNDED(3, "0xf")
}
