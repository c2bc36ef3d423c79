// Arithmetic of every width: each thread leaves one row of results.
#include "arithmetic.h"

#define KERNEL(name, type, count, results)                                                  \
    extern "C" __global__ void name(const type* a, const type* b, type* out, int n) {       \
        const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);              \
        if (i < n) results(a[i], b[i], out + i * count);                                    \
    }

KERNEL(arithmetic_i8, signed char, kIntegerResults, (integer_results<signed char, unsigned char>))
KERNEL(arithmetic_u8, unsigned char, kIntegerResults, (integer_results<unsigned char, unsigned char>))
KERNEL(arithmetic_i16, short, kIntegerResults, (integer_results<short, unsigned short>))
KERNEL(arithmetic_u16, unsigned short, kIntegerResults, (integer_results<unsigned short, unsigned short>))
KERNEL(arithmetic_i32, int, kIntegerResults, (integer_results<int, unsigned>))
KERNEL(arithmetic_u32, unsigned, kIntegerResults, (integer_results<unsigned, unsigned>))
KERNEL(arithmetic_i64, long long, kIntegerResults, (integer_results<long long, unsigned long long>))
KERNEL(arithmetic_u64, unsigned long long, kIntegerResults, (integer_results<unsigned long long, unsigned long long>))
KERNEL(arithmetic_f32, float, kFloatResults, float_results<float>)
KERNEL(arithmetic_f64, double, kFloatResults, float_results<double>)

// Halves, as bits: the host may have no such type.
extern "C" __global__ void arithmetic_f16(const _Float16* a, const _Float16* b, _Float16* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    const _Float16 x = a[i], y = b[i];
    _Float16* const o = out + i * 12;
    o[0] = x + y;
    o[1] = x - y;
    o[2] = x * y;
    o[3] = x / y;
    o[4] = __builtin_fmaf16(x, y, x);
    o[5] = x < y ? x : y;
    o[6] = x > y ? x : y;
    o[7] = -x;
    o[8] = __builtin_sqrtf16(__builtin_fabsf16(x));
    o[9] = __builtin_floorf16(x);
    o[10] = __builtin_ceilf16(x);
    o[11] = __builtin_rintf16(x);
}
