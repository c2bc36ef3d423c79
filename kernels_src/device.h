// The few words of the device language that the kernels use, so that no HIP header is needed: vector types, address spaces,
// work-item and work-group numbers, the barrier, and the hardware's base-2 functions.
#pragma once

#define FLASHWAVE_DEVICE inline __attribute__((device, always_inline))
#define FLASHWAVE_SHARED __attribute__((shared))
#define FLASHWAVE_UNROLL _Pragma("unroll")
// A kernel of exactly `threads` work-items that leaves room for `min_waves` waves on a SIMD.
#define FLASHWAVE_KERNEL(threads, min_waves)                                                                      \
    extern "C" __attribute__((global, amdgpu_flat_work_group_size(threads, threads), amdgpu_waves_per_eu(min_waves))) void

namespace flashwave {

using u16 = unsigned short;
using u32 = unsigned;
using i64 = long long;

template <class T, int kCount>
using Vector = T __attribute__((ext_vector_type(kCount)));
using f16x2 = Vector<_Float16, 2>;
using f32x2 = Vector<float, 2>;
using f32x8 = Vector<float, 8>;
using u32x2 = Vector<u32, 2>;
using u32x4 = Vector<u32, 4>;
using u32x8 = Vector<u32, 8>;

// Device memory, said to the compiler: it never has to guess (flat) or fear that a store to LDS changed it.
template <class T>
using Global = T __attribute__((address_space(1)))*;
template <class T>
using Shared = T __attribute__((address_space(3)))*;

template <bool kFirst, class First, class Second>
struct ChoiceOf {
    using Type = First;
};
template <class First, class Second>
struct ChoiceOf<false, First, Second> {
    using Type = Second;
};
template <bool kFirst, class First, class Second>
using Choice = typename ChoiceOf<kFirst, First, Second>::Type;

inline constexpr float kInfinity = __builtin_inff();
inline constexpr float kLowest = -3.402823466e38f;
inline constexpr float kLn2 = 0.693147180559945f;

FLASHWAVE_DEVICE int thread_index() { return (int)__builtin_amdgcn_workitem_id_x(); }
FLASHWAVE_DEVICE int block_index() { return (int)__builtin_amdgcn_workgroup_id_x(); }
// The same value in every lane, told to the compiler, which then keeps it in a scalar register.
FLASHWAVE_DEVICE int uniform(int value) { return __builtin_amdgcn_readfirstlane(value); }

// The same value, but the compiler no longer knows what it was computed from: what is loaded through it stays where it is written
// instead of being kept in registers from before a loop.
template <class T>
FLASHWAVE_DEVICE T opaque(T value) {
    asm volatile("" : "+v"(value));
    return value;
}

// The same for what is the same in every lane and shall stay in scalar registers.
template <class T>
FLASHWAVE_DEVICE T opaque_uniform(T value) {
    asm("" : "+s"(value));
    return value;
}

// The compiler moves no instruction across. It costs nothing at run time.
FLASHWAVE_DEVICE void schedule_fence() { __builtin_amdgcn_sched_barrier(0); }

// Every thread of the work-group arrives, and what they wrote to LDS before is seen after.
FLASHWAVE_DEVICE void barrier() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// One instruction each, 1 ulp; exp2 gives 0 below -126.
FLASHWAVE_DEVICE float exp2(float x) { return __builtin_amdgcn_exp2f(x); }
FLASHWAVE_DEVICE float log2(float x) { return __builtin_amdgcn_logf(x); }
FLASHWAVE_DEVICE float reciprocal(float x) { return __builtin_amdgcn_rcpf(x); }
FLASHWAVE_DEVICE float max(float a, float b) { return __builtin_fmaxf(a, b); }
FLASHWAVE_DEVICE float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
FLASHWAVE_DEVICE int min(int a, int b) { return a < b ? a : b; }
FLASHWAVE_DEVICE int max(int a, int b) { return a > b ? a : b; }

}  // namespace flashwave
