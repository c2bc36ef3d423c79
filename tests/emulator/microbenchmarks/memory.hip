// Caches and memory: latency by a chase of pointers, bandwidth by streams.
typedef float float4v __attribute__((ext_vector_type(4)));

// One lane follows pointers; every line of a footprint holds the address of another one.
extern "C" __global__ void chase(const void* at, int steps, const void** last) {
    for (int i = 0; i < steps; ++i)
        asm volatile(".rept 16\n global_load_b64 %0, %0, off\n s_waitcnt vmcnt(0)\n.endr" : "+v"(at));
    *last = at;
}

// Streams: a work-group of 256 goes over a piece of 64 KiB of its own, 16 bytes a lane at a time.
#define PIECE (65536 / 16)
extern "C" __global__ __launch_bounds__(256) void read(const float4v* __restrict__ from, float4v* __restrict__ to) {
    const float4v* piece = from + (unsigned long)blockIdx.x * PIECE;
    float4v sum = 0;
#pragma unroll 8
    for (unsigned i = threadIdx.x; i < PIECE; i += 256) sum += piece[i];
    if (sum.x + sum.y + sum.z + sum.w == 1.0f) to[threadIdx.x] = sum;
}
extern "C" __global__ __launch_bounds__(256) void write(float4v* __restrict__ to) {
    float4v* piece = to + (unsigned long)blockIdx.x * PIECE;
#pragma unroll 8
    for (unsigned i = threadIdx.x; i < PIECE; i += 256) piece[i] = 1.0f;
}
extern "C" __global__ __launch_bounds__(256) void copy(const float4v* __restrict__ from, float4v* __restrict__ to) {
    const unsigned long first = (unsigned long)blockIdx.x * PIECE;
#pragma unroll 8
    for (unsigned i = threadIdx.x; i < PIECE; i += 256) to[first + i] = from[first + i];
}
// The same piece several times; 1024 pieces make 64 MiB, more than any L2 holds and less than the last-level cache of a
// large card.
extern "C" __global__ __launch_bounds__(256) void read_again(const float4v* __restrict__ from, float4v* __restrict__ to,
                                                             int times) {
    const float4v* piece = from + (unsigned long)blockIdx.x * PIECE;
    float4v sum = 0;
    for (int n = 0; n < times; ++n) {
        asm volatile("" : "+s"(piece));
#pragma unroll 8
        for (unsigned i = threadIdx.x; i < PIECE; i += 256) sum += piece[i];
    }
    if (sum.x + sum.y + sum.z + sum.w == 1.0f) to[threadIdx.x] = sum;
}
