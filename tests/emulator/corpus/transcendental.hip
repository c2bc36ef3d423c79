// The math library's functions, each over the same inputs: out[function][i].
extern "C" __global__ void transcendental(const float* in, float* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    const float x = in[i];
    const float p = fabsf(x) + 1e-3f;
    float* o = out + i;
    o[0 * n] = expf(x * 0.5f);
    o[1 * n] = exp2f(x);
    o[2 * n] = logf(p);
    o[3 * n] = log2f(p);
    o[4 * n] = sqrtf(p);
    o[5 * n] = rsqrtf(p);
    o[6 * n] = 1.0f / p;
    o[7 * n] = sinf(x);
    o[8 * n] = cosf(x);
    o[9 * n] = tanhf(x);
    o[10 * n] = erff(x * 0.2f);
    o[11 * n] = powf(p, 1.5f);
    o[12 * n] = fmodf(x, 0.7f);
    o[13 * n] = floorf(x) + ceilf(x) + truncf(x) + rintf(x);
    o[14 * n] = fmaf(x, p, fminf(x, 1.0f) * fmaxf(x, -1.0f));
    o[15 * n] = static_cast<float>(static_cast<_Float16>(x));
}
