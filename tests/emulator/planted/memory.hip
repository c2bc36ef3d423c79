// Accesses out of bounds and misaligned, of global memory, LDS and scratch.
#define K(name) extern "C" __global__ void name(unsigned* out, unsigned* in, unsigned* raw, unsigned n)
#define T threadIdx.x
extern __shared__ unsigned sh[];
#if BUG
#define B(x, y) x
#else
#define B(x, y) y
#endif

//@ g_row block=32 grid=33 : past the end of
K(g_row) { if (BUG || blockIdx.x < 32) out[T + 64 * blockIdx.x] = in[blockIdx.x * 32 + T]; }  //!

//@ g_negative : before the start of
K(g_negative) { out[T] = in[(int)T - B(1, 0)]; }  //!

//@ g_negative_imm : before the start of
K(g_negative_imm) {
    unsigned r;
    asm volatile("global_load_b32 %0, %1, off offset:" B("-4", "4") "\n s_waitcnt vmcnt(0)" : "=v"(r) : "v"(in + T));  //!
    out[T] = r;
}

//@ g_overflow32 n=0x40000000 : near nothing that is allocated
K(g_overflow32) { int o = (int)n * B(2, 0); out[T] = in[(long long)o + T]; }  //!

//@ g_stride : past the end of
K(g_stride) { out[T] = in[T * B(34, 33)]; }  //!

//@ g_b128_tail n=1022 : past the end of
K(g_b128_tail) { unsigned o = n - B(0, 2); uint4 v = *(uint4*)(in + o); out[T] = v.x + v.w; }  //!

//@ g_b128_tail_vec n=1020 : past the end of
K(g_b128_tail_vec) { uint4 v = *(uint4*)(in + n - 124 + T * 4 + B(2, 0)); out[T] = v.x + v.w; }  //!

//@ g_null : a null pointer or
K(g_null) { unsigned* p = B((unsigned*)(unsigned long long)(n - 1024), in); out[T] = p[T]; }  //!

//@ g_store_past : past the end of
K(g_store_past) { out[16384 - 32 + T + B(1, 0)] = 1; }  //!

//@ g_atomic_past : past the end of
K(g_atomic_past) { atomicAdd(&out[16384 - B(0, 1)], 1u); }  //!

//@ g_sload_past : past the end of
K(g_sload_past) { out[T] = in[B(1024, 1023)]; }  //!

//@ g_far_neighbour : near nothing that is allocated
K(g_far_neighbour) { out[T] = in[(long long)T + B(1 << 20, 0)]; }  //!

//@ g_b64_across : lie past its end
K(g_b64_across) { *(unsigned long long*)(void*)(out + 16384 - B(1, 2)) = 7; }  //!

//@ g_byte_past : past the end of
K(g_byte_past) { ((unsigned char*)out)[65536 - B(0, 1)] = 7; }  //!

//@ g_half_past : past the end of
K(g_half_past) { const unsigned short* p = (const unsigned short*)in; out[T] = p[2048 - B(0, 1)]; }  //!

//@ g_code_write : may only read
K(g_code_write) {
    unsigned long long pc;
    asm volatile("s_getpc_b64 %0" : "=s"(pc));
    unsigned* p = B((unsigned*)pc, out);
    p[T] = 1;  //!
}
__constant__ unsigned table[32] = {1, 2, 3};

//@ g_const_write : may only read
K(g_const_write) { unsigned* p = B((unsigned*)table, out); asm volatile("" : "+v"(p)); p[T] = 1; }  //!

//@ g_const_read_past : past the end of
K(g_const_read_past) { out[T] = table[T + B(1, 0)]; }  //!
__device__ unsigned global_array[64];

//@ g_static_past block=64 : lie past its end
K(g_static_past) { global_array[T + B(1, 0)] = 1; out[T] = global_array[T] * 0; }  //!

//@ g_kernarg_write : may only read
K(g_kernarg_write) {
    unsigned* p = B((unsigned*)__builtin_amdgcn_kernarg_segment_ptr(), out);
    asm volatile("" : "+v"(p));
    p[0] = 1;  //!
}

//@ g_kernarg_past : past the end of
K(g_kernarg_past) { unsigned* p = B((unsigned*)__builtin_amdgcn_kernarg_segment_ptr(), in); out[T] = p[T * 8]; }  //!

//@ g_int_mul_wrap n=70000 : near nothing that is allocated
K(g_int_mul_wrap) {
    int row = n;
    long long o = B((long long)(int)((unsigned)row * (unsigned)row), 5);
    out[T] = in[o + T];  //!
}

//@ g_flat_lds_past lds=128 : of LDS, but the work-group has
K(g_flat_lds_past) {
    unsigned* p = sh;
    asm volatile("" : "+v"(p));
    p[T + B(1, 0)] = in[T];  //!
    __syncthreads();
    out[T] = sh[T + 0 * B(1, 0)] * 0;
}

//@ g_flat_private_past : of private memory, but
K(g_flat_private_past) {
    volatile unsigned a[4];
    a[0] = 1;
    volatile unsigned* p = a;
    asm volatile("" : "+v"(p));
    p[B(100000, 1)] = in[T];  //!
    out[T] = a[0];
}

//@ g_scratch_past : of private memory, but
K(g_scratch_past) {
    volatile unsigned a[8];
    for (int i = 0; i < 8; ++i) a[i] = i;
    a[in[T] % 8 + B(2000, 0)] = 4;  //!
    out[T] = a[3];
}

//@ l_static_past : of LDS, but the work-group has
K(l_static_past) {
    __shared__ unsigned a[32];
    a[T + B(in[1], in[0])] = in[T];  //!
    __syncthreads();
    out[T] = a[31 - T] + 1;
}

//@ l_static_two : undefined bits are stored to global memory
K(l_static_two) {
    __shared__ unsigned a[32];
    __shared__ unsigned b[32];
    a[T + B(in[1], in[0])] = in[T];
    __syncthreads();
    b[T] = 2;
    __syncthreads();
    out[T] = a[31 - T] + b[T];  //!
}

//@ l_dynamic lds=124 : of LDS, but the work-group has
K(l_dynamic) { if (BUG || T < 31) sh[T] = in[T]; }  //!

//@ l_dyn_read lds=124 : of LDS, but the work-group has
K(l_dyn_read) { sh[T < 31 ? T : 0] = 3; __syncthreads(); if (BUG || T < 31) out[T] = sh[T] > 5; }  //!

//@ l_b128 lds=512 : of LDS, but the work-group has
K(l_b128) {
    unsigned p = T * 16 + B(8, 0);
    asm volatile("ds_store_b128 %0, v[40:43]\n s_waitcnt lgkmcnt(0)" :: "v"(p) : "memory");  //!
}

//@ l_load2 lds=256 : of LDS, but the work-group has
K(l_load2) {
    sh[T] = 1;
    sh[T + 32] = 4;
    __syncthreads();
    unsigned long long r;
    unsigned p = T * 4;
    asm volatile("ds_load_2addr_b32 %0, %1 offset0:0 offset1:" B("33", "32") "\n"  //!
        "s_waitcnt lgkmcnt(0)" : "=v"(r) : "v"(p) : "memory");
    out[T] = r + (r >> 32);
}

//@ l_atomic lds=128 : of LDS, but the work-group has
K(l_atomic) { sh[T] = 0; __syncthreads(); atomicAdd(&sh[T + B(1, 0)], 1u); }  //!

//@ l_negative lds=128 : of LDS, but the work-group has
K(l_negative) { sh[(int)T - B((int)in[1], 0)] = 1; }  //!

//@ l_64k lds=1024 : of LDS, but the work-group has
K(l_64k) { sh[T + B(16384, 0)] = 1; }  //!

//@ m_global_b32 : is no multiple of
K(m_global_b32) { out[T] = *(unsigned*)((char*)in + T * 4 + B(2, 0)); }  //!

//@ m_global_b128 : is no multiple of
K(m_global_b128) {
    uint4 v;
    asm volatile("global_load_b128 %0, %1, off\n s_waitcnt vmcnt(0)" : "=v"(v) : "v"((char*)in + B(1, 4)));  //!
    out[T] = v.x;
}

//@ m_atomic : not a multiple of
K(m_atomic) { atomicAdd((unsigned*)((char*)out + B(2, 0)), 1u); }  //!

//@ m_atomic64 : not a multiple of
K(m_atomic64) { atomicAdd((unsigned long long*)((char*)out + B(4, 0)), 1ull); }  //!

//@ m_lds_b32 lds=256 : is no multiple of
K(m_lds_b32) { *(unsigned*)((char*)sh + T * 4 + B(2, 0)) = 1; }  //!

//@ m_lds_b64 lds=512 : is no multiple of
K(m_lds_b64) {
    unsigned p = T * 8 + B(1, 0);
    asm volatile("ds_store_b64 %0, v[40:41]\n s_waitcnt lgkmcnt(0)" :: "v"(p) : "memory");  //!
}

//@ m_lds_atomic64 lds=512 : not a multiple of
K(m_lds_atomic64) {
    for (int i = T; i < 128; i += 32) sh[i] = 0;
    unsigned p = T * 8 + B(4, 0);
    if (T < 31) asm volatile("v_mov_b32 v40, 0\n"  //!
        "v_mov_b32 v41, 0\n"
        "ds_add_u64 %0, v[40:41]\n"
        "s_waitcnt lgkmcnt(0)" :: "v"(p) : "memory", "v40", "v41");
}

//@ m_lds_atomic32 lds=512 : not a multiple of
K(m_lds_atomic32) {
    for (int i = T; i < 128; i += 32) sh[i] = 0;
    atomicAdd((unsigned*)((char*)sh + T * 4 + B(2, 0)), 1u);  //!
}

//@ m_sload : is no multiple of
K(m_sload) {
    unsigned r;
    asm volatile("s_load_b32 %0, %1, 0x0\n s_waitcnt lgkmcnt(0)" : "=s"(r) : "s"((char*)in + B(2, 0)));  //!
    out[T] = r;
}

//@ m_sload64 : clean
K(m_sload64) {
    unsigned long long r;
    asm volatile("s_load_b64 %0, %1, 0x0\n s_waitcnt lgkmcnt(0)" : "=s"(r) : "s"((char*)in + 4));
    out[T] = r;
}

//@ m_u16 : is no multiple of
K(m_u16) { out[T] = *(unsigned short*)((char*)in + 2 * T + B(1, 0)); }  //!

//@ m_lds_load2 lds=512 : is no multiple of
K(m_lds_load2) {
    for (int i = T; i < 128; i += 32) sh[i] = 0;
    unsigned r;
    unsigned p = T * 4 + B(1, 0);
    asm volatile("ds_load_2addr_b32 v[40:41], %1 offset1:4\n"  //!
        "s_waitcnt lgkmcnt(0)\n"
        "v_mov_b32 %0, v40" : "=v"(r) : "v"(p) : "memory", "v40", "v41");
    out[T] = r;
}

//@ m_lds_load2_64 lds=512 : clean
K(m_lds_load2_64) {
    for (int i = T; i < 128; i += 32) sh[i] = 0;
    __syncthreads();
    unsigned r;
    unsigned p = T * 8 + 4;
    if (T < 31) {
        asm volatile("ds_load_2addr_b64 v[40:43], %1 offset1:0\n"
            "s_waitcnt lgkmcnt(0)\n"
            "v_mov_b32 %0, v40" : "=v"(r) : "v"(p) : "memory", "v40", "v41", "v42", "v43");
        out[T] = r;
    }
}

//@ m_scratch : is no multiple of
K(m_scratch) {
    volatile unsigned a[8];
    for (int i = 0; i < 8; ++i) a[i] = i;
    *(volatile unsigned*)((volatile char*)a + (in[T] & 4) + B(1, 0)) = 4;  //!
    out[T] = a[0] * 0;
}

//@ l_exch lds=256 : clean
K(l_exch) { atomicExch(&sh[T], in[T]); out[T] = sh[T]; }

//@ m_two_words : is no multiple of
K(m_two_words) {
    const char* p = (const char*)in + 8 * T + B(1, 4);
    out[T] = *(unsigned*)p * *(unsigned*)(p + 4);  //!
}

//@ m_nibble : is no multiple of
K(m_nibble) { out[T] = *(unsigned*)((char*)in + 4 * T + B(1, 0)) & 15; }  //!

//@ m_shifted : is no multiple of
K(m_shifted) { out[T] = (*(unsigned*)((char*)in + 4 * T + B(2, 0)) >> (T & 7)) & 0xf0; }  //!

//@ m_shifted_left : is no multiple of
K(m_shifted_left) { out[T] = (*(unsigned*)((char*)in + 4 * T + B(2, 0)) << (T & 7)) & 16; }  //!

//@ m_one_known_bit : is no multiple of
K(m_one_known_bit) { out[T] = (*(unsigned*)((char*)in + 4 * T + B(1, 0)) >> 9) & 1; }  //!

//@ m_words_staged lds=256 : is no multiple of
K(m_words_staged) {
    sh[T] = *(unsigned*)((char*)in + 4 * T + B(2, 0));  //!
    __syncthreads();
    out[T] = sh[31 - T] * 3;
}

struct WordAndHalf { unsigned word; unsigned short half; };

//@ m_natural_struct : is no multiple of
K(m_natural_struct) {
    // What is computed with is no copy.
    const WordAndHalf* p = (const WordAndHalf*)((const char*)in + B(2, 0)) + T;
    out[T] = p->word + p->half;  //!
}

//@ m_word_copied_alone : is no multiple of
K(m_word_copied_alone) { out[T] = *(unsigned*)((char*)in + 4 * T + B(1, 0)); }  //!
