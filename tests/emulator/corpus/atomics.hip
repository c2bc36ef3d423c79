// Atomics of every kind on global memory and on LDS; each counter's end value does not depend on the order.
extern "C" __global__ void atomics(unsigned* counters, unsigned long long* wide, float* sum, int* owner) {
    __shared__ unsigned local[4];
    if (threadIdx.x < 4) local[threadIdx.x] = threadIdx.x == 1 ? 0xffffffffu : 0;
    __syncthreads();
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&counters[0], 1u);
    atomicSub(&counters[1], 2u);
    atomicMax(&counters[2], i);
    atomicMin(&counters[3], 1000 - i);
    atomicOr(&counters[4], 1u << (i % 32));
    atomicAnd(&counters[5], ~(1u << (i % 8)));
    atomicXor(&counters[6], i);
    atomicInc(&counters[7], 9u);
    atomicAdd(&wide[0], static_cast<unsigned long long>(i) << 20);
    atomicMax(&wide[1], static_cast<unsigned long long>(i) << 33);
    atomicAdd(sum, 0.5f);
    atomicCAS(owner, -1, static_cast<int>(i));
    atomicAdd(&local[0], 1u);
    atomicMin(&local[1], i);
    atomicMax(&local[2], i);
    atomicExch(&local[3], 77u);
    __syncthreads();
    if (threadIdx.x < 4) atomicAdd(&counters[8 + threadIdx.x], local[threadIdx.x]);
}
