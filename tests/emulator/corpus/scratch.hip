// Arrays indexed at run time live in private memory; a recursion-free sort of eight values, a call that is not inlined.
__device__ __attribute__((noinline)) int weigh(const int* values, int count) {
    int sum = 0;
    for (int i = 0; i < count; ++i) sum = sum * 3 + values[i];
    return sum;
}

extern "C" __global__ void scratch(const int* in, int* out, int n) {
    const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (thread >= n) return;
    int values[8];
    for (int i = 0; i < 8; ++i) values[i] = in[thread * 8 + i];
    for (int i = 1; i < 8; ++i) {
        const int value = values[i];
        int place = i;
        for (; place > 0 && values[place - 1] > value; --place) values[place] = values[place - 1];
        values[place] = value;
    }
    for (int i = 0; i < 8; ++i) out[thread * 9 + i] = values[(i + thread) % 8];
    out[thread * 9 + 8] = weigh(values, 1 + thread % 8);
}
