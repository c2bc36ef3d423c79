// Waves that wait for LDS, one load after the other: the more of them a SIMD holds, the more loads are under way. The
// last vector register that a kernel names decides how many fit.
#define REGISTERS(count, last)                                                                                       \
    extern "C" __global__ __launch_bounds__(128, 1) void vgprs_##count(int rounds) {                                 \
        for (int i = 0; i < rounds; ++i)                                                                             \
            asm volatile(".rept 16\n ds_load_b32 v8, %0\n s_waitcnt lgkmcnt(0)\n.endr" ::"v"((threadIdx.x & 31) * 4) \
                         : "v8", last);                                                                              \
    }
REGISTERS(64, "v63")
REGISTERS(96, "v95")
REGISTERS(120, "v119")
REGISTERS(128, "v127")
REGISTERS(144, "v143")
REGISTERS(168, "v167")
REGISTERS(192, "v191")
REGISTERS(216, "v215")
REGISTERS(240, "v239")
REGISTERS(256, "v255")
