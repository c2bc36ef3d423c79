// C = A B for 16-bit A [m][k] and B [k][n], fp32 C [m][n]: one wave a 16 x 16 tile, by the matrix unit.
// Operand layout of wave32 WMMA: lane l holds row l % 16 of A, and column l % 16 of B, both halves of the wave the same; element r of lane
// l's result is row 2 r + l / 16, column l % 16.
typedef _Float16 half16 __attribute__((ext_vector_type(16)));
typedef short short16 __attribute__((ext_vector_type(16)));
typedef float float8 __attribute__((ext_vector_type(8)));

template <class Vector, class Element, class Multiply>
__device__ void multiply_tile(const Element* a, const Element* b, float* c, int n, int k, Multiply multiply) {
    const int lane = static_cast<int>(threadIdx.x), column = lane % 16, half = lane / 16;
    const int tile_row = static_cast<int>(blockIdx.y) * 16, tile_column = static_cast<int>(blockIdx.x) * 16;
    float8 sum = {};
    for (int step = 0; step < k; step += 16) {
        Vector rows, columns;
        for (int i = 0; i < 16; ++i) {
            rows[i] = a[(tile_row + column) * k + step + i];
            columns[i] = b[(step + i) * n + tile_column + column];
        }
        sum = multiply(rows, columns, sum);
    }
    for (int r = 0; r < 8; ++r) c[(tile_row + 2 * r + half) * n + tile_column + column] = sum[r];
}

extern "C" __global__ __launch_bounds__(32) void multiply_f16(const _Float16* a, const _Float16* b, float* c, int n, int k) {
    multiply_tile<half16>(a, b, c, n, k,
                          [](half16 x, half16 y, float8 z) { return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(x, y, z); });
}

extern "C" __global__ __launch_bounds__(32) void multiply_bf16(const short* a, const short* b, float* c, int n, int k) {
    multiply_tile<short16>(a, b, c, n, k,
                           [](short16 x, short16 y, float8 z) { return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(x, y, z); });
}
