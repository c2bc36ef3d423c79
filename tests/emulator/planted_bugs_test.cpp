// What the emulator finds in kernels: for each kind of finding one HIP kernel with exactly that bug, which is caught with its place and returned
// as HIP error, and the same kernel without it, which runs. Every kernel is `planted(out, in)`; BUG is 1 in the first and 0 in the second.
#include "emulator/hip_program.hpp"

#include <cstdlib>
#include <optional>

namespace {

using namespace hip_test;

constexpr std::size_t kWords = 1024;  // of `out` and of `in`, where word i is i

/// Undoes what a test changes for this thread.
struct Settings {
    ~Settings() {
        (void)hipemuSetStrictness("all");
        (void)hipemuSetInstructionLimit(0);
    }
};

struct Planted {
    const char* name;
    const char* source;
    hipError_t error;                  // that synchronising gives
    std::vector<const char*> said;     // all of it stands in the finding
    dim3 grid{1}, block{32};
    unsigned shared = 0;               // bytes of dynamic LDS
    bool unwritten_output = false;     // otherwise it is all zeros
    bool free_input = false;           // `in` is freed before the launch that has the bug
};

std::string last_fault() {
    char text[4096] = "";
    HIP_OK(hipemuLastFault(text, sizeof text));
    return text;
}

std::string last_warning(std::uint64_t* count = nullptr) {
    char text[4096] = "";
    HIP_OK(hipemuLastWarning(count, text, sizeof text));
    return text;
}

std::string compiled(const char* source, bool bug) {
    return compile(std::string("extern \"C\" __global__ void planted(unsigned* out, unsigned* in) {\n") + source + "\n}\n",
                   {"-O3", "-std=c++17", bug ? "-DBUG=1" : "-DBUG=0"});
}

/// What launching and waiting gives.
hipError_t run(const Planted& plant, bool bug) {
    const Module module(compiled(plant.source, bug));
    std::vector<unsigned> numbers(kWords);
    for (unsigned i = 0; i < kWords; ++i) numbers[i] = i;
    const Array<unsigned> out(kWords);
    if (!plant.unwritten_output) HIP_OK(hipMemset(out.get(), 0, kWords * 4));
    unsigned* in = nullptr;
    HIP_OK(hipMalloc(reinterpret_cast<void**>(&in), kWords * 4));
    HIP_OK(hipMemcpy(in, numbers.data(), kWords * 4, hipMemcpyHostToDevice));
    const bool gone = plant.free_input && bug;
    if (gone) HIP_OK(hipFree(in));
    HIP_OK(launch(module.kernel("planted"), plant.grid, plant.block, plant.shared, nullptr, out.get(), in));
    const hipError_t error = hipDeviceSynchronize();
    if (!gone) HIP_OK(hipFree(in));
    return error;
}

void check(const Planted& plant) {
    INFO(std::string(plant.name));
    const hipError_t caught = run(plant, true);
    const std::string finding = last_fault();
    INFO(finding);
    CHECK_EQ(std::string(hipGetErrorName(caught)), hipGetErrorName(plant.error));
    for (const char* part : plant.said) CHECK_MESSAGE(finding.find(part) != std::string::npos, std::string(part));
    CHECK_EQ(explanation(), "");  // freeing the input was fine, and the device goes on
    const hipError_t right = run(plant, false);
    CHECK_MESSAGE(right == hipSuccess, last_fault());
}

}  // namespace

TEST_CASE("planted: undefined bits are found where they matter") {
    // The LDS is dynamic: compilers know that nobody wrote to a static array, and make anything of it.
    for (const Planted& plant : {
             Planted{.name = "at a branch of the whole wave",
                     .source = R"(
    extern __shared__ unsigned shared[];
    if (!BUG) shared[0] = in[0];
    if (__builtin_amdgcn_readfirstlane(shared[0]) > 5) atomicAdd(out, 1u);)",
                     .error = hipErrorLaunchFailure,
                     .said = {"kernel planted, group (0,0,0), wave 0", "`s_cbranch_", "which decides this branch, comes from undefined bits"},
                     .shared = 4},
             Planted{.name = "at a branch lane by lane, which sets EXEC",
                     .source = R"(
    extern __shared__ unsigned shared[];
    if (!BUG || threadIdx.x != 37) shared[threadIdx.x] = in[threadIdx.x];
    if (shared[threadIdx.x] > 5) atomicAdd(&out[threadIdx.x], in[threadIdx.x + blockDim.x]);)",
                     .error = hipErrorLaunchFailure,
                     .said = {"kernel planted, group (0,0,0), wave 1, lane 5, at +0x", "v_cmp", "EXEC is set"},
                     .block = {64},
                     .shared = 256},
             Planted{.name = "in an address",
                     .source = R"(
    extern __shared__ unsigned shared[];
    if (!BUG || threadIdx.x != 9) shared[threadIdx.x] = in[threadIdx.x];
    out[shared[threadIdx.x] & 511] = 1;)",
                     .error = hipErrorLaunchFailure,
                     .said = {"kernel planted, group (0,0,0), wave 0, lane 9, at +0x", "`global_store_b32", "computed from undefined bits"},
                     .shared = 128},
             Planted{.name = "stored to global memory",
                     .source = R"(
    extern __shared__ unsigned shared[];
    if (!BUG || threadIdx.x != 9) shared[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = shared[threadIdx.x];)",
                     .error = hipErrorLaunchFailure,
                     .said = {"kernel planted, group (0,0,0), wave 0, lane 9, at +0x", "`global_store_b32", "undefined bits are stored to global memory"},
                     .shared = 128},
             Planted{.name = "in an atomic",
                     .source = R"(
    extern __shared__ unsigned shared[];
    if (!BUG || threadIdx.x != 9) shared[threadIdx.x] = in[threadIdx.x];
    atomicXor(&out[threadIdx.x], shared[threadIdx.x]);)",
                     .error = hipErrorLaunchFailure,
                     .said = {"kernel planted, group (0,0,0), wave 0, lane 9, at +0x", "`global_atomic_xor_b32", "takes undefined bits"},
                     .shared = 128},
             Planted{.name = "in memory that was never written",
                     .source = R"(
    if (!BUG) out[512 + threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = out[512 + threadIdx.x] + 1;)",
                     .error = hipErrorLaunchFailure,
                     .said = {"wave 0, lane 0, at +0x", "`global_store_b32", "undefined bits are stored to global memory"},
                     .unwritten_output = true},
         })
        check(plant);
}

TEST_CASE("planted: results used before their wait") {
    for (const Planted& plant : {
             Planted{.name = "global memory",
                     .source = R"(
    unsigned value;
    asm volatile("global_load_b32 %0, %1, off\n"
#if !BUG
                 "s_waitcnt vmcnt(0)\n"
#endif
                 "v_add_nc_u32 %0, %0, 1" : "=&v"(value) : "v"(in + threadIdx.x));
    out[threadIdx.x] = value;)",
                     .error = hipErrorLaunchFailure,
                     .said = {"kernel planted, group (0,0,0), wave 0, at +0x", "`v_add_nc_u32", "before a wait says that the load which fills it is done"}},
             Planted{.name = "LDS, behind a wait for the other counter",
                     .source = R"(
    extern __shared__ unsigned shared[];
    shared[threadIdx.x] = in[threadIdx.x];
    unsigned value;
    asm volatile("ds_load_b32 %0, %1\n"
#if BUG
                 "s_waitcnt vmcnt(0)\n"
#else
                 "s_waitcnt lgkmcnt(0)\n"
#endif
                 "v_add_nc_u32 %0, %0, 1" : "=&v"(value) : "v"(threadIdx.x * 4) : "memory");
    out[threadIdx.x] = value;)",
                     .error = hipErrorLaunchFailure,
                     .said = {"kernel planted, group (0,0,0), wave 0, at +0x", "`v_add_nc_u32", "before a wait"},
                     .shared = 128},
             Planted{.name = "a scalar load",
                     .source = R"source(
    unsigned value;
    asm volatile("s_load_b32 %0, %1, 0x10\n"
#if !BUG
                 "s_waitcnt lgkmcnt(0)\n"
#endif
                 "s_add_i32 %0, %0, 1" : "=&s"(value) : "s"(in) : "scc");
    out[threadIdx.x] = value;)source",
                     .error = hipErrorLaunchFailure,
                     .said = {"kernel planted, group (0,0,0), wave 0, at +0x", "`s_add_i32", "before a wait"}},
         })
        check(plant);
}

TEST_CASE("planted: accesses outside of memory") {
    for (const Planted& plant : {
             Planted{.name = "before the start",
                     .source = "out[(int)threadIdx.x - (BUG ? 2 : 0)] = 1;",
                     .error = hipErrorIllegalAddress,
                     .said = {"kernel planted, group (0,0,0), wave 0, lane 0, at +0x", "`global_store_b32", "writes 4 bytes at 0x",
                              "8 bytes before the start of hipMalloc #"}},
             Planted{.name = "past the end",
                     .source = "out[blockIdx.x * 512 + threadIdx.x + BUG] = 1;",
                     .error = hipErrorIllegalAddress,
                     .said = {"kernel planted, group (1,0,0), wave 15, lane 31, at +0x", "`global_store_b32", "0 bytes past the end of hipMalloc #"},
                     .grid = {2},
                     .block = {512}},
             Planted{.name = "far past the end, in the guard zone",
                     .source = "out[threadIdx.x] = in[threadIdx.x + (BUG ? 5000 : 0)];",
                     .error = hipErrorIllegalAddress,
                     .said = {"kernel planted, group (0,0,0), wave 0, lane 0, at +0x", "`global_load_b32", "reads 4 bytes at 0x", "hipMalloc #"}},
             Planted{.name = "after free",
                     .source = "out[threadIdx.x] = in[threadIdx.x];",
                     .error = hipErrorIllegalAddress,
                     .said = {"kernel planted, group (0,0,0), wave 0, lane 0, at +0x", "`global_load_b32", "byte 0 of hipMalloc #", "which was freed"},
                     .free_input = true},
             Planted{.name = "a null pointer",
                     .source = "if (BUG) in = nullptr; out[threadIdx.x] = ((volatile unsigned*)in)[threadIdx.x];",
                     .error = hipErrorIllegalAddress,
                     .said = {"kernel planted, group (0,0,0), wave 0", "a null pointer or an offset from one"}},
             Planted{.name = "LDS beyond the work-group's",
                     .source = R"(
    extern __shared__ unsigned shared[];
    shared[threadIdx.x + BUG] = in[threadIdx.x];
    out[threadIdx.x] = shared[threadIdx.x + BUG];)",
                     .error = hipErrorLaunchFailure,
                     .said = {"kernel planted, group (0,0,0), wave 0, lane 31, at +0x", "`ds_store_b32", "at byte 128 of LDS, but the work-group has 128 bytes"},
                     .shared = 128},
             Planted{.name = "misaligned",
                     .source = "out[threadIdx.x] = *(unsigned*)((char*)in + 4 * threadIdx.x + (threadIdx.x == 7 && BUG ? 2 : 0));",
                     .error = hipErrorLaunchFailure,
                     .said = {"kernel planted, group (0,0,0), wave 0, lane 7, at +0x", "`global_load_b32", "accesses 4 bytes at 0x", "which is no multiple of 4"}},
             Planted{.name = "a misaligned store of a sum",
                     .source = "*(float*)((char*)out + 4 * threadIdx.x + (threadIdx.x == 7 && BUG ? 1 : 0)) = in[threadIdx.x] * 2.5f;",
                     .error = hipErrorLaunchFailure,
                     .said = {"kernel planted, group (0,0,0), wave 0, lane 7, at +0x", "`global_store_b32", "accesses 4 bytes at 0x", "which is no multiple of 4"}},
             Planted{.name = "misaligned and wide: elements of 16 bits are where a multiple of 2 is",
                     .source = R"(
    typedef unsigned short Short8 __attribute__((ext_vector_type(8), aligned(2)));
    const Short8 value = *(Short8*)((char*)in + 16 * threadIdx.x + 2 + (threadIdx.x == 3 && BUG ? 1 : 0));
    out[threadIdx.x] = value[0] + value[1] + value[2] + value[3] + value[4] + value[5] + value[6] + value[7];)",
                     .error = hipErrorLaunchFailure,
                     .said = {"kernel planted, group (0,0,0), wave 0, lane 3, at +0x", "`global_load_b128", "which is no multiple of 2"}},
             Planted{.name = "misaligned in LDS",
                     .source = R"(
    extern __shared__ unsigned char bytes[];
    *(unsigned*)(bytes + 4 * threadIdx.x + BUG) = in[threadIdx.x];
    out[threadIdx.x] = *(unsigned*)(bytes + 4 * threadIdx.x + BUG);)",
                     .error = hipErrorLaunchFailure,
                     .said = {"kernel planted, group (0,0,0), wave 0, lane 0, at +0x", "`ds_store_b32", "accesses 4 bytes at byte 1 of LDS, which is no multiple of 4"},
                     .shared = 256},
             Planted{.name = "a misaligned scalar load",
                     .source = R"source(
    unsigned value;
    asm volatile("s_load_b32 %0, %1, 0x0\ns_waitcnt lgkmcnt(0)" : "=s"(value) : "s"((char*)in + 4 + BUG * 2));
    out[threadIdx.x] = value;)source",
                     .error = hipErrorLaunchFailure,
                     .said = {"kernel planted, group (0,0,0), wave 0, at +0x", "`s_load_b32", "is no multiple of 4: the hardware ignores the low bits"}},
             Planted{.name = "a misaligned atomic",
                     .source = "atomicAdd((unsigned*)((char*)in + 8 * threadIdx.x + (threadIdx.x == 7 && BUG ? 2 : 0)), 1u);",
                     .error = hipErrorLaunchFailure,
                     .said = {"kernel planted, group (0,0,0), wave 0, lane 7, at +0x", "`global_atomic_add_u32", "not a multiple"}},
             Planted{.name = "a misaligned atomic in LDS",
                     .source = R"(
    extern __shared__ unsigned shared[];
    shared[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    atomicAdd((unsigned*)((char*)shared + 4 * (threadIdx.x / 2) + BUG), 1u);
    __syncthreads();
    out[threadIdx.x] = shared[threadIdx.x];)",
                     .error = hipErrorLaunchFailure,
                     .said = {"kernel planted, group (0,0,0), wave 0, lane 0, at +0x", "`ds_add_u32"},
                     .shared = 128},
         })
        check(plant);
}

TEST_CASE("planted: matrix operands whose halves differ") {
    check({.name = "A",
           .source = R"(
    typedef _Float16 Half16 __attribute__((ext_vector_type(16)));
    typedef float Float8 __attribute__((ext_vector_type(8)));
    const unsigned lane = BUG ? threadIdx.x : threadIdx.x % 16;
    Half16 a, b;
    for (int i = 0; i < 16; ++i) {
        a[i] = (_Float16)(float)(in[lane] + i);
        b[i] = (_Float16)(float)i;
    }
    Float8 c = {};
    c = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c);
    out[threadIdx.x] = (unsigned)c[0];)",
           .error = hipErrorLaunchFailure,
           .said = {"kernel planted, group (0,0,0), wave 0, lane 0, at +0x", "`v_wmma_f32_16x16x16_f16", "of operand A holds", "lane 16; the two must be equal"}});
}

TEST_CASE("planted: instructions too close behind each other") {
    for (const Planted& plant : {
             Planted{.name = "a matrix result as A of the next",
                     .source = R"(
    asm volatile("v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[8:15], v[0:7]\n"
#if !BUG
                 "v_nop\n"
#endif
                 "v_wmma_f32_16x16x16_f16 v[16:23], v[0:7], v[8:15], v[16:23]" ::: "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18",
                 "v19", "v20", "v21", "v22", "v23");
    if (threadIdx.y == 1) out[0] = 1;)",
                     .error = hipErrorLaunchFailure,
                     .said = {"kernel planted, group (0,0,0), wave 0, at +0x", "`v_wmma_f32_16x16x16_f16 v[16:23]", "reads A or B from the result of `v_wmma"}},
             Planted{.name = "a transcendental result used at once",
                     .source = R"(
    float value = (float)in[threadIdx.x];
    asm volatile("v_exp_f32 %0, %0\n"
#if !BUG
                 "s_waitcnt_depctr 0xfff\n"
#endif
                 "v_add_f32 %0, %0, 1.0" : "+v"(value));
    out[threadIdx.x] = value > 1;)",
                     .error = hipErrorLaunchFailure,
                     .said = {"kernel planted, group (0,0,0), wave 0, at +0x", "`v_add_f32", "reads the result of `v_exp_f32", "s_waitcnt_depctr"}},
             Planted{.name = "lanes exchanged right after v_cmpx",
                     .source = R"(
    unsigned value = in[threadIdx.x], saved;
    asm volatile("s_mov_b32 %1, exec_lo\n"
                 "v_cmpx_ne_u32 0, %0\n"
#if !BUG
                 "v_mov_b32 %0, %0\n"
#endif
                 "v_permlanex16_b32 %0, %0, 0, 0\n"
                 "s_mov_b32 exec_lo, %1" : "+v"(value), "=&s"(saved));
    out[threadIdx.x] = value;)",
                     .error = hipErrorLaunchFailure,
                     .said = {"kernel planted, group (0,0,0), wave 0, at +0x", "`v_permlanex16_b32", "follows `v_cmpx_ne_u32"}},
             Planted{.name = "a multiply-add that writes what it reads",
                     .source = R"(
    unsigned long long sum = in[threadIdx.x];
#if BUG
    asm volatile("v_mad_u64_u32 %0, null, %1, %1, %0" : "+v"(sum) : "v"(in[threadIdx.x]));
#else
    unsigned long long result;
    asm volatile("v_mad_u64_u32 %0, null, %1, %1, %2" : "=&v"(result) : "v"(in[threadIdx.x]), "v"(sum));
    sum = result;
#endif
    out[threadIdx.x] = (unsigned)sum;)",
                     .error = hipErrorLaunchFailure,
                     .said = {"kernel planted, group (0,0,0), wave 0, at +0x", "`v_mad_u64_u32", "writes a register that it reads"}},
         })
        check(plant);
}

TEST_CASE("planted: a kernel that does not end") {
    const Settings settings;
    HIP_OK(hipemuSetInstructionLimit(1000000));
    check({.name = "one wave loops, the other waits for it",
           .source = R"(
    if (threadIdx.x < 32)
        while (((volatile unsigned*)in)[BUG ? 0 : 1] == 0) {}
    __syncthreads();
    out[threadIdx.x] = 1;)",
           .error = hipErrorLaunchTimeOut,
           .said = {"kernel planted, group (0,0,0), wave 0", "it does not seem to end", "waiting for it at a barrier: wave 1"},
           .block = {64}});
}

TEST_CASE("planted: barriers that not all reach are warned of, once a place") {
    struct Warned {
        const char* name;
        const char* source;
        const char* said;
    };
    for (const Warned& warned : {
             Warned{"lanes that have left", "out += blockIdx.x * 128; if (threadIdx.x < BUG * 5) return; out[threadIdx.x] = 1; __syncthreads(); out[threadIdx.x] = 2;",
                    "wave 0, lane 0, at +0x"},
             Warned{"waves that have left", "out += blockIdx.x * 128; if (threadIdx.x < BUG * 32) return; out[threadIdx.x] = 1; __syncthreads(); out[threadIdx.x] = 2;",
                    "waits at a barrier that wave 0 never reached: it ended before it"},
         }) {
        INFO(std::string(warned.name));
        std::uint64_t before = 0, after = 0;
        last_warning(&before);
        for (const bool bug : {false, true, true}) {
            const Module module(compiled(warned.source, bug));
            const Array<unsigned> out(kWords);
            HIP_OK(launch(module.kernel("planted"), {4}, {128}, 0, nullptr, out.get(), out.get()));
            HIP_OK(hipDeviceSynchronize());
            const std::string said = last_warning(&after);
            if (!bug) CHECK_EQ(after, before);
            else CHECK_MESSAGE(said.find(warned.said) != std::string::npos, said);
        }
        CHECK_EQ(after, before + 1);
        const std::string said = last_warning();
        CHECK_MESSAGE(said.find("kernel planted, group (0,0,0)") != std::string::npos, said);
        CHECK_MESSAGE(said.find("`s_barrier`") != std::string::npos, said);
    }
}

TEST_CASE("words that the compiler gathers from bytes and halves may lie anywhere") {
    const struct {
        const char* name;
        const char* source;
    } cases[] = {
        {"bytes stored one by one", R"(
    unsigned char* const bytes = (unsigned char*)out + 7 * threadIdx.x;
    const unsigned value = in[threadIdx.x];
    bytes[0] = value + 1, bytes[1] = value * 3, bytes[2] = value ^ 5, bytes[3] = value >> 1;)"},
        {"bytes loaded one by one", R"(
    const unsigned char* const bytes = (const unsigned char*)in + 7 * threadIdx.x;
    out[threadIdx.x] = bytes[0] * 3u + bytes[1] * 5u + bytes[2] * 7u + bytes[3] * 11u;)"},
        {"halves loaded one by one", R"(
    const _Float16* const halves = (const _Float16*)in + 3 * threadIdx.x;
    out[threadIdx.x] = (unsigned)(float)(halves[0] * halves[1] + halves[2]);)"},
        {"halves loaded as one word that a scalar takes apart", R"source(
    unsigned word;
    asm volatile("global_load_b32 %0, %1, off offset:2\ns_waitcnt vmcnt(0)" : "=v"(word) : "v"(in) : "memory");
    const unsigned both = __builtin_amdgcn_readfirstlane(word);
    out[threadIdx.x] = (both & 0xffff) * (both >> 16);)source"},
        {"halves stored one by one", R"(
    _Float16* const halves = (_Float16*)out + 3 * threadIdx.x;
    const float value = in[threadIdx.x];
    halves[0] = value, halves[1] = value * 2, halves[2] = value + 1;)"},
        {"halves that a scalar instruction takes out of a loaded word", R"source(
    unsigned word, field;
    asm volatile("global_load_b32 %0, %1, off offset:2\ns_waitcnt vmcnt(0)" : "=v"(word) : "v"(in) : "memory");
    asm volatile("s_bfe_u32 %0, %1, 0x80008" : "=s"(field) : "s"(__builtin_amdgcn_readfirstlane(word)) : "scc");
    out[threadIdx.x] = field;)source"},
        {"constants side by side", R"source(
    asm volatile("v_mov_b32 v9, 0x30002\nglobal_store_b32 %0, v9, off" : : "v"((char*)out + 6 * threadIdx.x + 2) : "v9", "memory");)source"},
        {"a struct's hole filled with zeros", R"(
    struct Odd { unsigned char first; unsigned second; unsigned short third; };
    __shared__ Odd all[32];
    Odd one = {};
    one.first = threadIdx.x, one.second = in[threadIdx.x], one.third = 3;
    all[threadIdx.x] = one;
    __syncthreads();
    ((Odd*)out)[threadIdx.x] = all[31 - threadIdx.x];)"},
        {"bools summed up", R"(
    __shared__ bool flags[64];
    flags[threadIdx.x] = in[threadIdx.x], flags[32 + threadIdx.x] = in[threadIdx.x] > 1;
    __syncthreads();
    unsigned count = 0;
    for (int i = 0; i < 64; ++i) count += flags[i];
    out[threadIdx.x] = count;)"},
        {"bytes through LDS", R"(
    extern __shared__ unsigned char bytes[];
    unsigned char* const own = bytes + 5 * threadIdx.x;
    own[0] = in[threadIdx.x], own[1] = 2, own[2] = in[threadIdx.x] >> 3, own[3] = 9;
    __syncthreads();
    unsigned char* const next = bytes + 5 * (threadIdx.x ^ 1);
    out[threadIdx.x] = next[0] + 3u * next[1] + 5u * next[2] + 7u * next[3];)"},
    };
    for (const auto& one : cases) {
        INFO(std::string(one.name));
        const Module module(compiled(one.source, false));
        const Array<unsigned> out(kWords), in(std::vector<unsigned>(kWords, 1));
        HIP_OK(launch(module.kernel("planted"), {1}, {32}, 256, nullptr, out.get(), in.get()));
        HIP_OK(hipDeviceSynchronize());
    }
}

TEST_CASE("planted: launches beyond the device's limits") {
    const Module module(compile(R"(
extern "C" __global__ void any(unsigned* out) { extern __shared__ unsigned shared[]; if (threadIdx.x == 5000) out[0] = shared[0]; }
extern "C" __global__ __launch_bounds__(64) void bounded(unsigned* out) { if (threadIdx.x == 5000) out[0] = 1; }
extern "C" __global__ void with_array(unsigned* out) {
    __shared__ unsigned shared[1024];
    extern __shared__ unsigned more[];
    shared[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (shared[(threadIdx.x + 1) % 32] == 5000) out[0] = more[0];
}
extern "C" __global__ void many_registers(unsigned*) { asm volatile("v_mov_b32 v255, 0" ::: "v255"); }
)"));
    struct Shape {
        const char* kernel;
        dim3 grid, block;
        unsigned shared;
        hipError_t error;
        const char* said;
    };
    const Array<unsigned> out(1);
    for (const Shape& shape : {
             Shape{"any", {0}, {32}, 4, hipErrorInvalidConfiguration, "dimension x of the grid or block is 0"},
             Shape{"any", {1}, {32, 0}, 4, hipErrorInvalidConfiguration, "dimension y of the grid or block is 0"},
             Shape{"any", {1}, {1025}, 4, hipErrorInvalidConfiguration, "a block of 1025 threads; 1024 at most (the device's limit)"},
             Shape{"any", {1}, {1, 1, 1025}, 4, hipErrorInvalidConfiguration, "1024 at most (the device's limit)"},
             Shape{"any", {1}, {32, 33}, 4, hipErrorInvalidConfiguration, "a block of 1056 threads"},
             Shape{"any", {1u << 22}, {1024}, 4, hipErrorInvalidConfiguration, "are more than 2^32-1 threads"},
             Shape{"any", {1, 65537}, {32}, 4, hipErrorInvalidValue, "65537 blocks in dimension y; 65536 at most"},
             Shape{"any", {1, 1, 65537}, {32}, 4, hipErrorInvalidValue, "65537 blocks in dimension z; 65536 at most"},
             Shape{"any", {1}, {32}, 65537, hipErrorLaunchOutOfResources, "0 + 65537 bytes of LDS; the device has 65536 for a group"},
             Shape{"with_array", {1}, {32}, 61441, hipErrorLaunchOutOfResources, "4096 + 61441 bytes of LDS"},
             Shape{"bounded", {1}, {65}, 0, hipErrorLaunchFailure, "a block of 65 threads; 64 at most (its launch bounds)"},
             Shape{"many_registers", {1}, {1024}, 0, hipErrorLaunchOutOfResources, "1024 threads of 256 vector registers each"},
             Shape{"any", {1}, {1024}, 65536, hipSuccess, ""},
             Shape{"any", {1}, {1, 1, 1024}, 4, hipSuccess, ""},
             Shape{"with_array", {1}, {32}, 61440, hipSuccess, ""},
             Shape{"bounded", {1}, {64}, 0, hipSuccess, ""},
             Shape{"many_registers", {1}, {512}, 0, hipSuccess, ""},
         }) {
        const hipError_t error = launch(module.kernel(shape.kernel), shape.grid, shape.block, shape.shared, nullptr, out.get());
        const std::string why = explanation();
        INFO(std::string(shape.kernel), ": ", std::string(shape.said), ": ", why);
        CHECK_EQ(std::string(hipGetErrorName(error)), hipGetErrorName(shape.error));
        if (shape.error != hipSuccess) CHECK(why.find(std::string("kernel ") + shape.kernel + ": ") == 0);
        CHECK(why.find(shape.said) != std::string::npos);
        HIP_OK(hipDeviceSynchronize());
    }
}

TEST_CASE("checks are switched off and on by name") {
    const Settings settings;
    const Planted stored{.name = "an undefined store",
                         .source = "extern __shared__ unsigned shared[]; out[threadIdx.x] = shared[threadIdx.x];",
                         .error = hipErrorLaunchFailure,
                         .said = {},
                         .shared = 128};
    const Planted odd{.name = "a misaligned scalar load",
                      .source = R"source(
    unsigned value;
    asm volatile("s_load_b32 %0, %1, 0x0\ns_waitcnt lgkmcnt(0)" : "=s"(value) : "s"((char*)in + 6));
    out[threadIdx.x] = value;)source",
                      .error = hipErrorLaunchFailure,
                      .said = {},
                      .block = {16}};
    CHECK_EQ(run(stored, true), hipErrorLaunchFailure);
    CHECK_EQ(run(odd, true), hipErrorLaunchFailure);
    HIP_OK(hipemuSetStrictness("-undefined"));
    CHECK_EQ(run(stored, true), hipSuccess);
    CHECK_EQ(run(odd, true), hipErrorLaunchFailure);
    HIP_OK(hipemuSetStrictness("undefined,waits"));
    CHECK_EQ(run(stored, true), hipErrorLaunchFailure);
    CHECK_EQ(run(odd, true), hipSuccess);
    HIP_OK(hipemuSetStrictness("none"));
    CHECK_EQ(run(stored, true), hipSuccess);
    CHECK_EQ(run(odd, true), hipSuccess);
    HIP_FAILS(hipemuSetStrictness("misalinged"), hipErrorInvalidValue);
    CHECK(explanation().find("`misalinged` is no check of the emulator") == 0);
    CHECK_EQ(run(odd, true), hipSuccess);  // nothing changed
    HIP_OK(hipemuSetStrictness("all"));
    CHECK_EQ(run(odd, true), hipErrorLaunchFailure);
    (void)hipGetLastError();
}

TEST_CASE("checks and the instruction limit come from the environment") {
    if (std::getenv("HIPEMU_STRICT")) return;  // the inner process
    const auto inner = [](const std::string& environment, const std::string& test) {
        return output_of("HIPEMU_QUIET=0 " + environment + " " FLASHWAVE_BUILD_DIR "/bin/planted_tests -tc='" + test + "' --no-skip 2>&1; echo status $?");
    };
    const std::string accesses = "planted: accesses outside of memory", hang = "inner: a loop of a million instructions";
    CHECK(inner("HIPEMU_STRICT=all", accesses).find("status 0") != std::string::npos);
    CHECK(inner("HIPEMU_STRICT=waits", accesses).find("status 0") == std::string::npos);  // misaligned accesses are let through
    const std::string unknown = inner("HIPEMU_STRICT=wait", accesses);
    CHECK_MESSAGE(unknown.find("hipemu: HIPEMU_STRICT=wait: `wait` is no check of the emulator; write all, none, or a list of undefined") != std::string::npos,
                  unknown);
    CHECK(unknown.find("status 0") != std::string::npos);
    CHECK(inner("HIPEMU_STRICT=all", hang).find("status 0") != std::string::npos);
    CHECK(inner("HIPEMU_STRICT=all HIPEMU_INSTRUCTION_LIMIT=100000", hang).find("more than the limit") != std::string::npos);
}

TEST_CASE("inner: a loop of a million instructions" * doctest::skip()) {
    CHECK_EQ(run({.name = "", .source = "unsigned x = 1; for (int i = 0; i < 1000000; ++i) asm volatile(\"v_mov_b32 %0, %0\" : \"+v\"(x)); out[threadIdx.x] = x;", .error = hipSuccess, .said = {}}, false),
             hipSuccess);
}
