// Integer arithmetic of 8 to 64 bits, double precision and conversions: one row of results a thread.
extern "C" __global__ void integers(const unsigned* a, const unsigned* b, unsigned long long* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    const unsigned x = a[i], y = b[i];
    const int sx = static_cast<int>(x), sy = static_cast<int>(y);
    const unsigned long long wx = (static_cast<unsigned long long>(x) << 32) | y, wy = (static_cast<unsigned long long>(y) << 17) ^ x;
    unsigned long long* o = out + i * 24;
    o[0] = x + y;
    o[1] = x * y;
    o[2] = y != 0 ? x / y : 0;
    o[3] = y != 0 ? x % y : 0;
    o[4] = static_cast<unsigned>(sy != 0 && sy != -1 ? sx / sy : 0);
    o[5] = wx + wy;
    o[6] = wx * wy;
    o[7] = wy != 0 ? wx / wy : 0;
    o[8] = wy != 0 ? wx % wy : 0;
    o[9] = wx << (y & 63);
    o[10] = wx >> (x & 63);
    o[11] = static_cast<unsigned long long>(static_cast<long long>(wx) >> (y & 63));
    o[12] = static_cast<unsigned>(__popc(x)) + (static_cast<unsigned long long>(__clz(static_cast<int>(y))) << 32);
    o[13] = __brev(x);
    o[14] = __umulhi(x, y);
    o[15] = static_cast<unsigned>(__mulhi(sx, sy));
    o[16] = (x >> (y & 31)) | (x << ((32 - (y & 31)) & 31));
    o[17] = static_cast<unsigned>(static_cast<signed char>(x)) + static_cast<unsigned short>(y);
    o[18] = static_cast<unsigned>(min(sx, sy)) ^ (static_cast<unsigned long long>(max(x, y)) << 32);
    o[19] = wx < wy ? 1 : static_cast<long long>(wx) < static_cast<long long>(wy) ? 2 : 3;
    const double d = static_cast<double>(sx) * 1.25 + static_cast<double>(y) / 3.0;
    o[20] = static_cast<unsigned long long>(__double_as_longlong(d));
    o[21] = static_cast<unsigned long long>(__double_as_longlong(sqrt(fabs(d))));
    o[22] = static_cast<unsigned long long>(static_cast<long long>(d * 0.5));
    o[23] = static_cast<unsigned long long>(__float_as_uint(static_cast<float>(wx)));
}
