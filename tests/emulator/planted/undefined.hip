// Undefined bits, and where they must be found. In each kernel BUG=1 is the mistake and BUG=0 the same without it.
#define K(name) extern "C" __global__ void name(unsigned* out, unsigned* in, unsigned* raw, unsigned n)
#define T threadIdx.x
extern __shared__ unsigned sh[];
typedef _Float16 h2 __attribute__((ext_vector_type(2)));
typedef _Float16 h16 __attribute__((ext_vector_type(16)));
typedef float f8 __attribute__((ext_vector_type(8)));
__device__ float F(unsigned x) { return __uint_as_float(x); }
__device__ unsigned U(float x) { return __float_as_uint(x); }

//@ u_tile_edge block=32 lds=4352 : undefined bits are stored to global memory
K(u_tile_edge) {
    for (int j = 0; j < (BUG ? 32 : 33); ++j) sh[T * 33 + j] = in[T + j];
    __syncthreads();
    unsigned s = 0;
    for (int j = 0; j < 33; ++j) s += sh[j * 0 + T * 33 + j];
    out[T] = s;  //!
}

//@ u_partial_tile block=64 lds=256 n=50 : undefined bits are stored to global memory
K(u_partial_tile) {
    if (T < n) sh[T] = in[T];
    else if (!BUG) sh[T] = 0;
    __syncthreads();
    if (T == 0) { unsigned s = 0; for (int i = 0; i < 64; ++i) s += sh[i]; out[0] = s; }  //!
}

//@ u_times_zero block=64 lds=256 n=50 : undefined bits are stored to global memory
K(u_times_zero) {
    if (T < n) sh[T] = U(float(in[T]));
    __syncthreads();
    float v = F(sh[T ^ 1]);
    unsigned other = T ^ 1;
    float w = BUG ? v * (other < n ? 1.f : 0.f) : (other < n ? v : 0.f);
    out[T] = U(w);  //!
}

//@ u_dpp_fi block=20 : undefined bits are stored to global memory
K(u_dpp_fi) {
    unsigned v = in[T], r;
#if BUG
    asm volatile("v_mov_b32_dpp %0, %1 row_ror:1 row_mask:0xf bank_mask:0xf fi:1" : "=v"(r) : "v"(v));
#else
    r = 0;
    asm volatile("v_mov_b32_dpp %0, %1 row_ror:1 row_mask:0xf bank_mask:0xf" : "+v"(r) : "v"(v));
#endif
    out[T] = r;  //!
}

//@ u_readlane_inactive block=20 : undefined bits are stored to global memory
K(u_readlane_inactive) {
    unsigned v = in[T] * 3;
    out[T] = __builtin_amdgcn_readlane(v, BUG ? 25 : 19);  //!
}

//@ u_permlanex_half block=16 : undefined bits are stored to global memory
K(u_permlanex_half) {
    unsigned v = in[T] * 3;
    unsigned r = __builtin_amdgcn_permlanex16(v, v, 0x76543210, 0xfedcba98, BUG ? true : false, false);
    out[T] = r;  //!
}

//@ u_ballot block=32 lds=128 n=30 : which decides this branch
K(u_ballot) {
    if (T < n || !BUG) sh[T] = in[T];
    __syncthreads();
    unsigned long long b = __ballot(sh[T] > 5);
    if (__popcll(b) > 4) out[T] = 1;  //!
}

//@ u_readlane_index block=32 lds=128 : undefined bits are stored to global memory
K(u_readlane_index) {
    if (T || !BUG) sh[T] = in[T];
    __syncthreads();
    unsigned i = __builtin_amdgcn_readfirstlane(sh[0]) & 31;
    out[T] = __builtin_amdgcn_readlane(in[T], i);  //!
}

//@ u_exec_mask block=32 : EXEC is set
K(u_exec_mask) {
    unsigned v = in[T];
#if BUG
    asm volatile("s_mov_b32 exec_lo, s90\n v_add_nc_u32 %0, 1, %0\n s_mov_b32 exec_lo, -1" : "+v"(v) :: "s90");  //!
#else
    asm volatile("s_mov_b32 s90, 0xff\n"
        "s_mov_b32 exec_lo, s90\n"
        "v_add_nc_u32 %0, 1, %0\n"
        "s_mov_b32 exec_lo, -1" : "+v"(v) :: "s90");
#endif
    out[T] = v;
}

//@ u_saveexec block=32 : EXEC is set
K(u_saveexec) {
    unsigned v = in[T];
#if BUG
    asm volatile("s_and_saveexec_b32 s91, s90\n v_add_nc_u32 %0, 1, %0\n s_mov_b32 exec_lo, s91" : "+v"(v) :: "s90", "s91");  //!
#else
    asm volatile("s_movk_i32 s90, 0xff\n"
        "s_and_saveexec_b32 s91, s90\n"
        "v_add_nc_u32 %0, 1, %0\n"
        "s_mov_b32 exec_lo, s91" : "+v"(v) :: "s90", "s91");
#endif
    out[T] = v;
}

//@ u_loop_bound block=32 lds=8 : which decides this branch
K(u_loop_bound) {
    if (T == 0) sh[BUG ? 1 : 0] = in[7];
    __syncthreads();
    unsigned s = 0;
    for (unsigned i = 0; i < sh[0]; ++i) s += in[i];  //!
    out[T] = s;
}

//@ u_addr_chain block=32 lds=128 : the address is computed from undefined bits
K(u_addr_chain) {
    if (T != 13 || !BUG) sh[T] = U(float(in[T]) * 0.5f);
    __syncthreads();
    unsigned r = unsigned(F(sh[T]) + 1.5f);
    out[T] = in[(r * 17 + 3) & 1023];  //!
}

//@ u_packed_half block=32 lds=128 : undefined bits are stored to global memory
K(u_packed_half) {
    _Float16* p = (_Float16*)sh;
    p[2 * T] = (_Float16)float(in[T]);
    if (!BUG) p[2 * T + 1] = (_Float16)1.f;
    __syncthreads();
    h2 v = *(h2*)&sh[T];
    v = v + v;
    *(h2*)&out[T] = v;  //!
}

//@ u_raw_copy block=32 : undefined bits are stored to global memory
K(u_raw_copy) { out[T] = (BUG ? raw + 512 : in)[T] + 1; }  //!

//@ u_raw_last_word block=128 grid=4 : undefined bits are stored to global memory
K(u_raw_last_word) {
    unsigned i = blockIdx.x * 128 + T + (BUG ? 1 : 0);
    out[i] = raw[i] * 2;  //!
}

//@ u_counter_not_zeroed block=32 : which nobody has written
K(u_counter_not_zeroed) {
    if (T == 0) { unsigned k = atomicAdd(&raw[BUG ? 600 : 5], 1u); if (k == 3) out[0] = 1; }  //!
}

//@ u_counter_noret block=32 : which nobody has written
K(u_counter_noret) { atomicAdd(&raw[BUG ? 601 : 5], 1u); }  //!

//@ u_atomic_float block=32 : which nobody has written
K(u_atomic_float) { unsafeAtomicAdd((float*)&raw[(BUG ? 602 : 5)], 1.f); }  //!

//@ u_atomic_cas block=1 : EXEC is set
K(u_atomic_cas) { if (atomicCAS(&raw[BUG ? 604 : 5], 0u, 1u) == 0) out[3] = 1; }  //!

//@ u_sload_branch block=32 : which decides this branch
K(u_sload_branch) { if (raw[(BUG ? 700 : 3)] > 5) out[T] = 1; }  //!

//@ u_max_tail block=32 lds=128 n=30 : undefined bits are stored to global memory
K(u_max_tail) {
    if (T < n || !BUG) sh[T] = U(float(in[T]));
    __syncthreads();
    float m = F(sh[T]);
    for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor(m, o));
    out[T] = U(__expf(F(in[T]) - m));  //!
}

//@ u_wmma_k_tail block=32 lds=1024 n=12 : undefined bits are stored to global memory
K(u_wmma_k_tail) {
    _Float16* p = (_Float16*)sh;
    for (unsigned k = 0; k < (BUG ? n : 16); ++k) p[(T & 15) * 16 + k] = (_Float16)float(k);
    __syncthreads();
    h16 a, b; f8 c = {};
    for (int k = 0; k < 16; ++k) { b[k] = p[(T & 15) * 16 + k]; a[k] = (_Float16)(k < n ? 1.f : 0.f); }
    c = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c);
    out[T] = U(c[0]);  //!
}

//@ u_wmma_half_wave block=16 : the two must be equal
K(u_wmma_half_wave) {
    h16 a, b; f8 c = {};
    for (int i = 0; i < 16; ++i) { a[i] = (_Float16)float(in[(T & 15) + i]); b[i] = (_Float16)float(in[i+T]); }
    if (!BUG) { out[T] = 1; return; }
    c = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c);  //!
    out[T] = U(c[0]);
}

//@ u_lds_atomic_counter block=32 lds=4 : undefined bits are stored to global memory
K(u_lds_atomic_counter) {
    if (!BUG && T == 0) sh[0] = 0;
    __syncthreads();
    atomicAdd(&sh[0], 1u);
    __syncthreads();
    out[T] = sh[0];  //!
}

//@ u_bpermute_addr block=32 lds=128 : the address is computed from undefined bits
K(u_bpermute_addr) {
    if (T || !BUG) sh[T] = in[T] & 31;
    __syncthreads();
    out[T] = __shfl(in[T], sh[T]);  //!
}

//@ u_cndmask block=32 lds=128 : undefined bits are stored to global memory
K(u_cndmask) {
    if (T != 5 || !BUG) sh[T] = in[T];
    __syncthreads();
    unsigned a = in[T], b = in[T + 32];
    out[T] = sh[T] > 7 ? a : b;  //!
}

//@ u_cselect block=32 lds=4 : undefined bits are stored to global memory
K(u_cselect) {
    if (!BUG) sh[0] = in[3];
    __syncthreads();
    unsigned s = __builtin_amdgcn_readfirstlane(sh[0]);
    out[T] = s > 3 ? n : n * 5 + 2;  //!
}

//@ u_byte block=32 lds=128 : undefined bits are stored to global memory
K(u_byte) {
    unsigned char* p = (unsigned char*)sh;
    for (int i = 0; i < (BUG ? 3 : 4); ++i) p[4 * T + i] = in[T + i];
    __syncthreads();
    out[T] = sh[T];  //!
}

//@ u_lds_prev_group block=32 grid=4 lds=128 : undefined bits are stored to global memory
K(u_lds_prev_group) {
    if (blockIdx.x == 0 || !BUG) sh[T] = in[T];
    __syncthreads();
    out[blockIdx.x * 32 + T] = sh[T];  //!
}

//@ u_scratch_index block=32 lds=4 : EXEC is set
K(u_scratch_index) {
    unsigned a[16];
    for (int i = 0; i < 16; ++i) a[i] = in[i * T & 1023];
    if (!BUG) sh[0] = 3;
    __syncthreads();
    out[T] = a[sh[0] & 15];  //!
}

//@ u_switch block=32 lds=4 : which decides this branch
K(u_switch) {
    if (!BUG) sh[0] = in[2];
    __syncthreads();
    switch (__builtin_amdgcn_readfirstlane(sh[0])) {  //!
        case 0: out[T] = 4; break; case 1: out[T] = in[5]; break; case 2: out[T + 1] = 4; break;
        case 3: out[T] = 7 * n; break; case 4: atomicAdd(out, 1u); break; default: out[T] = n;
    }
}

//@ u_lds_f32_atomic block=32 lds=128 : undefined bits are stored to global memory
K(u_lds_f32_atomic) {
    if (!BUG) sh[T] = 0;
    unsafeAtomicAdd((float*)&sh[T], 1.f);
    out[T] = sh[T];  //!
}

//@ u_lds_via_lds block=64 lds=512 : undefined bits are stored to global memory
K(u_lds_via_lds) {
    if (T != 40 || !BUG) sh[T] = in[T];
    __syncthreads();
    sh[64 + T] = sh[63 - T] * 3;
    __syncthreads();
    out[T] = sh[64 + (T ^ 8)];  //!
}

//@ u_cmpswap_data block=1 lds=4 : an atomic operation takes undefined bits
K(u_cmpswap_data) {
    if (!BUG) sh[0] = 3;
    atomicCAS(&out[0], 0u, sh[0]);  //!
}

//@ u_store_addr64 block=32 lds=8 : the address is computed from undefined bits
K(u_store_addr64) {
    if (!BUG) { *(unsigned**)sh = out; }
    __syncthreads();
    unsigned* p = *(unsigned**)sh;
    p[T] = 1;  //!
}

//@ u_mask_after_nan block=32 lds=128 n=20 : undefined bits are stored to global memory
K(u_mask_after_nan) {
    if (T < n) sh[T] = U(float(in[T]));
    __syncthreads();
    float s = F(sh[T]);
    if (BUG) s += T < n ? 0.f : -1e30f; else if (T >= n) s = -1e30f;
    out[T] = U(s);  //!
}

//@ u_setpc block=32 : the address that is jumped to
K(u_setpc) {
    out[T] = 1;
#if BUG
    asm volatile("s_setpc_b64 s[90:91]" ::: "s90", "s91");  //!
#endif
}

//@ u_vskip_lane block=32 : undefined bits are stored to global memory
K(u_vskip_lane) {
    unsigned r;
#if BUG
    asm volatile("v_writelane_b32 %0, 1, 3" : "=v"(r));
#else
    asm volatile("v_mov_b32 %0, 0\n v_writelane_b32 %0, 1, 3" : "=v"(r));
#endif
    out[T] = r;  //!
}

//@ u_d16 block=32 : undefined bits are stored to global memory
K(u_d16) {
    unsigned r;
#if BUG
    asm volatile("global_load_d16_b16 %0, %1, off\n s_waitcnt vmcnt(0)" : "=&v"(r) : "v"(in + T));
#else
    r = 0;
    asm volatile("global_load_d16_b16 %0, %1, off\n s_waitcnt vmcnt(0)" : "+v"(r) : "v"(in + T));
#endif
    out[T] = r;  //!
}

//@ u_sgpr_arith block=32 : undefined bits are stored to global memory
K(u_sgpr_arith) {
    unsigned r;
#if BUG
    asm volatile("s_add_u32 %0, s90, 1" : "=s"(r) :: "s90", "scc");
#else
    asm volatile("s_mov_b32 s90, 4\n s_add_u32 %0, s90, 1" : "=s"(r) :: "s90", "scc");
#endif
    out[T] = r;  //!
}

//@ u_scc block=32 : undefined bits are stored to global memory
K(u_scc) {
#if BUG
    unsigned r; asm volatile("s_add_u32 %0, s90, 1\n s_cselect_b32 %0, 7, 9" : "=s"(r) :: "s90", "scc");
#else
    unsigned r;
    asm volatile("s_mov_b32 s90, 4\n s_add_u32 %0, s90, 1\n s_cselect_b32 %0, 7, 9" : "=s"(r) :: "s90", "scc");
#endif
    out[T] = r;  //!
}

//@ u_vcc_addc block=32 : undefined bits are stored to global memory
K(u_vcc_addc) {
    unsigned r, v = in[T];
#if BUG
    asm volatile("v_add_co_ci_u32 %0, vcc_lo, %1, %1, vcc_lo" : "=v"(r) : "v"(v) : "vcc");
#else
    asm volatile("s_mov_b32 vcc_lo, 0\n v_add_co_ci_u32 %0, vcc_lo, %1, %1, vcc_lo" : "=v"(r) : "v"(v) : "vcc");
#endif
    out[T] = r;  //!
}

//@ u_m0_movrel block=32 : M0, which completes
K(u_m0_movrel) {
    unsigned r;
    asm volatile("v_mov_b32 v40, 1\n v_mov_b32 v41, 2\n"  //!
#if !BUG
    "s_mov_b32 m0, 1\n"
#endif
    "v_movrels_b32 %0, v40" : "=v"(r) :: "v40", "v41");
    out[T] = r;
}

//@ u_after_dealloc block=32 : has given back
K(u_after_dealloc) {
    unsigned v = in[T];
#if BUG
    asm volatile("s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)" : "+v"(v));
#endif
    out[T] = v;  //!
}

//@ u_sload_partial block=32 : undefined bits are stored to global memory
K(u_sload_partial) {
    uint4 q = *(uint4*)&raw[BUG ? 510 : 508];
    out[T] = q.x + q.y + q.z + q.w;  //!
}
