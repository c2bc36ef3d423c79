// Lanes that read each other: DPP, permutations, swizzles, ballots, votes, shuffles. One wave; out[operation][lane].
extern "C" __global__ void lanes(const int* in, int* out) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const int x = in[lane];
    int* o = out + lane;
    const auto put = [&](int value) {
        *o = value;
        o += 32;
    };
    put(__builtin_amdgcn_update_dpp(-1, x, 0xe4 ^ 0xff, 0xf, 0xf, false));  // quad_perm:[3,2,1,0]
    put(__builtin_amdgcn_update_dpp(-1, x, 0x101, 0xf, 0xf, false));        // row_shl:1
    put(__builtin_amdgcn_update_dpp(-1, x, 0x113, 0xf, 0xf, false));        // row_shr:3
    put(__builtin_amdgcn_update_dpp(-1, x, 0x125, 0xf, 0xf, false));        // row_ror:5
    put(__builtin_amdgcn_update_dpp(-1, x, 0x140, 0xf, 0xf, false));        // row_mirror
    put(__builtin_amdgcn_update_dpp(-1, x, 0x141, 0xf, 0xf, false));        // row_half_mirror
    put(__builtin_amdgcn_update_dpp(-1, x, 0x152, 0xf, 0xf, false));        // row_share:2
    put(__builtin_amdgcn_update_dpp(-1, x, 0x166, 0xf, 0xf, false));        // row_xmask:6
    put(__builtin_amdgcn_update_dpp(-1, x, 0x101, 0x1, 0x5, true));         // row_shl:1, one row, two banks, zeros from outside
    put(__builtin_amdgcn_mov_dpp8(x, 0x00fac688 & 0xffffff));
    put(__builtin_amdgcn_permlane16(x, x, 0x01234567, 0x89abcdef, false, false));
    put(__builtin_amdgcn_permlanex16(x, x, 0x76543210, 0xfedcba98, false, false));
    put(__builtin_amdgcn_readlane(x, 5));
    put(__builtin_amdgcn_readfirstlane(x));
    put(__builtin_amdgcn_ds_swizzle(x, 0x041f));                            // xor 1
    put(__builtin_amdgcn_ds_swizzle(x, 0x801b));                            // quad permutation
    put(__builtin_amdgcn_ds_bpermute(4 * (31 - lane), x));
    put(__builtin_amdgcn_ds_permute(4 * ((lane + 7) & 31), x));
    put(static_cast<int>(__ballot(x > 0)));
    put(__any(x > 900) + 2 * __all(x > -2000));
    put(__shfl(x, (lane * 5) & 31));
    put(__shfl_up(x, 3));
    put(__shfl_down(x, 3));
    put(__shfl_xor(x, 9));
    put(static_cast<int>(__builtin_amdgcn_mbcnt_lo(static_cast<unsigned>(__ballot(x > 0)), 5)));
    int masked = -3;
    if (lane % 3 == 0) masked = __builtin_amdgcn_readfirstlane(x) + __shfl_xor(x, 3);  // lane ^ 3 is not always active
    put(lane % 3 == 0 && (lane ^ 3) % 3 != 0 ? -4 : masked);
    int sum = x;
    for (int step = 1; step < 32; step *= 2) sum += __shfl_xor(sum, step);
    put(sum);
}
