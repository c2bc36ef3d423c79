// More live values than registers: with few registers the optimiser, too, has to spill; scalars are spilled into lanes.
template <int count>
__device__ __attribute__((always_inline)) void many(const int* in, int* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    int values[count];
#pragma unroll
    for (int k = 0; k < count; ++k) values[k] = in[(i + k * 7) % n] * (k + 1);
    __builtin_amdgcn_sched_barrier(0);
#pragma unroll
    for (int round = 0; round < 3; ++round) {
#pragma unroll
        for (int k = 0; k < count; ++k) values[k] = values[k] * 3 + values[(k + 13) % count];
    }
    int sum = 0;
#pragma unroll
    for (int k = 0; k < count; ++k) sum = sum * 5 + values[k];
    out[i] = sum;
}

extern "C" __global__ __attribute__((amdgpu_num_vgpr(24))) void vector_spills(const int* in, int* out, int n) { many<48>(in, out, n); }

struct Pointers {
    const int* table[24];
};

// Uniform values: 24 pointers and as many sums of what they point to.
extern "C" __global__ __attribute__((amdgpu_num_sgpr(40))) void scalar_spills(Pointers pointers, int* out, int rounds) {
    int sums[24] = {};
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int k = 0; k < 24; ++k) sums[k] += pointers.table[k][round] ^ k;
    }
    int total = static_cast<int>(threadIdx.x);
#pragma unroll
    for (int k = 0; k < 24; ++k) total = total * 3 + sums[k];
    out[threadIdx.x] = total;
}
