// Atomics of every type and kind on global memory, on LDS and through pointers that may be either. Old values make permutations, end values do
// not depend on the order.
using u64 = unsigned long long;

template <class T>
__device__ T add_by_cas(T* at, T value) {
    using Bits = __hip_internal::conditional<sizeof(T) == 4, unsigned, u64>::type;
    Bits* const bits = reinterpret_cast<Bits*>(at);
    Bits old = atomicCAS(bits, Bits{0}, Bits{0}), seen;  // reads, as no other way of reading is ordered with the others' atomics
    do {
        seen = old;
        old = atomicCAS(bits, seen, __builtin_bit_cast(Bits, static_cast<T>(__builtin_bit_cast(T, seen) + value)));
    } while (old != seen);
    return __builtin_bit_cast(T, old);
}

template <class T>
__device__ void integers(T* cells, T* old_values, int i, int n) {
    old_values[i] = atomicAdd(&cells[0], T(1));
    atomicMin(&cells[1], T(i + 5));
    atomicMax(&cells[2], T(i + 5));
    atomicAnd(&cells[3], T(~(T(1) << (i % 16))));
    atomicOr(&cells[4], T(1) << (i % 31));
    atomicXor(&cells[5], T(i));
    const T got = atomicExch(&cells[6], T(i + 1));
    atomicAdd(&cells[7], got);  // all but the last one's value, and the first one's
    atomicCAS(&cells[8], T(0), T(i + 1));
}

extern "C" __global__ void global_integers(int* i32, unsigned* u32, u64* wide, int* old32, unsigned* oldu32, u64* old64, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    integers(i32, old32, i, n);
    integers(u32, oldu32, i, n);
    integers(wide, old64, i, n);
    atomicSub(&u32[9], 3u);
    atomicInc(&u32[10], 6u);
    atomicDec(&u32[11], 6u);
    __hip_atomic_fetch_min(reinterpret_cast<long long*>(&wide[9]), -static_cast<long long>(i), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    __hip_atomic_fetch_max(reinterpret_cast<long long*>(&wide[10]), -static_cast<long long>(i), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

extern "C" __global__ void global_floats(float* f32, double* f64, float* old32, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    old32[i] = unsafeAtomicAdd(&f32[0], 1.0f);
    atomicAdd(&f32[1], 0.5f);
    add_by_cas(&f32[2], 0.25f);
    atomicMax(&f32[3], static_cast<float>(i));
    atomicMin(&f32[4], static_cast<float>(-i));
    atomicExch(&f32[5], 7.0f);
    atomicAdd(&f64[0], 0.125);
    add_by_cas(&f64[1], 2.0);
    atomicMax(&f64[2], static_cast<double>(i));
    atomicMin(&f64[3], static_cast<double>(-i));
}

extern "C" __global__ void shared_atomics(int* i32, unsigned* u32, u64* wide, float* f32, double* f64, int* old32, unsigned* oldu32, u64* old64) {
    __shared__ int li[9];
    __shared__ unsigned lu[12];
    __shared__ u64 lw[9];
    __shared__ float lf[4];
    __shared__ double ld[4];
    const int i = static_cast<int>(threadIdx.x), n = static_cast<int>(blockDim.x);
    if (i < 12) lu[i] = u32[i];
    if (i < 9) li[i] = i32[i], lw[i] = wide[i];
    if (i < 4) lf[i] = f32[i], ld[i] = f64[i];
    __syncthreads();
    integers(li, old32, i, n);
    integers(lu, oldu32, i, n);
    integers(lw, old64, i, n);
    atomicSub(&lu[9], 3u);
    atomicInc(&lu[10], 6u);
    atomicDec(&lu[11], 6u);
    atomicAdd(&lf[0], 0.5f);
    add_by_cas(&lf[1], 0.25f);
    atomicMax(&lf[2], static_cast<float>(i));
    atomicMin(&lf[3], static_cast<float>(-i));
    atomicAdd(&ld[0], 0.125);
    add_by_cas(&ld[1], 2.0);
    atomicMax(&ld[2], static_cast<double>(i));
    atomicMin(&ld[3], static_cast<double>(-i));
    __syncthreads();
    if (i < 12) u32[i] = lu[i];
    if (i < 9) i32[i] = li[i], wide[i] = lw[i];
    if (i < 4) f32[i] = lf[i], f64[i] = ld[i];
}

// The compiler cannot know which memory the pointer means: flat atomics.
__device__ __attribute__((noinline)) unsigned count(unsigned* at, u64* wide, float* real) {
    atomicAdd(wide, u64{3});
    atomicAdd(real, 1.5f);
    atomicMax(at + 1, threadIdx.x);
    return atomicAdd(at, 1u);
}

extern "C" __global__ void flat_atomics(unsigned* cells, u64* wide, float* real, unsigned* old_values) {
    __shared__ unsigned local[2];
    __shared__ u64 local_wide;
    __shared__ float local_real;
    if (threadIdx.x == 0) local[0] = local[1] = 0, local_wide = 0, local_real = 0;
    __syncthreads();
    const bool odd = (threadIdx.x & 1) != 0;
    old_values[threadIdx.x] = count(odd ? local : cells, odd ? &local_wide : wide, odd ? &local_real : real);
    __syncthreads();
    if (threadIdx.x == 0) {
        cells[2] = local[0];
        cells[3] = local[1];
        wide[1] = local_wide;
        real[1] = local_real;
    }
}
