// Packed halves, integers and bytes; dot products; byte shuffles, bit fields and the odd operations that only a builtin names.
using Half2 = _Float16 __attribute__((ext_vector_type(2)));
using Short2 = short __attribute__((ext_vector_type(2)));
using UShort2 = unsigned short __attribute__((ext_vector_type(2)));

template <class To, class From>
__device__ To as(From x) {
    return __builtin_bit_cast(To, x);
}

extern "C" __global__ void packed(const unsigned* a, const unsigned* b, const unsigned* c, unsigned* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    const unsigned x = a[i], y = b[i], z = c[i];
    const Half2 hx = as<Half2>(x), hy = as<Half2>(y), hz = as<Half2>(z);
    const Short2 sx = as<Short2>(x), sy = as<Short2>(y);
    const UShort2 ux = as<UShort2>(x), uy = as<UShort2>(y);
    unsigned* const o = out + i * 32;
    o[0] = as<unsigned>(hx + hy);
    o[1] = as<unsigned>(hx * hy);
    o[2] = as<unsigned>(__builtin_elementwise_max(hx, hy));
    o[3] = as<unsigned>(__builtin_elementwise_min(hx, hy));
    o[4] = as<unsigned>(Half2{static_cast<_Float16>(__builtin_fmaf16(hx.x, hy.x, hz.x)), static_cast<_Float16>(__builtin_fmaf16(hx.y, hy.y, hz.y))});
    o[5] = as<unsigned>(UShort2(ux + uy));
    o[6] = as<unsigned>(UShort2(ux - uy));
    o[7] = as<unsigned>(UShort2(ux * uy));
    o[8] = as<unsigned>(UShort2(ux << (uy & UShort2{15, 15})));
    o[9] = as<unsigned>(UShort2(ux >> (uy & UShort2{15, 15})));
    o[10] = as<unsigned>(Short2(sx >> (sy & Short2{15, 15})));
    o[11] = as<unsigned>(__builtin_elementwise_max(sx, sy));
    o[12] = as<unsigned>(__builtin_elementwise_min(ux, uy));
    o[13] = as<unsigned>(__builtin_elementwise_add_sat(ux, uy));
    o[14] = as<unsigned>(__builtin_elementwise_sub_sat(sx, sy));
    o[15] = static_cast<unsigned>(__builtin_amdgcn_sudot4(true, static_cast<int>(x), false, static_cast<int>(y), static_cast<int>(z), false));
    o[16] = __builtin_amdgcn_udot4(x, y, z, true);
    o[17] = static_cast<unsigned>(__builtin_amdgcn_sudot8(true, static_cast<int>(x), true, static_cast<int>(y), static_cast<int>(z), true));
    o[18] = __builtin_amdgcn_udot8(x, y, z, false);
    o[19] = as<unsigned>(__builtin_amdgcn_fdot2(hx, hy, 1.5f, false));
    o[20] = __builtin_amdgcn_perm(x, y, z & 0x0f0f0f0fu);
    o[21] = __builtin_amdgcn_alignbit(x, y, z);
    o[22] = __builtin_amdgcn_alignbyte(x, y, z);
    o[23] = __builtin_amdgcn_ubfe(x, y & 31, z & 31);
    o[24] = static_cast<unsigned>(__builtin_amdgcn_sbfe(static_cast<int>(x), y & 31, z & 31));
    o[25] = __builtin_amdgcn_sad_u8(x, y, z);
    o[26] = __builtin_amdgcn_lerp(x, y, z);
    o[27] = as<unsigned>(__builtin_amdgcn_cvt_pkrtz(as<float>(0x3f800000u + (x & 0xffffffu)), as<float>(0xbf800000u + (y & 0xffffffu))));
    o[28] = (x & y) | (~x & z);
    o[29] = x ^ y ^ z;
    o[30] = ((x + y) << 3) + z;
    o[31] = max(max(x, y), z) - min(min(x, y), z);
}
