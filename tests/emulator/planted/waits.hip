// Results used before the wait that retires them, by inline assembly: compilers do not leave a wait out.
#define K(name) extern "C" __global__ void name(unsigned* out, unsigned* in, unsigned* raw, unsigned n)
#define T threadIdx.x
extern __shared__ unsigned sh[];
#if BUG
#define B(x, y) x
#else
#define B(x, y) y
#endif

//@ w_vm0 : before a wait says
K(w_vm0) {
    unsigned r;
    asm volatile("global_load_b32 %0, %1, off\n"  //!
        B("", "s_waitcnt vmcnt(0)\n") "v_add_nc_u32 %0, 1, %0\n"
        "s_waitcnt vmcnt(0)" : "=&v"(r) : "v"(in + T));
    out[T] = r;
}

//@ w_vm_off_by_one : before a wait says
K(w_vm_off_by_one) {
    unsigned a, b, c, r;
    asm volatile("global_load_b32 %0, %4, off\n"  //!
        "global_load_b32 %1, %4, off offset:4\n"
        "global_load_b32 %2, %4, off offset:8\n"
        "s_waitcnt vmcnt(" B("2", "1") ")\n"
        "v_add_nc_u32 %3, %0, %1\n"
        "s_waitcnt vmcnt(0)\n"
        "v_add_nc_u32 %3, %3, %2" : "=&v"(a), "=&v"(b), "=&v"(c), "=&v"(r) : "v"(in + T));
    out[T] = r;
}

//@ w_smem_order : before a wait says
K(w_smem_order) {
    unsigned a, b, r;
    asm volatile("s_load_b32 %0, %3, 0x0\n"  //!
        "s_load_b32 %1, %3, 0x40\n"
        "s_waitcnt lgkmcnt(" B("1", "0") ")\n"
        "s_add_u32 %2, %0, 1\n"
        "s_waitcnt lgkmcnt(0)\n"
        "s_add_u32 %2, %2, %1" : "=&s"(a), "=&s"(b), "=&s"(r) : "s"(in));
    out[T] = r;
}

//@ w_lds_second lds=256 : before a wait says
K(w_lds_second) {
    sh[T] = in[T];
    sh[T + 32] = in[T + 1];
    unsigned a, b, r, p = T * 4;
    asm volatile("ds_load_b32 %0, %3\n"  //!
        "ds_load_b32 %1, %3 offset:128\n"
        "s_waitcnt lgkmcnt(1)\n"
        "v_add_nc_u32 %2, " B("%1", "%0") ", 1\n"
        "s_waitcnt lgkmcnt(0)\n" : "=&v"(a), "=&v"(b), "=&v"(r) : "v"(p) : "memory");
    out[T] = r;
}

//@ w_lds_smem_mix lds=256 : before a wait says
K(w_lds_smem_mix) {
    sh[T] = in[T];
    unsigned a, b, r, p = T * 4;
    asm volatile("ds_load_b32 %0, %3\n"  //!
        "s_load_b32 %1, %4, 0x10\n"
        "s_waitcnt lgkmcnt(" B("1", "0") ")\n"
        "v_add_nc_u32 %2, %0, 1\n"
        "s_waitcnt lgkmcnt(0)\n" : "=&v"(a), "=&s"(b), "=&v"(r) : "v"(p), "s"(in) : "memory");
    out[T] = r;
}

//@ w_overwrite : before a wait says
K(w_overwrite) {
    unsigned r;
    asm volatile("global_load_b32 %0, %1, off\n"  //!
        B("", "s_waitcnt vmcnt(0)\n") "v_mov_b32 %0, 7\n"
        "s_waitcnt vmcnt(0)" : "=&v"(r) : "v"(in + T));
    out[T] = r;
}

//@ w_overwrite_lds_vmem lds=128 : before a wait says
K(w_overwrite_lds_vmem) {
    sh[T] = in[T];
    unsigned r, p = T * 4;
    asm volatile("global_load_b32 %0, %1, off\n"  //!
        B("", "s_waitcnt vmcnt(0)\n") "ds_load_b32 %0, %2\n"
        "s_waitcnt vmcnt(0) lgkmcnt(0)" : "=&v"(r) : "v"(in + T), "v"(p) : "memory");
    out[T] = r;
}

//@ w_back_edge n=5 : before a wait says
K(w_back_edge) {
    unsigned r = 0, a;
    unsigned i;
    asm volatile("s_mov_b32 %2, 0\n"  //!
        "global_load_b32 %1, %3, off\n"
        "s_waitcnt vmcnt(0)\n1: v_add_nc_u32 %0, %0, %1\n"
        "global_load_b32 %1, %3, off offset:4\n"
        "s_add_u32 %2, %2, 1\n"
        "s_cmp_lt_u32 %2, %4\n"
        B("", "s_waitcnt vmcnt(0)\n") "s_cbranch_scc1 1b\n"
        "s_waitcnt vmcnt(0)" : "+v"(r), "=&v"(a), "=&s"(i) : "v"(in + T), "s"(n) : "scc");
    out[T] = r;
}
__device__ __attribute__((noinline)) unsigned addone(unsigned x) { asm volatile("" ::: "memory"); return x * 3 + 1; }

//@ w_call : before a wait says
K(w_call) {
    unsigned r;
    asm volatile("global_load_b32 %0, %1, off\n" B("", "s_waitcnt vmcnt(0)") : "=&v"(r) : "v"(in + T));
    asm volatile("s_nop 0" ::: "memory");
    out[T] = r * 3;  //!
}

//@ w_addr lds=128 : before a wait says
K(w_addr) {
    sh[T] = T * 4;
    unsigned a, r, p = T * 4;
    asm volatile("ds_load_b32 %0, %2\n"  //!
        B("", "s_waitcnt lgkmcnt(0)\n") "global_load_b32 %1, %0, %3\n"
        "s_waitcnt vmcnt(0) lgkmcnt(0)" : "=&v"(a), "=&v"(r) : "v"(p), "s"(in) : "memory");
    out[T] = r;
}

//@ w_store_data : before a wait says
K(w_store_data) {
    unsigned r;
    asm volatile("global_load_b32 %0, %1, off\n"  //!
        B("", "s_waitcnt vmcnt(0)\n") "global_store_b32 %2, %0, off\n"
        "s_waitcnt vmcnt(0)" : "=&v"(r) : "v"(in + T), "v"(out + T) : "memory");
}

//@ w_flat_vm_only lds=128 : before a wait says
K(w_flat_vm_only) {
    unsigned r;
    asm volatile("flat_load_b32 %0, %1\n"  //!
        "s_waitcnt " B("vmcnt(0)", "vmcnt(0) lgkmcnt(0)") "\n"
        "v_add_nc_u32 %0, 1, %0\n"
        "s_waitcnt vmcnt(0) lgkmcnt(0)" : "=&v"(r) : "v"(in + T));
    out[T] = r;
}

//@ w_flat_lgkm_only : before a wait says
K(w_flat_lgkm_only) {
    unsigned r;
    asm volatile("flat_load_b32 %0, %1\n"  //!
        "s_waitcnt " B("lgkmcnt(0)", "vmcnt(0) lgkmcnt(0)") "\n"
        "v_add_nc_u32 %0, 1, %0\n"
        "s_waitcnt vmcnt(0) lgkmcnt(0)" : "=&v"(r) : "v"(in + T));
    out[T] = r;
}

//@ w_scalar_branch : before a wait says
K(w_scalar_branch) {
    unsigned a;
    asm volatile("s_load_b32 %0, %1, 0x8\n"  //!
        B("", "s_waitcnt lgkmcnt(0)\n") "s_cmp_eq_u32 %0, 2\n"
        "s_cbranch_scc1 1f\n"
        "s_nop 0\n1: s_waitcnt lgkmcnt(0)" : "=&s"(a) : "s"(in) : "scc");
    out[T] = 1;
}

//@ w_scalar_base : before a wait says
K(w_scalar_base) {
    unsigned long long a;
    unsigned r, o = T * 4;
    unsigned long long* t = (unsigned long long*)out;
    if (T == 0) t[0] = 0;
    asm volatile("s_load_b64 s[80:81], %1, 0x0\n"  //!
        B("", "s_waitcnt lgkmcnt(0)\n") "s_mov_b64 s[82:83], s[80:81]\n"
        "s_waitcnt lgkmcnt(0)\n"
        "v_mov_b32 %0, s82" : "=&v"(r) : "s"(in) : "s80", "s81", "s82", "s83");
    out[T] = r;
}

//@ w_depctr : before a wait says
K(w_depctr) {
    unsigned r;
    asm volatile("global_load_b32 %0, %1, off\n"  //!
        B("s_waitcnt_depctr 0xfff\n", "s_waitcnt vmcnt(0)\n") "v_add_nc_u32 %0, 1, %0\n"
        "s_waitcnt vmcnt(0)" : "=&v"(r) : "v"(in + T));
    out[T] = r;
}

//@ w_wrong_counter : before a wait says
K(w_wrong_counter) {
    unsigned r;
    asm volatile("global_load_b32 %0, %1, off\n"  //!
        B("s_waitcnt lgkmcnt(0)\n"
        "s_waitcnt_vscnt null, 0x0\n"
        "s_waitcnt expcnt(0)\n", "s_waitcnt vmcnt(0)\n") "v_add_nc_u32 %0, 1, %0\n"
        "s_waitcnt vmcnt(0)" : "=&v"(r) : "v"(in + T));
    out[T] = r;
}

//@ w_atomic_ret : before a wait says
K(w_atomic_ret) {
    unsigned r;
    asm volatile("global_atomic_add_u32 %0, %1, %2, off glc\n"  //!
        B("s_waitcnt_vscnt null, 0x0\n", "s_waitcnt vmcnt(0)\n") "v_add_nc_u32 %0, 1, %0\n"
        "s_waitcnt vmcnt(0)" : "=&v"(r) : "v"(out + 512 + T), "v"(n) : "memory");
    out[T] = r;
}

//@ w_ds_rtn lds=128 : before a wait says
K(w_ds_rtn) {
    sh[T] = 4;
    unsigned r, p = T * 4;
    asm volatile("ds_add_rtn_u32 %0, %1, %2\n"  //!
        B("s_waitcnt vmcnt(0)\n", "s_waitcnt lgkmcnt(0)\n") "v_add_nc_u32 %0, 1, %0\n"
        "s_waitcnt lgkmcnt(0)" : "=&v"(r) : "v"(p), "v"(n) : "memory");
    out[T] = r;
}

//@ w_bpermute : before a wait says
K(w_bpermute) {
    unsigned r, p = (T ^ 1) * 4, v = in[T];
    asm volatile("ds_bpermute_b32 %0, %1, %2\n"  //!
        B("", "s_waitcnt lgkmcnt(0)\n") "v_add_nc_u32 %0, 1, %0\n"
        "s_waitcnt lgkmcnt(0)" : "=&v"(r) : "v"(p), "v"(v));
    out[T] = r;
}

//@ w_swizzle : before a wait says
K(w_swizzle) {
    unsigned r, v = in[T];
    asm volatile("ds_swizzle_b32 %0, %1 offset:0x401f\n"  //!
        B("", "s_waitcnt lgkmcnt(0)\n") "v_add_nc_u32 %0, 1, %0\n"
        "s_waitcnt lgkmcnt(0)" : "=&v"(r) : "v"(v));
    out[T] = r;
}

//@ w_b128_part : before a wait says
K(w_b128_part) {
    unsigned r;
    asm volatile("global_load_b128 v[40:43], %1, off\n"  //!
        "global_load_b128 v[44:47], %1, off offset:16\n"
        "s_waitcnt vmcnt(1)\n"
        "v_add_nc_u32 %0, v43, " B("v44", "v42") "\n"
        "s_waitcnt vmcnt(0)" : "=&v"(r) : "v"(in + T * 4) : "v40","v41","v42","v43","v44","v45","v46","v47");
    out[T] = r;
}

//@ w_wmma : before a wait says
K(w_wmma) {
    unsigned r;
    asm volatile("global_load_b128 v[40:43], %1, off\n"  //!
        "global_load_b128 v[44:47], %1, off\n"
        B("s_waitcnt vmcnt(1)\n", "s_waitcnt vmcnt(0)\n") "v_wmma_f32_16x16x16_f16 v[48:55], v[40:47], v[40:47], 0\n"
        "s_waitcnt vmcnt(0)\n"
        "v_mov_b32 %0, v48"
        : "=&v"(r) : "v"(in) : "v40","v41","v42","v43","v44","v45","v46","v47","v48","v49","v50","v51","v52","v53","v54","v55");
    out[T] = r;
}

//@ w_vopd : before a wait says
K(w_vopd) {
    unsigned r;
    asm volatile("global_load_b32 v41, %1, off\n"  //!
        B("", "s_waitcnt vmcnt(0)\n") "v_dual_mov_b32 v40, v41 :: v_dual_mov_b32 v43, 0\n"
        "s_waitcnt vmcnt(0)\n"
        "v_mov_b32 %0, v40" : "=&v"(r) : "v"(in + T) : "v40","v41","v43");
    out[T] = r;
}

//@ w_exec_off : before a wait says
K(w_exec_off) {
    unsigned r = 5;
    asm volatile("s_mov_b32 s80, exec_lo\n"  //!
        "s_mov_b32 exec_lo, 0xffff\n"
        "global_load_b32 %0, %1, off\n"
        "s_mov_b32 exec_lo, s80\n"
        B("", "s_waitcnt vmcnt(0)\n") "v_add_nc_u32 %0, 1, %0\n"
        "s_waitcnt vmcnt(0)" : "+&v"(r) : "v"(in + T) : "s80");
    out[T] = r;
}

//@ w_readlane : before a wait says
K(w_readlane) {
    unsigned r, s;
    asm volatile("global_load_b32 %0, %2, off\n"  //!
        B("", "s_waitcnt vmcnt(0)\n") "v_readlane_b32 %1, %0, 3\n"
        "s_waitcnt vmcnt(0)" : "=&v"(r), "=&s"(s) : "v"(in + T));
    out[T] = s;
}

//@ w_d16hi : before a wait says
K(w_d16hi) {
    unsigned r = 0;
    asm volatile("global_load_d16_b16 %0, %1, off\n"  //!
        B("", "s_waitcnt vmcnt(0)\n") "v_lshlrev_b32 %0, 1, %0\n"
        "s_waitcnt vmcnt(0)" : "+&v"(r) : "v"(in + T));
    out[T] = r;
}

//@ w_scratch : before a wait says
K(w_scratch) {
    volatile unsigned a[4];
    a[in[T] & 3] = in[T];
    unsigned r;
    asm volatile("scratch_store_b32 off, %1, off\n"  //!
        "scratch_load_b32 %0, off, off\n"
        B("", "s_waitcnt vmcnt(0)\n") "v_add_nc_u32 %0, 1, %0\n"
        "s_waitcnt vmcnt(0)" : "=&v"(r) : "v"(n) : "memory");
    out[T] = r + a[0] * 0;
}

//@ w_barrier_lgkm block=64 lds=256 : no barrier and no atomic hand-over orders
K(w_barrier_lgkm) {
    unsigned r, p = T * 4, q = (T ^ 32) * 4, v = in[T];
    asm volatile("ds_store_b32 %1, %3\n"  //!
        B("", "s_waitcnt lgkmcnt(0)\n") "s_barrier\n"
        "ds_load_b32 %0, %2\n"
        "s_waitcnt lgkmcnt(0)" : "=&v"(r) : "v"(p), "v"(q), "v"(v) : "memory");
    out[T] = r;
}

//@ w_barrier_lgkm_war block=64 lds=256 : no barrier and no atomic hand-over orders
K(w_barrier_lgkm_war) {
    sh[T] = in[T];
    __syncthreads();
    unsigned r, p = T * 4, q = (T ^ 32) * 4, v = in[T + 1];
    asm volatile("ds_load_b32 %0, %2\n"  //!
        B("", "s_waitcnt lgkmcnt(0)\n") "s_barrier\n"
        "ds_store_b32 %1, %3\n"
        "s_waitcnt lgkmcnt(0)" : "=&v"(r) : "v"(p), "v"(q), "v"(v) : "memory");
    out[T] = r;
}

//@ w_release_vscnt block=32 grid=2 : nothing orders the two
K(w_release_vscnt) {
    if (blockIdx.x == 0) { unsigned* d = out + 64 + T; unsigned* f = out; unsigned one = 1, v = 9;
        asm volatile("global_store_b32 %0, %2, off\n"  //!
            B("", "s_waitcnt_vscnt null, 0x0\n")
            "global_atomic_or_b32 %1, %3, off" :: "v"(d), "v"(f), "v"(v), "v"(one) : "memory");
    }
    else {
        while (__hip_atomic_load(&out[0], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0) {
        }
        out[256 + T] = out[64 + T];
    }
}

//@ w_relaxed_flag block=32 grid=2 : nothing orders the two
K(w_relaxed_flag) {
    if (blockIdx.x == 0) {
        out[64 + T] = in[T];  //!
        __hip_atomic_store(&out[0], 1u, B(__ATOMIC_RELAXED, __ATOMIC_RELEASE), __HIP_MEMORY_SCOPE_AGENT);
    }
    else {
        while (__hip_atomic_load(&out[0], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0) {
        }
        out[256 + T] = out[64 + T];
    }
}

//@ w_store_data_war : clean
K(w_store_data_war) {
    unsigned v = in[T];
    asm volatile("global_store_b32 %1, %0, off\n v_mov_b32 %0, 5" : "+v"(v) : "v"(out + T) : "memory");
    out[T + 64] = v;
}
