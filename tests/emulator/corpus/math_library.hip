// The math library in single and double precision: function f of x[f][0][i] and x[f][1][i] gives out[f][i]; and what has two results or an integer among its
// arguments.

extern "C" __global__ void math_f32(const float* inputs, float* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
#define FUNCTION(result, name, arguments, low, high, ulp)                                       \
    {                                                                                           \
        const float x = inputs[2 * result * n + i], y = inputs[(2 * result + 1) * n + i];       \
        (void)y;                                                                                \
        out[result * n + i] = name##f arguments;                                                \
    }
#include "math_functions.def"
#undef FUNCTION
}

extern "C" __global__ void math_f64(const double* inputs, double* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
#define FUNCTION(result, name, arguments, low, high, ulp)                                       \
    {                                                                                           \
        const double x = inputs[2 * result * n + i], y = inputs[(2 * result + 1) * n + i];      \
        (void)y;                                                                                \
        out[result * n + i] = name arguments;                                                   \
    }
#include "math_functions.def"
#undef FUNCTION
}

extern "C" __global__ void math_parts(const float* in, float* out, int* whole, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    const float x = in[i];
    float integral = 0, sine = 0, cosine = 0;
    int exponent = 0;
    float* const o = out + i * 8;
    o[0] = modff(x, &integral);
    o[1] = integral;
    o[2] = frexpf(x, &exponent);
    sincosf(x, &sine, &cosine);
    o[3] = sine;
    o[4] = cosine;
    o[5] = ldexpf(x, i % 20 - 10);
    o[6] = powif(x, i % 5 - 2);
    o[7] = rsqrtf(fabsf(x) + 0.25f);
    int* const w = whole + i * 4;
    w[0] = exponent;
    w[1] = ilogbf(x);
    w[2] = static_cast<int>(lroundf(x));
    w[3] = (isnan(x) ? 1 : 0) | (isinf(x) ? 2 : 0) | (signbit(x) ? 4 : 0) | (isfinite(x) ? 8 : 0);
}
