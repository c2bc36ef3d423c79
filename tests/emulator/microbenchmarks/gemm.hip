// C = A * B^T in fp16, sums in fp32: A is M x K, B is N x K, C is M x N, all row-major; M and N are multiples of 128, K
// of 64, and 128 rows of A or B are less than 4 GiB.
//
// A work-group of four waves makes 128 x 128 of C, each wave 64 x 64 as 4 x 4 products of 16 x 16. Steps of 32 along K
// go through two buffers of LDS: while one is multiplied, the next step's data come from memory into registers and then
// into the other.
//
// Grid: (M / 128) * (N / 128) work-groups; those that run together form bands of sixteen rows, so that they share what
// the L2 holds.
typedef _Float16 Half16 __attribute__((ext_vector_type(16)));
typedef float Float8 __attribute__((ext_vector_type(8)));
typedef unsigned Quad __attribute__((ext_vector_type(4)));

constexpr unsigned kTile = 128, kStep = 32, kWaveTile = 64, kBand = 16;
constexpr unsigned kRowBytes = kStep * 2, kBuffer = kTile * kRowBytes;

// Where 16 bytes of a row lie in LDS: exchanged within the row, so that eight rows' pieces touch all banks once.
static __device__ unsigned place(unsigned row, unsigned piece) {
    return row * kRowBytes + (piece ^ (row / 2 % 4)) * 16;
}

extern "C" __global__ __launch_bounds__(128) void gemm(const char* __restrict__ a, const char* __restrict__ b,
                                                       _Float16* __restrict__ c, unsigned m, unsigned n, unsigned k) {
    __shared__ __attribute__((aligned(16))) char lds[2][2][kBuffer];  // [buffer][A or B]
    const unsigned thread = threadIdx.x, wave = __builtin_amdgcn_readfirstlane(thread / 32), row = thread & 15,
                   half = thread / 16 & 1;
    const unsigned wave_m = wave % 2 * kWaveTile, wave_n = wave / 2 * kWaveTile;

    const unsigned of_band = kBand * (n / kTile), band = blockIdx.x / of_band, left = m / kTile - band * kBand,
                   rows = left < kBand ? left : kBand;
    const unsigned tile_m = (band * kBand + blockIdx.x % of_band % rows) * kTile,
                   tile_n = blockIdx.x % of_band / rows * kTile;

    // Four threads bring a row of 64 bytes, 128 threads bring 32 rows at a time.
    const unsigned row_bytes = k * 2, first_row = thread / 4;
    const char* from_a = a + (unsigned long)tile_m * row_bytes;
    const char* from_b = b + (unsigned long)tile_n * row_bytes;
    unsigned from[4];
    for (unsigned i = 0; i < 4; ++i) from[i] = (first_row + i * 32) * row_bytes + thread % 4 * 16;
    const unsigned to = place(first_row, thread % 4);
    Quad next_a[4], next_b[4];
    const auto load = [&](unsigned step) {  // in bytes from from[]
        for (int i = 0; i < 4; ++i) {
            next_a[i] = *(const Quad*)(from_a + from[i] + step);
            next_b[i] = *(const Quad*)(from_b + from[i] + step);
        }
        __builtin_amdgcn_sched_barrier(0);  // the compiler would move the loads to their use, behind the products
    };
    const auto store = [&](int buffer) {
        for (int i = 0; i < 4; ++i) {
            *(Quad*)(lds[buffer][0] + to + i * 32 * kRowBytes) = next_a[i];
            *(Quad*)(lds[buffer][1] + to + i * 32 * kRowBytes) = next_b[i];
        }
    };

    // A lane reads the 16 halves of its row, 32 bytes in two pieces.
    const unsigned row_a = wave_m * kRowBytes, row_b = wave_n * kRowBytes;
    unsigned at[4];
    for (unsigned piece = 0; piece < 4; ++piece) at[piece] = place(row, piece);
    const auto fragment = [&](const char* rows16, int depth) {
        const Quad low = *(const Quad*)(rows16 + at[depth / 8]), high = *(const Quad*)(rows16 + at[depth / 8 + 1]);
        return __builtin_bit_cast(Half16, __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7));
    };
    Float8 sum[4][4];  // [16 rows][16 columns] of the wave's part
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] = 0;
    const auto multiply = [&](int buffer) {
#pragma unroll
        for (int depth = 0; depth < (int)kStep; depth += 16) {
            Half16 part_a[4], part_b[4];
            for (int i = 0; i < 4; ++i) {
                part_a[i] = fragment(lds[buffer][0] + row_a + i * 16 * kRowBytes, depth);
                part_b[i] = fragment(lds[buffer][1] + row_b + i * 16 * kRowBytes, depth);
            }
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j)
                    sum[i][j] = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(part_a[i], part_b[j], sum[i][j]);
        }
    };

    load(0);
    store(0);
    __syncthreads();
    for (unsigned step = 0; step + 2 * kStep < k; step += 2 * kStep) {
        load(kRowBytes);
        __builtin_amdgcn_s_setprio(1);  // products first: who multiplies needs neither memory nor the others
        multiply(0);
        __builtin_amdgcn_s_setprio(0);
        store(1);
        __syncthreads();
        load(2 * kRowBytes);
        for (int i = 0; i < 4; ++i) from[i] += 2 * kRowBytes;
        __builtin_amdgcn_s_setprio(1);
        multiply(1);
        __builtin_amdgcn_s_setprio(0);
        store(0);
        __syncthreads();
    }
    load(kRowBytes);
    multiply(0);
    store(1);
    __syncthreads();
    multiply(1);

    // Lane l of a wave has column l % 16 of a product, in register r the row 2 r + l / 16.
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            for (int r = 0; r < 8; ++r)
                c[(unsigned long)(tile_m + wave_m + i * 16 + 2 * r + half) * n + tile_n + wave_n + j * 16 + row] =
                    (_Float16)sum[i][j][r];
}
