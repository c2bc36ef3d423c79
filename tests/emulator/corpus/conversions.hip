// Conversions among all arithmetic types. Row i: the i-th input in every type, as 64 bits.
using u64 = unsigned long long;

template <class To>
__device__ u64 bits_of(To x) {
    if constexpr (__is_same(To, double)) return __builtin_bit_cast(u64, x);
    else if constexpr (__is_same(To, float)) return __builtin_bit_cast(unsigned, x);
    else if constexpr (__is_same(To, _Float16)) return __builtin_bit_cast(unsigned short, x);
    else return static_cast<u64>(x);
}

template <class From>
__device__ void convert(const From* in, u64* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    const From x = in[i];
    u64* const o = out + i * 11;
    o[0] = bits_of(static_cast<signed char>(x));
    o[1] = bits_of(static_cast<unsigned char>(x));
    o[2] = bits_of(static_cast<short>(x));
    o[3] = bits_of(static_cast<unsigned short>(x));
    o[4] = bits_of(static_cast<int>(x));
    o[5] = bits_of(static_cast<unsigned>(x));
    o[6] = bits_of(static_cast<long long>(x));
    o[7] = bits_of(static_cast<u64>(x));
    o[8] = bits_of(static_cast<float>(x));
    o[9] = bits_of(static_cast<double>(x));
    o[10] = bits_of(static_cast<_Float16>(x));
}

extern "C" __global__ void from_i8(const signed char* in, u64* out, int n) { convert(in, out, n); }
extern "C" __global__ void from_u8(const unsigned char* in, u64* out, int n) { convert(in, out, n); }
extern "C" __global__ void from_i16(const short* in, u64* out, int n) { convert(in, out, n); }
extern "C" __global__ void from_u16(const unsigned short* in, u64* out, int n) { convert(in, out, n); }
extern "C" __global__ void from_i32(const int* in, u64* out, int n) { convert(in, out, n); }
extern "C" __global__ void from_u32(const unsigned* in, u64* out, int n) { convert(in, out, n); }
extern "C" __global__ void from_i64(const long long* in, u64* out, int n) { convert(in, out, n); }
extern "C" __global__ void from_u64(const u64* in, u64* out, int n) { convert(in, out, n); }
extern "C" __global__ void from_f32(const float* in, u64* out, int n) { convert(in, out, n); }
extern "C" __global__ void from_f64(const double* in, u64* out, int n) { convert(in, out, n); }
extern "C" __global__ void from_f16(const _Float16* in, u64* out, int n) { convert(in, out, n); }

// Large magnitudes, which only the wide integers hold.
extern "C" __global__ void wide_from_f64(const double* in, u64* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    const double x = in[i];
    u64* const o = out + i * 4;
    o[0] = static_cast<u64>(static_cast<long long>(x));
    o[1] = static_cast<u64>(x < 0 ? -x : x);
    o[2] = static_cast<u64>(static_cast<long long>(static_cast<float>(x)));
    o[3] = __builtin_bit_cast(unsigned, static_cast<float>(x));
}
