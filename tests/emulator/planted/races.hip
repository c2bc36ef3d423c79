// Races in LDS and global memory, barriers, kernels without end.
#define K(name) extern "C" __global__ void name(unsigned* out, unsigned* in, unsigned* raw, unsigned n)
#define T threadIdx.x
extern __shared__ unsigned sh[];
#if BUG
#define B(x, y) x
#else
#define B(x, y) y
#endif
#define SYNC __syncthreads()
#define IFOK(x) if (!BUG) { x; }
__device__ float F(unsigned x) { return __uint_as_float(x); }
__device__ unsigned U(float x) { return __float_as_uint(x); }

//@ r_missing block=128 lds=512 : no barrier and no atomic hand-over orders
K(r_missing) { sh[T] = in[T]; IFOK(SYNC) out[T] = sh[(T + 32) & 127]; }  //!

//@ r_war_next_tile block=128 lds=512 : no barrier and no atomic hand-over orders
K(r_war_next_tile) {
    unsigned s = 0;
    for (int i = 0; i < 4; ++i) {
        sh[T] = in[T + i * 128];
        SYNC;
        s += sh[127 - T];  //!
        IFOK(SYNC)
    }
    out[T] = s;
}

//@ r_double_buffer block=128 lds=1024 : no barrier and no atomic hand-over orders
K(r_double_buffer) {
    unsigned s = 0;
    sh[T] = in[T];
    IFOK(SYNC) for (int i = 0; i < 4; ++i) {
        s += sh[(i & 1) * 128 + (T ^ 64)];  //!
        sh[((i + 1) & 1) * 128 + T] = in[T + i];
        SYNC;
    }
    out[T] = s;
}

//@ r_triple_too_few block=128 lds=1024 : no barrier and no atomic hand-over orders
K(r_triple_too_few) {
    unsigned s = 0;
    sh[T] = in[T];
    SYNC;
    for (int i = 0; i < 6; ++i) {
        sh[((i + 1) & 1) * 128 + T] = in[T + i];
        if (!BUG || (i & 1)) SYNC;
        s += sh[((i + 1) & 1) * 128 + (T ^ 64)];  //!
    }
    out[T] = s;
}

//@ r_wave_reduce block=128 lds=512 : no barrier and no atomic hand-over orders
K(r_wave_reduce) {
    sh[T] = in[T];
    SYNC;
    for (int o = 64; o; o >>= 1) {
        if (T < o) sh[T] += sh[T + o];  //!
        if (!BUG || o > 64) SYNC;
    }
    if (T == 0) out[0] = sh[0];
}

//@ r_wave_reduce_final block=128 lds=512 : clean
K(r_wave_reduce_final) {
    sh[T] = in[T];
    SYNC;
    for (int o = 64; o > 16; o >>= 1) {
        if (T < o) sh[T] += sh[T + o];
        SYNC;
    }
    if (T < 16) {
        volatile unsigned* v = sh;
        v[T] += v[T + 16];
    }
    SYNC;
    if (T == 0) {
        unsigned s = 0;
        for (int i = 0; i < 16; ++i) s += sh[i];
        out[0] = s;
    }
}

//@ r_row_max block=128 lds=16 : no barrier and no atomic hand-over orders
K(r_row_max) {
    float m = in[T];
    for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor(m, o));
    if ((T & 31) == 0) sh[T >> 5] = U(m);
    IFOK(SYNC) float g = F(sh[0]);  //!
    for (int i = 1; i < 4; ++i) g = fmaxf(g, F(sh[i]));
    out[T] = U(g);
}

//@ r_row_max_reuse block=128 lds=16 : no barrier and no atomic hand-over orders
K(r_row_max_reuse) {
    float r = 0;
    for (int t = 0; t < 3; ++t) {
        float m = in[T + t];
        for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor(m, o));
        if ((T & 31) == 0) sh[T >> 5] = U(m);
        SYNC;
        for (int i = 0; i < 4; ++i) r += F(sh[i]);  //!
        IFOK(SYNC)
    }
    out[T] = U(r);
}

//@ r_flag block=64 lds=260 : no barrier and no atomic hand-over orders
K(r_flag) { if (T == 0) sh[64] = in[5]; IFOK(SYNC) if (sh[64] == 5) out[T] = 1; }  //!

//@ r_atomic_plain block=128 lds=4 : no barrier and no atomic hand-over orders
K(r_atomic_plain) { if (T == 0) sh[0] = 0; SYNC; atomicAdd(&sh[0], in[T]); IFOK(SYNC) if (T == 64) out[0] = sh[0]; }  //!

//@ r_init_atomic block=128 lds=4 : no barrier and no atomic hand-over orders
K(r_init_atomic) { if (T == 0) sh[0] = 0; IFOK(SYNC) atomicAdd(&sh[0], in[T]); SYNC; out[T] = sh[0]; }  //!

//@ r_hist_plain block=128 lds=64 : no barrier and no atomic hand-over orders
K(r_hist_plain) {
    if (T < 16) sh[T] = 0;
    SYNC;
    if (BUG) sh[in[T] & 15] += 1;  //!
    else atomicAdd(&sh[in[T] & 15], 1u);
    SYNC;
    if (T < 16) out[T] = sh[T];
}

//@ r_loop_cond_barrier block=128 lds=512 : no barrier and no atomic hand-over orders
K(r_loop_cond_barrier) {
    unsigned s = 0;
    for (unsigned i = 0; i < 4; ++i) {
        sh[T] = in[T + i];
        SYNC;
        s += sh[127 - T];  //!
        if (i < B(2, 4)) SYNC;
    }
    out[T] = s;
}

//@ r_flag_before_data block=64 lds=512 : no barrier and no atomic hand-over orders
K(r_flag_before_data) { if (T == 0) sh[100] = 0; SYNC;
    if (T < 32) {
        if (BUG) __hip_atomic_store(&sh[100], 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);
        sh[T] = in[T];
        if (!BUG) __hip_atomic_store(&sh[100], 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);
    }
    else {
        while (!__hip_atomic_load(&sh[100], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP)) {
        }
        out[T] = sh[T - 32];  //!
    }
}

//@ r_thread0_sum block=128 lds=512 : no barrier and no atomic hand-over orders
K(r_thread0_sum) {
    sh[T] = in[T];
    SYNC;
    if (T < 64) sh[T] += sh[T + 64];  //!
    IFOK(SYNC) if (T == 0) {
        unsigned s = 0;
        for (int i = 0; i < 64; ++i) s += sh[i];
        out[0] = s;
    }
}

//@ r_p_tile block=64 lds=2048 : no barrier and no atomic hand-over orders
K(r_p_tile) {
    for (int j = 0; j < 8; ++j) sh[(T >> 3) * 64 + (T & 7) * 8 + j] = in[j];
    IFOK(SYNC) unsigned s = 0;
    for (int j = 0; j < 8; ++j) s += sh[j * 64 + T];  //!
    out[T] = s;
}

//@ r_broadcast_isLast block=64 lds=4 : no barrier and no atomic hand-over orders
K(r_broadcast_isLast) { if (T == 0) sh[0] = atomicAdd(&out[0], 1u) == 0; IFOK(SYNC) if (sh[0]) out[T + 64] = 1; }  //!

//@ r_lds_flat block=64 lds=256 : no barrier and no atomic hand-over orders
K(r_lds_flat) { unsigned* p = sh; asm volatile("" : "+v"(p)); p[T] = in[T]; IFOK(SYNC) out[T] = sh[T ^ 32]; }  //!

//@ gr_neighbour block=64 grid=8 : nothing orders the two
K(gr_neighbour) {
    out[blockIdx.x * 64 + T] = in[T];  //!
    if (BUG) out[4096 + blockIdx.x * 64 + T] = out[((blockIdx.x + 1) & 7) * 64 + T];
}

//@ gr_splitk block=64 grid=4 : nothing orders the two
K(gr_splitk) {
    out[64 + blockIdx.x * 64 + T] = in[T] * blockIdx.x;  //!
    if (BUG && blockIdx.x == 3) {
        unsigned s = 0;
        for (int i = 0; i < 4; ++i) s += out[64 + i * 64 + T];
        out[2048 + T] = s;
    }
}

//@ gr_last_no_sync block=64 grid=8 lds=4 : nothing orders the two
K(gr_last_no_sync) {
    out[64 + blockIdx.x * 64 + T] = in[T] + blockIdx.x;  //!
    __threadfence(); IFOK(SYNC)
    if (T == 0) sh[0] = atomicAdd(&out[0], 1u);
    SYNC;
    if (sh[0] == 7) {
        __threadfence();
        unsigned s = 0;
        for (int i = 0; i < 8; ++i) s += out[64 + i * 64 + T];
        out[1024 + T] = s;
    }
}

//@ gr_lock_early block=32 grid=8 : nothing orders the two
K(gr_lock_early) {
    if (T == 0) {
        while (__hip_atomic_exchange(&out[0], 1u, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT)) {
        }
        if (BUG) __hip_atomic_store(&out[0], 0u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
        out[1] += in[3];  //!
        if (!BUG) __hip_atomic_store(&out[0], 0u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
    }
}

//@ gr_plus_equals block=32 grid=8 : nothing orders the two
K(gr_plus_equals) { if (T == 0) { if (BUG) out[1] += in[3]; else atomicAdd(&out[1], in[3]); } }  //!

//@ gr_dq_accum block=64 grid=4 : nothing orders the two
K(gr_dq_accum) { float* o = (float*)out; if (BUG) o[T] += float(in[T]); else unsafeAtomicAdd(&o[T], float(in[T])); }  //!

//@ gr_atomic_plain block=32 grid=4 : nothing orders the two
K(gr_atomic_plain) { if (T == 0) { atomicAdd(&out[0], 1u); if (BUG && blockIdx.x == 3) out[8] = out[0]; } }  //!

//@ gr_halo block=64 grid=4 : nothing orders the two
K(gr_halo) { unsigned i = blockIdx.x * 64 + T; unsigned v = out[i] + out[(BUG ? i + 1 : 300 + i)]; out[i] = v; }  //!

//@ gr_overlap_rows block=64 grid=4 : nothing orders the two
K(gr_overlap_rows) { unsigned i = blockIdx.x * B(63, 64) + T; out[i] = in[i] + blockIdx.x; }  //!

//@ gr_lse_wrong_index block=64 grid=4 : nothing orders the two
K(gr_lse_wrong_index) { if (T == 0) out[B(blockIdx.x >> 1, blockIdx.x)] = in[7] + blockIdx.x; }  //!

//@ gi_intragroup block=64 : hand-over orders the two
K(gi_intragroup) { out[T] = in[T]; IFOK(SYNC) out[128 + T] = out[T ^ 32]; }

//@ gi_war block=64 : hand-over orders the two
K(gi_war) {
    unsigned s = 0;
    for (int i = 0; i < 3; ++i) {
        out[T] = in[T + i];
        SYNC;
        s += out[T ^ 32];
        IFOK(SYNC)
    }
    out[128 + T] = s;
}

//@ gi_plus block=64 : hand-over orders the two
K(gi_plus) { if ((T & 31) == 0) { if (BUG) out[0] += 1; else atomicAdd(&out[0], 1u); } }

//@ gi_overlap block=64 : hand-over orders the two
K(gi_overlap) { unsigned i = (T >> 5) * B(31, 32) + (T & 31); out[i] = in[T] + 5; }

//@ gi_barrier_vscnt block=64 : hand-over orders the two
K(gi_barrier_vscnt) {
    unsigned r, v = in[T];
    unsigned *p = out + T, *q = out + (T ^ 32);
    asm volatile("global_store_b32 %1, %3, off\n"
        B("", "s_waitcnt_vscnt null, 0x0\n") "s_barrier\n"
        B("", "buffer_gl0_inv\n") "global_load_b32 %0, %2, off\n"
        "s_waitcnt vmcnt(0)" : "=&v"(r) : "v"(p), "v"(q), "v"(v) : "memory");
    out[128 + T] = r;
}

//@ b_half_waves block=64 : never reached
K(b_half_waves) { if (!BUG || T < 32) SYNC; out[T] = 1; }  //!

//@ b_lanes block=64 : lanes do not reach this barrier
K(b_lanes) { if (!BUG || (T & 1)) SYNC; out[T] = 1; }  //!

//@ b_count block=64 : never reached
K(b_count) { unsigned c = BUG ? 2 + (T >> 5) : 2; for (unsigned i = 0; i < c; ++i) SYNC; out[T] = 1; }  //!

//@ b_early_exit_wave block=64 n=32 : never reached
K(b_early_exit_wave) { if (BUG && T >= n) return; SYNC; out[T] = 1; }  //!

//@ b_loop_mismatch block=64 n=100 : lanes do not reach this barrier
K(b_loop_mismatch) { unsigned m = BUG ? n : 128; for (unsigned i = T; i < m; i += 64) { out[i] = in[i]; SYNC; } }  //!

//@ h_infinite : it does not seem to end
K(h_infinite) { volatile unsigned* p = out; if (BUG) while (p[0] == 0) {} out[1] = 1; }  //!

//@ h_flag_never grid=2 : it does not seem to end
K(h_flag_never) {
    if (blockIdx.x == 1) {
        while (BUG && __hip_atomic_load(&out[0], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0) {  //!
        }
        out[9] = 1;
    }
}

//@ h_barrier_wait block=64 : it does not seem to end
K(h_barrier_wait) {
    if (T < 32) {
        while (BUG && __hip_atomic_load(&out[0], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) == 0) {  //!
        }
    }
    SYNC;
    if (T == 32) __hip_atomic_store(&out[0], 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
__device__ __attribute__((noinline)) unsigned deep(unsigned x, unsigned* p) {  //!
    unsigned a[32];
    for (unsigned i = 0; i < 32; ++i) a[i] = p[i] + x;
    return x == 0 ? a[p[3]] : deep(x - 1, p) + a[x & 31];
}

//@ s_recursion : of private memory, but
K(s_recursion) { out[T] = deep(B(5000, 3), in); }

//@ h_grid_barrier_count block=64 grid=8 : instructions
K(h_grid_barrier_count) {
    if (T == 0) {
        atomicAdd(&out[0], 1u);
        while (__hip_atomic_load(&out[0], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) < B(9, 8)) __builtin_amdgcn_s_sleep(1);
    }
}

//@ h_wait_for_later block=32 grid=128 lds=65536 : which holds no more
K(h_wait_for_later) {
    // Two of these groups fit a WGP, so the last of 128 begins only when an earlier one has ended.
    if (blockIdx.x == B(127, 63)) __hip_atomic_store(&out[0], 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
    else while (__hip_atomic_load(&out[0], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0) __builtin_amdgcn_s_sleep(2);
}

//@ g_load_beside_add block=64 : no barrier and no atomic hand-over orders
K(g_load_beside_add) {
    if (T < 32) atomicAdd(&out[0], 1u);
    if (!BUG) SYNC;
    if (T >= 32) out[T] = out[0];  //!
}

//@ g_store_beside_cas block=64 : no barrier and no atomic hand-over orders
K(g_store_beside_cas) {
    if (T >= 32) out[0] = 7;
    if (!BUG) SYNC;
    if (T < 32) atomicCAS(&out[0], 7u, 8u + T);
}

//@ r_relaxed_counter_short block=128 lds=2048 : no barrier and no atomic hand-over orders
K(r_relaxed_counter_short) {
    if (T == 0) sh[256] = 0;
    SYNC;
    if (T < 64) {
        sh[T] = in[T];  //!
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
        if ((T & 31) == 0) __hip_atomic_fetch_add(&sh[256], 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
        while (__hip_atomic_load(&sh[256], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP) < B(1, 2)) {}
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
        out[T] = sh[63 - T];  //!
    }
}

//@ r_relaxed_reuse block=64 lds=2048 : no barrier and no atomic hand-over orders
K(r_relaxed_reuse) {
    // What is polled for is the flag; the tile behind it is written again too early.
    if (T == 0) sh[256] = 0;
    SYNC;
    if (T < 32) {
        sh[T] = in[T];
        __hip_atomic_store(&sh[256], 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);
        if (!BUG) while (__hip_atomic_load(&sh[256], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP) != 2) {}
        sh[T] = in[T] + 7;
    } else {
        while (__hip_atomic_load(&sh[256], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP) != 1) {}
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
        out[T] = sh[T ^ 33];
        __hip_atomic_store(&sh[256], 2u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);
    }
}

//@ r_broadcast_fence block=64 lds=4 : no barrier and no atomic hand-over orders
K(r_broadcast_fence) {
    if (T == 0) sh[0] = atomicAdd(&out[0], 1u) == 0;
    IFOK(SYNC)
    if (sh[0]) {  //!
        __threadfence();
        out[T + 64] = 1;
    }
}

//@ r_two_stores block=96 lds=4 : no barrier and no atomic hand-over orders
K(r_two_stores) {
    if (T == 0) sh[0] = 0;
    SYNC;
    if (T < 64) sh[0] = B(1 + T / 32, 1);  //!
    SYNC;
    out[T] = sh[0];
}

//@ r_flag_init block=64 lds=4 : no barrier and no atomic hand-over orders
K(r_flag_init) {
    // The wave that waits may look before there is anything to see.
    if (T == 0) sh[0] = 0;
    IFOK(SYNC)
    if (T < 32) {
        out[T] = in[T];
        __hip_atomic_store(&sh[0], 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);
    } else {
        while (!__hip_atomic_load(&sh[0], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP)) {}  //!
        out[T] = 1;
    }
}
