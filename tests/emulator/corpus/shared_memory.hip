// LDS: a transposition through accesses of every width, static and dynamic.
template <class T>
__device__ void transpose(const T* in, T* out, T* tile) {
    const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
    tile[y * 17 + x] = in[y * 16 + x];
    __syncthreads();
    out[y * 16 + x] = tile[x * 17 + y];
    __syncthreads();
}

struct Twelve {
    unsigned a, b, c;
};

extern "C" __global__ void transpose_u8(const unsigned char* in, unsigned char* out) {
    __shared__ unsigned char tile[16 * 17];
    transpose(in, out, tile);
}
extern "C" __global__ void transpose_u16(const unsigned short* in, unsigned short* out) {
    __shared__ unsigned short tile[16 * 17];
    transpose(in, out, tile);
}
extern "C" __global__ void transpose_i8(const signed char* in, int* out) {
    __shared__ signed char tile[16 * 17];
    const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
    tile[y * 17 + x] = in[y * 16 + x];
    __syncthreads();
    out[y * 16 + x] = tile[x * 17 + y];
}
extern "C" __global__ void transpose_u32(const unsigned* in, unsigned* out) {
    __shared__ unsigned tile[16 * 17];
    transpose(in, out, tile);
}
extern "C" __global__ void transpose_u64(const unsigned long long* in, unsigned long long* out) {
    extern __shared__ unsigned long long dynamic_tile[];
    transpose(in, out, dynamic_tile);
}
extern "C" __global__ void transpose_b96(const Twelve* in, Twelve* out) {
    __shared__ Twelve tile[16 * 17];
    transpose(in, out, tile);
}
extern "C" __global__ void transpose_b128(const uint4* in, uint4* out) {
    __shared__ uint4 tile[16 * 17];
    transpose(in, out, tile);
}
