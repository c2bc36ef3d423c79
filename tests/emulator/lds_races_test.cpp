// Races between the waves of a work-group: every bug beside its corrected twin, and the patterns that look like one and are none.
#include "emulator/hip_program.hpp"

namespace {

using namespace hip_test;

/// What the emulator says of a kernel `race(int* out)` with the given body, run by one group; empty: nothing.
std::string finding(const std::string& body, unsigned threads = 128, const std::string& before = "") {
    const Module module(compile(before + "extern \"C\" __global__ void race(int* out) {\n" + body + "\n}"));
    const Array<int> out(std::vector<int>(1024, 1));
    HIP_OK(launch(module.kernel("race"), {1}, {threads}, 0, nullptr, out.get()));
    return hipDeviceSynchronize() == hipSuccess ? "" : explanation();
}

void check_race(const std::string& text) {
    INFO(text);
    CHECK(text.find("of LDS, which wave ") != std::string::npos);
    CHECK(text.find("no barrier and no atomic hand-over orders the two") != std::string::npos);
}

constexpr const char* kAtomics = R"(
#define WORKGROUP __HIP_MEMORY_SCOPE_WORKGROUP
__device__ int load(int* p) { return __hip_atomic_load(p, __ATOMIC_ACQUIRE, WORKGROUP); }
__device__ void store(int* p, int value) { __hip_atomic_store(p, value, __ATOMIC_RELEASE, WORKGROUP); }
__device__ int add(int* p, int value) { return __hip_atomic_fetch_add(p, value, __ATOMIC_ACQ_REL, WORKGROUP); }
)";

}  // namespace

TEST_CASE("a load that no barrier orders behind another wave's store is found, with both instructions") {
    const std::string text = finding(R"(
        __shared__ int lds[128];
        lds[threadIdx.x] = threadIdx.x;
        out[threadIdx.x] = lds[127 - threadIdx.x];)");
    check_race(text);
    CHECK(text.find("`ds_load_b32") != std::string::npos);
    CHECK(text.find("with `ds_store_b32") != std::string::npos);
    CHECK(text.find("lane ") != std::string::npos);
    CHECK(finding(R"(
        __shared__ int lds[128];
        lds[threadIdx.x] = threadIdx.x;
        __syncthreads();
        out[threadIdx.x] = lds[127 - threadIdx.x];)") == "");
}

TEST_CASE("a store that overwrites what another wave may still read is found") {
    const auto body = [](const char* second_barrier) {
        return std::string(R"(
        __shared__ int lds[128];
        int sum = 0;
        for (int i = 0; i < 4; ++i) {
            lds[threadIdx.x] = i + threadIdx.x;
            __syncthreads();
            sum += lds[127 - threadIdx.x];)") + second_barrier + "}\nout[threadIdx.x] = sum;";
    };
    check_race(finding(body("")));
    CHECK(finding(body("__syncthreads();")) == "");
}

TEST_CASE("two waves that store to one byte are found if what they store differs") {
    check_race(finding("__shared__ volatile int lds[2]; lds[0] = threadIdx.x / 32; __syncthreads(); out[threadIdx.x] = lds[0];"));
    CHECK(finding("__shared__ volatile int lds[2]; lds[0] = 7; __syncthreads(); out[threadIdx.x] = lds[0];") == "");
    CHECK(finding("__shared__ volatile int lds[2]; if (threadIdx.x < 32) lds[0] = 7; __syncthreads(); out[threadIdx.x] = lds[0];") == "");
}

TEST_CASE("waves that store what all of them have computed do not race, but with one that stores something else, or reads") {
    // As Triton lays out tiles that are smaller than the work-group: every wave holds the whole row, and stores it, in every width.
    const auto body = [](const char* change, const char* early) {
        return std::string(R"(
        __shared__ __attribute__((aligned(16))) int words[128];
        __shared__ unsigned char bytes[32];
        __shared__ unsigned short halves[32];
        const unsigned lane = threadIdx.x % 32, wave = threadIdx.x / 32;
        int4 row = make_int4(lane, 2 * lane, 3 * lane, 4 * lane);
        unsigned char byte = 5 * lane;
        unsigned short half = 1000 * lane;
        )") + change + R"(
        reinterpret_cast<int4*>(words)[lane] = row;
        *(volatile unsigned char*)(bytes + lane) = byte;
        *(volatile unsigned short*)(halves + lane) = half;)" + early + R"(
        __syncthreads();
        out[threadIdx.x] = words[threadIdx.x] + bytes[lane ^ 1] + halves[lane ^ 1];)";
    };
    CHECK(finding(body("", "")) == "");
    check_race(finding(body("if (wave == 3 && lane == 17) row.z = 0;", "")));
    check_race(finding(body("if (wave == 1 && lane == 2) byte = 0;", "")));
    check_race(finding(body("if (wave == 0 && lane == 31) half ^= 0x100;", "")));
    check_race(finding(body("", "if (wave == 2) out[512 + lane] = bytes[31 - lane];")));
}

TEST_CASE("a wave that stores first what others store and then something else is found, and one that repeats itself is not") {
    const auto body = [](const char* again) {
        return std::string("__shared__ volatile int lds[32]; lds[threadIdx.x % 32] = 7;") + again + "__syncthreads(); out[threadIdx.x] = lds[0];";
    };
    check_race(finding(body("if (threadIdx.x < 32) lds[threadIdx.x] = 8;")));
    CHECK(finding(body("if (threadIdx.x < 32) lds[threadIdx.x] = 7;")) == "");
}

TEST_CASE("stores of bits that nobody defined are not equal") {
    const auto body = [](const char* define) {
        return std::string(R"source(
        __shared__ int lds[32];
        const unsigned to = 4 * (threadIdx.x % 32);
        asm volatile(")source") + define + R"source(ds_store_b32 %0, v200\ns_waitcnt lgkmcnt(0)" : : "v"(to), "v"(lds) : "memory", "v200");
        __syncthreads();
        if (out == nullptr) out[0] = lds[threadIdx.x % 32];)source";
    };
    check_race(finding(body("")));
    CHECK(finding(body("v_mov_b32 v200, 5\\n")) == "");
}

TEST_CASE("only the bits that a narrow store takes need be defined") {
    const auto body = [](const char* store) {
        return std::string(R"source(
        __shared__ short lds[64];
        const unsigned to = 4 * (threadIdx.x % 32);
        asm volatile("v_mov_b16 v200.l, 5\n)source") + store + R"source( %0, v200\ns_waitcnt lgkmcnt(0)" : : "v"(to), "v"(lds) : "memory", "v200");
        __syncthreads();
        if (out == nullptr) out[0] = lds[threadIdx.x % 32];)source";
    };
    CHECK(finding(body("ds_store_b16")) == "");
    check_race(finding(body("ds_store_b16_d16_hi")));
}

TEST_CASE("equal stores among hand-overs are none, and different ones are found") {
    const auto body = [](const char* value) {
        return std::string(R"(
        __shared__ int count;
        __shared__ volatile int lds[2];
        if (threadIdx.x == 0) count = 0;
        __syncthreads();
        lds[0] = )") + value + R"(;
        if (threadIdx.x % 32 == 0 && add(&count, 1) == 3) out[0] = lds[0];)";
    };
    CHECK(finding(body("7"), 128, kAtomics) == "");
    check_race(finding(body("threadIdx.x / 32"), 128, kAtomics));
}

TEST_CASE("neighbouring bytes of one word belong to two waves each") {
    CHECK(finding(R"(
        __shared__ volatile unsigned char lds[128];
        const unsigned place = threadIdx.x % 32 * 4 + threadIdx.x / 32;
        lds[place] = threadIdx.x;
        out[threadIdx.x] = lds[place];)") == "");
    check_race(finding(R"(
        __shared__ volatile unsigned char lds[128];
        const unsigned place = threadIdx.x % 32 * 4 + threadIdx.x / 64;
        lds[place] = threadIdx.x;
        out[threadIdx.x] = lds[place];)"));
}

TEST_CASE("what every wave reads and a wave's own part are no races") {
    CHECK(finding(R"(
        __shared__ int lds[128];
        lds[threadIdx.x] = threadIdx.x;
        __syncthreads();
        int sum = 0;
        for (int i = 0; i < 128; ++i) sum += lds[i];
        out[threadIdx.x] = sum;)") == "");
    CHECK(finding(R"(
        __shared__ int lds[128];
        lds[threadIdx.x] = threadIdx.x;
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
        out[threadIdx.x] = lds[threadIdx.x ^ 31];)") == "");
}

TEST_CASE("one wave alone is always in order") {
    CHECK(finding("__shared__ int lds[32]; lds[threadIdx.x] = threadIdx.x; out[threadIdx.x] = lds[31 - threadIdx.x];", 32) == "");
}

TEST_CASE("wide accesses and those of two addresses are seen whole") {
    // The last wave's 16 bytes begin 4 before the end of what wave 2 has stored.
    const auto body = [](int first) {
        return "__shared__ __attribute__((aligned(16))) int lds[1024];\nint4* wide = reinterpret_cast<int4*>(lds);\n"
               "if (threadIdx.x < 32) wide[threadIdx.x] = make_int4(1, 2, 3, 4);\n"
               "if (threadIdx.x >= 96) { lds[" + std::to_string(first) + " + threadIdx.x] = 1; lds[" + std::to_string(first) +
               " + 256 + threadIdx.x] = 1; }\n__syncthreads();\nout[threadIdx.x] = lds[threadIdx.x];";
    };
    check_race(finding(body(127 - 96)));   // int 127 is the last of lane 31
    CHECK(finding(body(128 - 96)) == "");
    check_race(finding(R"(
        __shared__ int lds[512];
        if (threadIdx.x == 0) { lds[0] = 1; lds[200] = 2; }
        if (threadIdx.x == 32) lds[200] = 3;
        __syncthreads();
        out[threadIdx.x] = lds[0] + lds[200];)"));
}

TEST_CASE("atomics do not race with each other, but with stores that nothing orders") {
    const auto body = [](const char* barrier) {
        return std::string(R"(
        __shared__ int bins[8];
        if (threadIdx.x < 8) bins[threadIdx.x] = 0;)") + barrier + R"(
        atomicAdd(&bins[threadIdx.x % 8], 1);
        __syncthreads();
        out[threadIdx.x] = bins[threadIdx.x % 8];)";
    };
    CHECK(finding(body("__syncthreads();")) == "");
    check_race(finding(body("")));
}

TEST_CASE("a counter that returns what it found does not hide that nobody waited for its first value") {
    const auto body = [](const char* barrier) {
        return std::string("__shared__ int count; if (threadIdx.x == 0) count = 0;") + barrier + "out[atomicAdd(&count, 1)] = threadIdx.x;";
    };
    CHECK(finding(body("__syncthreads();")) == "");
    check_race(finding(body("")));
}

TEST_CASE("the last wave to arrive at a counter may read what the others have stored before they counted") {
    const auto body = [](const char* before, const char* after) {
        return std::string(R"(
        __shared__ int part[4], count;
        if (threadIdx.x == 0) count = 0;
        __syncthreads();
        const int wave = threadIdx.x / 32;
        if (threadIdx.x % 32 == 0) {)") + before + "const int arrived = add(&count, 1);" + after + R"(
            if (arrived == 3) out[0] = part[0] + part[1] + part[2] + part[3];
        })";
    };
    CHECK(finding(body("part[wave] = wave;", ""), 128, kAtomics) == "");
    check_race(finding(body("", "part[wave] = wave;"), 128, kAtomics));
    // Counting without atomics is a race of its own.
    check_race(finding(R"(
        __shared__ int count;
        if (threadIdx.x == 0) count = 0;
        __syncthreads();
        if (threadIdx.x % 32 == 0) count = count + 1;
        __syncthreads();
        out[threadIdx.x] = count;)"));
}

TEST_CASE("a flag in LDS hands over, whichever wave runs first") {
    const auto body = [](const char* producer, const char* write, const char* early) {
        return std::string(R"(
        __shared__ int data[32], ready;
        if (threadIdx.x == 0) ready = 0;
        __syncthreads();
        if (threadIdx.x / 32 == )") + producer + ") {" + write + "store(&ready, 1); } else {" + early + R"(
            while (load(&ready) == 0) {}
            out[threadIdx.x] = data[threadIdx.x % 32];
        })";
    };
    for (const char* producer : {"0", "1"}) {
        CHECK(finding(body(producer, "data[threadIdx.x % 32] = 5;", ""), 64, kAtomics) == "");
        check_race(finding(body(producer, "data[threadIdx.x % 32] = 5;", "out[threadIdx.x + 64] = data[threadIdx.x % 32];"), 64, kAtomics));
    }
}

TEST_CASE("a flag in global memory hands over what lies in LDS") {
    CHECK(finding(R"(
        __shared__ int data[32];
        int* ready = out + 512 + blockIdx.x;
        if (threadIdx.x < 32) {
            data[threadIdx.x] = 5;
            __hip_atomic_store(ready, 2, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
        } else {
            while (__hip_atomic_load(ready, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) != 2) {}
            atomicAdd(&out[threadIdx.x], data[threadIdx.x % 32]);
        })", 64) == "");
}

TEST_CASE("a lock orders those who hold it") {
    const auto body = [](const char* outside) {
        return std::string(R"(
        __shared__ int lock, value;
        if (threadIdx.x == 0) { lock = 0; value = 0; }
        __syncthreads();
        if (threadIdx.x % 32 == 0) {
            for (int i = 0; i < 3; ++i) {
                int open = 0;
                while (!__hip_atomic_compare_exchange_strong(&lock, &open, 1, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED, WORKGROUP)) open = 0;
                value = value + 1;
                store(&lock, 0);)") + outside + R"(
            }
        }
        __syncthreads();
        out[threadIdx.x] = value;)";
    };
    CHECK(finding(body(""), 128, kAtomics) == "");
    check_race(finding(body("value = 2;"), 128, kAtomics));
}

TEST_CASE("a barrier does not order an access that nobody has waited for") {
    const auto body = [](const char* wait) {
        return std::string(R"source(
        __shared__ int lds[64];
        const unsigned to = 4 * threadIdx.x, from = 4 * (63 - threadIdx.x);
        int value;
        asm volatile("ds_store_b32 %1, %2\n" )source") + wait + R"source(
                     "s_barrier\n"
                     "ds_load_b32 %0, %3\n"
                     "s_waitcnt lgkmcnt(0)" : "=&v"(value) : "v"(to), "v"(threadIdx.x), "v"(from), "v"(lds) : "memory");
        out[threadIdx.x] = value;)source";
    };
    check_race(finding(body(""), 64));
    CHECK(finding(body(R"("s_waitcnt lgkmcnt(0)\n")"), 64) == "");
}

TEST_CASE("a race among many accesses between two barriers is found, early or late") {
    const auto body = [](const char* bad) {
        return std::string(R"(
        __shared__ int lds[1024];
        volatile int* own = lds + threadIdx.x;
        *own = 0;
        if (threadIdx.x == 32) lds[1000] = 1;
        for (int i = 0; i < 30000; ++i) *own = *own + i;
        )") + bad + "__syncthreads(); out[threadIdx.x] = *own + lds[1000];";
    };
    CHECK(finding(body("if (threadIdx.x == 0) lds[1000] = 1;"), 64) == "");
    check_race(finding(body("if (threadIdx.x == 0) lds[1000] = 2;"), 64));
    check_race(finding(body("if (threadIdx.x == 0) out[700] = lds[32];"), 64));
}

TEST_CASE("the plain load that a loop around compare-and-swap begins with is no race with the other waves' swaps; a plain store among them is") {
    const auto body = [](const char* reset) {
        return std::string(R"(
        __shared__ float most;
        if (threadIdx.x == 0) most = 0;
        __syncthreads();
        atomicMax(&most, static_cast<float>(threadIdx.x));)") + reset + R"(
        __syncthreads();
        out[threadIdx.x] = static_cast<int>(most);)";
    };
    CHECK(finding(body("")) == "");
    check_race(finding(body("if (threadIdx.x == 64) most = 1000;")));
}

TEST_CASE("a plain load of a counter that other waves are still adding to is found") {
    const auto body = [](const char* barrier) {
        return std::string(R"(
        __shared__ int count;
        if (threadIdx.x == 0) count = 0;
        __syncthreads();
        atomicAdd(&count, 1);)") + barrier + "out[threadIdx.x] = count;";
    };
    check_race(finding(body("")));
    CHECK(finding(body("__syncthreads();")) == "");
}
