// What must not be found: undefined bits that do not matter, and orders that are right.
#define K(name) extern "C" __global__ void name(unsigned* out, unsigned* in, unsigned* raw, unsigned n)
#define T threadIdx.x
extern __shared__ unsigned sh[];
typedef _Float16 h2 __attribute__((ext_vector_type(2)));
__device__ float F(unsigned x) { return __uint_as_float(x); }
__device__ unsigned U(float x) { return __float_as_uint(x); }

//@ c_select block=64 lds=256 n=50 : clean
K(c_select) { if (T < n) sh[T] = in[T]; __syncthreads(); unsigned v = sh[T ^ 1]; out[T] = (T ^ 1) < n ? v : 0; }

//@ c_and0 block=32 lds=128 : clean
K(c_and0) { unsigned v = sh[T]; unsigned m = in[0]; out[T] = v & m; }

//@ c_xor block=32 lds=128 : clean
K(c_xor) { unsigned v = sh[T], r; asm volatile("v_xor_b32 %0, %1, %1" : "=v"(r) : "v"(v)); out[T] = r; }

//@ c_shift block=32 lds=128 : clean
K(c_shift) { unsigned short* p = (unsigned short*)sh; p[2 * T + 1] = in[T]; out[T] = sh[T] >> 16; }

//@ c_bfe block=32 lds=128 : clean
K(c_bfe) { unsigned char* p = (unsigned char*)sh; p[4 * T + 1] = in[T]; out[T] = (sh[T] >> 8) & 255; }

//@ c_perm block=32 lds=128 : clean
K(c_perm) {
    unsigned char* p = (unsigned char*)sh;
    p[4 * T + 2] = in[T];
    out[T] = __builtin_amdgcn_perm(sh[T], in[T + 1], 0x0c060100);
}

//@ c_alignbit block=32 lds=128 : clean
K(c_alignbit) {
    unsigned short* p = (unsigned short*)sh;
    p[2 * T + 1] = in[T];
    out[T] = __builtin_amdgcn_alignbit(in[T + 1], sh[T], 16);
}

//@ c_half_low block=32 lds=128 : clean
K(c_half_low) {
    _Float16* p = (_Float16*)sh;
    p[2 * T] = (_Float16)float(in[T]);
    h2 v = *(h2*)&sh[T];
    v = v * v;
    out[T] = U(float(v[0]));
}

//@ c_half_pack block=32 lds=128 : clean
K(c_half_pack) {
    _Float16* p = (_Float16*)sh;
    p[2 * T] = (_Float16)float(in[T]);
    h2 v = *(h2*)&sh[T];
    v = v + v;
    v[1] = (_Float16)3.f;
    *(h2*)&out[T] = v;
}

//@ c_uint4_unused block=32 : clean
K(c_uint4_unused) { uint4 q = *(uint4*)&raw[510]; out[T] = q.x + q.y; }

//@ c_uint4_vec block=32 : clean
K(c_uint4_vec) { uint4 q = *(uint4*)&raw[(T & 1) ? 510 : 508]; out[T] = q.x + q.y; }

//@ c_or_all block=32 lds=128 : clean
K(c_or_all) { out[T] = sh[T] | (in[1] - 2 + 0); }

//@ c_lane_mask block=32 lds=128 n=20 : clean
K(c_lane_mask) {
    if (T < n) sh[T] = in[T];
    unsigned v = sh[T];
    unsigned long long b = __ballot(v > 5) & ((1u << n) - 1);
    out[T] = __popcll(b);
}

//@ c_and_cond block=32 lds=128 n=20 : clean
K(c_and_cond) {
    if (T < n) sh[T] = in[T];
    unsigned v = sh[T];
    bool a = v > 5;
    bool b = T < n;
    out[T] = (a & b) ? 3 : 4;
}

//@ c_shortcircuit block=32 lds=128 n=20 : clean
K(c_shortcircuit) { if (T < n) sh[T] = in[T]; if (T < n && sh[T] > 5) out[T] = 3; }

//@ c_shortcircuit_uniform block=32 lds=128 n=0 : clean
K(c_shortcircuit_uniform) {
    if (n) sh[0] = in[0];
    unsigned s = __builtin_amdgcn_readfirstlane(sh[0]);
    if (n != 0 && s > 5) out[T] = 3;
}

//@ c_clamp_mask block=32 lds=128 n=20 : clean
K(c_clamp_mask) {
    if (T < n) sh[T] = U(float(in[T]));
    float v = F(sh[T]);
    v = T < n ? v : -1e30f;
    for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor(v, o));
    out[T] = U(v);
}
struct Hole { unsigned char a; unsigned b; unsigned short c; double d; };

//@ c_struct_copy block=8 : clean
K(c_struct_copy) { Hole h; h.a = in[T]; h.b = in[T + 1]; h.c = in[T + 2]; h.d = in[T + 3]; ((Hole*)out)[T] = h; }

//@ c_spill block=256 : clean
extern "C" __global__ void __launch_bounds__(1024) c_spill(unsigned* out, unsigned* in, unsigned* raw, unsigned n) {
    float a[140];
    for (int i = 0; i < 140; ++i) a[i] = float(in[(T + i) & 1023]);
    for (unsigned r = 0; r < n - 1020; ++r)
        for (int i = 0; i < 140; ++i) a[i] = a[i] * a[(i * 7 + 3) % 140] * 1e-3f + a[(i + 1) % 140];
    float s = 0; for (int i = 0; i < 140; ++i) s += a[i];
    out[T] = U(s);
}
__device__ __attribute__((noinline)) unsigned callee(unsigned x, unsigned* p) { return x > 7 ? p[x & 31] : x + 1; }

//@ c_call block=64 : clean
K(c_call) { unsigned s = 0; for (int i = 0; i < 3; ++i) s += callee(in[T + i], in + s % 8); out[T] = s; }
__device__ __attribute__((noinline)) unsigned fact(unsigned x) { return x < 2 ? 1 : x * fact(x - 1); }

//@ c_recursion block=32 : clean
K(c_recursion) { out[T] = fact(in[T & 7] + 1); }

//@ c_shfl_divergent block=32 : clean
K(c_shfl_divergent) {
    unsigned v = in[T];
    if (T < 10) {
        unsigned r = __shfl_down(v, 4);
        out[T] = T + 4 < 10 ? r : 0;
    }
}

//@ c_shfl_partial block=20 : clean
K(c_shfl_partial) { unsigned v = in[T]; for (int o = 16; o; o >>= 1) v += __shfl_xor(v, o); out[T] = v; }

//@ c_dpp_reduce block=20 : clean
K(c_dpp_reduce) {
    unsigned v = in[T];
    v += __builtin_amdgcn_update_dpp(0, v, 0x111, 0xf, 0xf, true);
    v += __builtin_amdgcn_update_dpp(0, v, 0x112, 0xf, 0xf, true);
    v += __builtin_amdgcn_update_dpp(0, v, 0x114, 0xf, 0xf, true);
    out[T] = v;
}

//@ c_byte_neighbours block=64 grid=8 : clean
K(c_byte_neighbours) { unsigned char* o = (unsigned char*)out; o[T * 8 + blockIdx.x] = in[T]; }

//@ c_lds_byte_neighbours block=128 lds=256 : clean
K(c_lds_byte_neighbours) {
    unsigned char* o = (unsigned char*)sh;
    o[(T & 31) * 4 + (T >> 5)] = in[T];
    __syncthreads();
    if (T < 32) out[T] = sh[T];
}

//@ c_exec_reconv block=64 : clean
K(c_exec_reconv) { unsigned x; if (in[T] & 1) x = in[T] * 2; else x = 5; if (in[T] & 2) x++; out[T] = x; }

//@ c_last_block block=64 grid=8 lds=4 : clean
K(c_last_block) {
    out[64 + blockIdx.x * 64 + T] = in[T] + blockIdx.x;
    __threadfence(); __syncthreads();
    if (T == 0) sh[0] = atomicAdd(&out[0], 1u);
    __syncthreads();
    if (sh[0] == 7) {
        __threadfence();
        unsigned s = 0;
        for (int i = 0; i < 8; ++i) s += out[64 + i * 64 + T];
        out[1024 + T] = s;
    }
}

//@ c_last_block_acqrel block=64 grid=8 lds=4 : clean
K(c_last_block_acqrel) {
    out[64 + blockIdx.x * 64 + T] = in[T] + blockIdx.x;
    __syncthreads();
    if (T == 0) sh[0] = __hip_atomic_fetch_add(&out[0], 1u, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
    __syncthreads();
    if (sh[0] == 7) { unsigned s = 0; for (int i = 0; i < 8; ++i) s += out[64 + i * 64 + T]; out[1024 + T] = s; }
}

//@ c_flag block=64 grid=2 : clean
K(c_flag) {
    if (blockIdx.x == 0) {
        out[64 + T] = in[T];
        __threadfence();
        __syncthreads();
        if (T == 0) __hip_atomic_store(&out[0], 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
    }
    else {
        while (__hip_atomic_load(&out[0], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0) ;
        out[256 + T] = out[64 + T] + 1;
    }
}

//@ c_spinlock block=32 grid=8 : clean
K(c_spinlock) {
    if (T == 0) {
        while (__hip_atomic_exchange(&out[0], 1u, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT)) __builtin_amdgcn_s_sleep(1);
        out[1] += in[3];
        __hip_atomic_store(&out[0], 0u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
    }
}

//@ c_lds_flag block=64 lds=512 : clean
K(c_lds_flag) {
    if (T == 0) sh[100] = 0; __syncthreads();
    if (T < 32) { sh[T] = in[T]; __hip_atomic_store(&sh[100], 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP); }
    else {
        while (!__hip_atomic_load(&sh[100], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP)) ;
        out[T] = sh[T - 32];
    }
}

//@ c_double_buffer block=128 lds=1024 : clean
K(c_double_buffer) {
    unsigned s = 0; sh[T] = in[T]; __syncthreads();
    for (int i = 0; i < 6; ++i) {
        sh[((i + 1) & 1) * 128 + T] = in[(T + i) & 1023];
        s += sh[(i & 1) * 128 + (T ^ 64)];
        __syncthreads();
    }
    out[T] = s;
}

//@ c_u16_rows block=32 grid=4 : clean
K(c_u16_rows) {
    unsigned short* o = (unsigned short*)out;
    for (int i = 0; i < 3; ++i) o[1 + (blockIdx.x * 32 + T) * 3 + i] = in[T];
}

//@ c_f32_from_f16_tail block=32 : clean
K(c_f32_from_f16_tail) {
    const _Float16* p = (const _Float16*)(raw + 511);
    h2 v = {
        p[0], p[1]
    }
    ;
    out[T] = U(float(v[0]) + float(v[1]));
}

//@ c_math block=32 : clean
K(c_math) {
    float x = float(in[T]) * 0.37f;
    out[T] = U(sinf(x) + expf(-x) + logf(x + 1) + powf(x, 1.3f) + erff(x) + tanhf(x) + fmodf(x, 0.7f));
}

//@ c_grid_barrier block=64 grid=8 : clean
K(c_grid_barrier) {
    for (int r = 0; r < 3; ++r) {
        unsigned* const now = out + 128 + (r & 1) * 512;
        unsigned* const before = out + 128 + (~r & 1) * 512;
        now[blockIdx.x * 64 + T] = r ? before[(blockIdx.x + 1) % 8 * 64 + T] + 1 : in[T];
        __syncthreads();
        if (T == 0) {
            __threadfence();
            atomicAdd(&out[r], 1u);
            while (__hip_atomic_load(&out[r], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) < 8) __builtin_amdgcn_s_sleep(1);
            __threadfence();
        }
        __syncthreads();
    }
}

//@ c_equal_waves block=128 : clean
K(c_equal_waves) { if (in[T] < 1000) out[3] = 1; }

//@ c_wave_flag block=64 lds=4 : clean
K(c_wave_flag) {
    if (T == 0) sh[0] = 0;
    __syncthreads();
    if (T < 32) {
        out[T] = in[T];
        __hip_atomic_store(&sh[0], 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);
    } else {
        while (!__hip_atomic_load(&sh[0], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP)) {}
        out[T] = out[T - 32] + 1;
    }
}

//@ c_cas_loop block=128 grid=2 : clean
K(c_cas_loop) {
    unsigned* const sum = out + (in[T] & 1);
    unsigned seen = *sum, expected;
    do {
        expected = seen;
        seen = atomicCAS(sum, expected, expected * 3 + T);
    } while (seen != expected);
}

//@ c_relaxed_ring block=64 lds=2048 : clean
K(c_relaxed_ring) {
    // A wave hands tiles to another through two slots; flags are polled without an acquire, and fences follow.
    unsigned *const full = sh + 256, *const slot = sh, lane = T & 31;
    if (T < 2) full[T] = 0;
    __syncthreads();
    unsigned sum = 0;
    for (unsigned i = 0; i < n / 128; ++i) {
        while (__hip_atomic_load(&full[i & 1], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP) != T / 32) {}
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
        if (T < 32) slot[(i & 1) * 32 + lane] = in[lane + i];
        else sum += slot[(i & 1) * 32 + (lane ^ 3)];
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
        __hip_atomic_store(&full[i & 1], 1 - T / 32, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    }
    out[T] = sum;
}

//@ c_relaxed_counter block=128 lds=2048 : clean
K(c_relaxed_counter) {
    // A barrier of two waves out of four.
    if (T == 0) sh[256] = 0;
    __syncthreads();
    if (T >= 64) return;
    sh[T] = in[T] + 1;
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    if ((T & 31) == 0) __hip_atomic_fetch_add(&sh[256], 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    while (__hip_atomic_load(&sh[256], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP) < 2) __builtin_amdgcn_s_sleep(1);
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    out[T] = sh[63 - T];
}

//@ c_relaxed_ask block=64 lds=2048 : clean
K(c_relaxed_ask) {
    // A wave asks whether there is a tile, and works and stores as long as there is none; another asks just once.
    unsigned *const full = sh + 256, lane = T & 31;
    if (T < 2) full[T] = 0;
    __syncthreads();
    if (T < 32) {
        sh[lane] = in[lane] * 3;
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
        __hip_atomic_store(&full[0], 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
        if (__hip_atomic_load(&full[1], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP)) {
            __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
            out[lane] = sh[64 + lane];
        }
    } else {
        unsigned work = 0;
        while (__hip_atomic_load(&full[0], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP) == 0) {
            work += in[(work + lane) & 1023];
            out[64 + lane] = work;
        }
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
        sh[64 + lane] = sh[31 - lane];
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
        __hip_atomic_store(&full[1], 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    }
}

//@ c_flag_of_two block=96 lds=4 : clean
K(c_flag_of_two) {
    // Who comes first or last does not matter to the wave that waits.
    if (T == 0) sh[0] = 0;
    __syncthreads();
    if (T < 64) __hip_atomic_store(&sh[0], 1 + T / 32, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    else while (__hip_atomic_load(&sh[0], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP) == 0) {}
    out[T] = 1;
}

struct Chars47 { char c[47]; };
struct Chars9 { char c[9]; };
struct __attribute__((packed)) Packed { char tag; int number; double size; short rest; };

//@ c_copy_chars : clean
K(c_copy_chars) { ((Chars47*)out)[T] = ((Chars47*)in)[T + 1]; }

//@ c_copy_tail : clean
K(c_copy_tail) { ((Chars9*)out)[T] = ((Chars9*)in)[T + 1]; }

//@ c_copy_packed : clean
K(c_copy_packed) { ((Packed*)out)[T] = ((Packed*)in)[T + 1]; }

//@ c_copy_odd_range : clean
K(c_copy_odd_range) { __builtin_memcpy((char*)out + T * 21, (char*)in + T * 21 + 1, 21); }

//@ c_copy_chars_lds lds=2048 : clean
K(c_copy_chars_lds) {
    Chars47* s = (Chars47*)sh;
    s[T] = ((Chars47*)in)[T + 1];
    __syncthreads();
    ((Chars47*)out)[T] = s[31 - T];
}

struct Quants { unsigned short scale, quants[8]; };  // 18 bytes, of which words are put together from halves

//@ c_quants : clean
K(c_quants) {
    const Quants* q = (const Quants*)in + T;
    unsigned words[4];
    __builtin_memcpy(words, q->quants, 16);
    // Both nibbles of four bytes at a time.
    unsigned sum = 0;
    for (int i = 0; i < 4; ++i) sum = __builtin_amdgcn_udot4(words[i] & 0x0f0f0f0f, 0x01020304, sum, false);
    out[T] = sum * q->scale;
}

//@ c_quants_shift : clean
K(c_quants_shift) {
    const Quants* q = (const Quants*)in + T;
    unsigned word;
    __builtin_memcpy(&word, q->quants + 2, 4);
    out[T] = ((word >> (T & 4)) & 0x0f0f0f0f) + q->scale;
}

//@ c_quants_bits : clean
K(c_quants_bits) {
    // A row of bits, of which each lane takes those of its own two quants, the first moved to where it belongs.
    const Quants* q = (const Quants*)in + T;
    unsigned bits;
    __builtin_memcpy(&bits, q->quants, 4);
    out[T] = ((((bits >> (T & 15)) << 4) & 16) | ((bits >> ((T & 15) + 12)) & 16)) + q->scale;
}

//@ c_quants_one_bit : clean
K(c_quants_one_bit) {
    const Quants* q = (const Quants*)in + T;
    unsigned bits;
    __builtin_memcpy(&bits, q->quants, 4);
    out[T] = (bits >> (T & 31)) & 1;
}

//@ c_halves_staged lds=256 : clean
K(c_halves_staged) {
    // Rows of an odd number of halves go through LDS by the word, and are halves there.
    unsigned pair;
    __builtin_memcpy(&pair, (const char*)in + 6 * T, 4);
    sh[T] = pair;
    __syncthreads();
    const _Float16* halves = (const _Float16*)sh;
    out[T] = (unsigned)(float)(halves[62 - 2 * T] * halves[63 - 2 * T]);
}

//@ c_quants_blocks : clean
K(c_quants_blocks) {
    // The words of blocks one behind the other cannot all be aligned.
    const Quants* q = (const Quants*)in + 4 * T;
    unsigned sum = 0;
    for (int i = 0; i < 4; ++i) {
        unsigned word;
        __builtin_memcpy(&word, q[i].quants, 4);
        sum += word * q[i].scale;
    }
    out[T] = sum;
}
