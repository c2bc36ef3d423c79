// LDS: the port of a WGP, bank conflicts, and from a load to the use of its data. NAME runs 16 copies of its lines a
// round, NAME_twice 32 (see vector.hip). Lane by lane, addresses are `stride` bytes apart.
#define REGISTERS                                                                                                 \
    "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", \
        "v30", "v31", "memory"
#define ROUNDS(copies, lines)                                                        \
    for (int i = 0; i < rounds; ++i)                                                 \
    asm volatile("v_mov_b32 v30, %0\n.rept " #copies "\n" lines                      \
                 "\n.endr\n s_waitcnt lgkmcnt(0)" ::"v"((threadIdx.x & 31) * stride) \
                 : REGISTERS)
#define TIMED(name, lines)                                                         \
    extern "C" __global__ void name(int rounds, int stride) { ROUNDS(16, lines); } \
    extern "C" __global__ void name##_twice(int rounds, int stride) { ROUNDS(32, lines); }

// Four at a time are under way.
#define LOADS(width, a, b, c, d)                                                                                  \
    "ds_load_" width " " a ", v30\n ds_load_" width " " b ", v30\n ds_load_" width " " c ", v30\n ds_load_" width \
    " " d ", v30"
#define STORES(width, a, b, c, d)                                                                                     \
    "ds_store_" width " v30, " a "\n ds_store_" width " v30, " b "\n ds_store_" width " v30, " c "\n ds_store_" width \
    " v30, " d
#define OF_32 "v8", "v9", "v10", "v11"
#define OF_64 "v[8:9]", "v[10:11]", "v[12:13]", "v[14:15]"
#define OF_128 "v[8:11]", "v[12:15]", "v[16:19]", "v[20:23]"
#define EXPAND(macro, ...) macro(__VA_ARGS__)
TIMED(load_b32, EXPAND(LOADS, "b32", OF_32))
TIMED(load_b64, EXPAND(LOADS, "b64", OF_64))
TIMED(load_b128, EXPAND(LOADS, "b128", OF_128))
TIMED(store_b32, EXPAND(STORES, "b32", OF_32))
TIMED(store_b64, EXPAND(STORES, "b64", OF_64))
TIMED(store_b128, EXPAND(STORES, "b128", OF_128))

// One after the other: the wait counts, the data are not used.
TIMED(load_b32_wait, "ds_load_b32 v8, v30\n s_waitcnt lgkmcnt(0)")
TIMED(load_b128_wait, "ds_load_b128 v[8:11], v30\n s_waitcnt lgkmcnt(0)")
TIMED(store_b32_wait, "ds_store_b32 v30, v8\n s_waitcnt lgkmcnt(0)")
// What a load takes from a vector register written just before waits for the vector unit too.
TIMED(add_load_wait, "v_add_nc_u32 v31, 0, v30\n ds_load_b32 v8, v31\n s_waitcnt lgkmcnt(0)")
// An address that comes from LDS: the zero that is stored there first.
extern "C" __global__ void chase(int steps) {
    unsigned at = 0;
    asm volatile("ds_store_b32 %0, %0\n s_waitcnt lgkmcnt(0)" ::"v"(at) : "memory");
    for (int i = 0; i < steps; ++i)
        asm volatile(".rept 32\n ds_load_b32 %0, %0\n s_waitcnt lgkmcnt(0)\n.endr" : "+v"(at));
}
