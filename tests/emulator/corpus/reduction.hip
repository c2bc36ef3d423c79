// The sum of each block's 256 elements: a tree in LDS, then across the lanes of one wave.
extern "C" __global__ void reduction(const float* in, float* out, int n) {
    __shared__ float sums[256];
    const int thread = static_cast<int>(threadIdx.x), i = static_cast<int>(blockIdx.x) * 256 + thread;
    sums[thread] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int half = 128; half >= 32; half /= 2) {
        if (thread < half) sums[thread] += sums[thread + half];
        __syncthreads();
    }
    if (thread < 32) {
        float sum = sums[thread];
        for (int step = 16; step > 0; step /= 2) sum += __shfl_xor(sum, step);
        if (thread == 0) out[blockIdx.x] = sum;
    }
}
