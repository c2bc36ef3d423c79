// The device code of main.cpp. With a ROCm:   hipcc --genco --offload-arch=gfx1100 -O3 kernels.hip -o kernels.co
// Without one:                               hipemu compile kernels.hip --out kernels.co

extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

// One partial sum a block, added to *sum.
extern "C" __global__ void reduce(const float* x, float* sum, int n) {
    __shared__ float partial[256];
    float mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += x[i];
    partial[threadIdx.x] = mine;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    }
    if (threadIdx.x == 0) atomicAdd(sum, partial[0]);
}
