// What a key and a candidate become in the kernels: the macros below, given with -D, are read here and nowhere else.
//
//   key                          values      meaning
//   FLASHWAVE_ENTRY              identifier  extern "C" name of the kernel, e.g. fwd_wmma11_f16_d128_m128n64w8
//   FLASHWAVE_DTYPE              0 | 1       0 fp16, 1 bf16: q, k, v and o
//   FLASHWAVE_HEAD_DIM           64 | 128    naive.hip: any, from the arguments; the macro is not read
//   FLASHWAVE_CAUSAL             0 | 1       0 every key, 1 keys j <= i + causal_shift (the alignment is the run-time shift)
//   FLASHWAVE_ALIGN              16 | 2      bytes: what every pointer and every stride of q, k, v and o (in bytes) is a multiple of
//
//   candidate (forward.hip)      values      meaning
//   FLASHWAVE_WAVES              1 ... 16    waves a work-group; threads = 32 * waves
//   FLASHWAVE_Q_TILES            1 | 2       tiles of 16 queries a wave; block_m = 16 * q_tiles * waves
//   FLASHWAVE_BLOCK_N            16 ... 128  keys a step, a multiple of 16
//   FLASHWAVE_Q_IN_LDS           0 | 1       0 Q fragments stay in registers, 1 they are read from LDS in every step
//   FLASHWAVE_PREFETCH           0 | 1       1 the next K and V tiles are loaded to registers while this step computes
//   FLASHWAVE_LDS_STAGES         1 | 2       copies of the K and V tiles in LDS; 2 needs one barrier a step instead of two
//   FLASHWAVE_LAZY_RESCALE       0 | 1       1 O is rescaled only when some row maximum of the wave grew by more than 2^8
//   FLASHWAVE_MIN_WAVES          1 ... 16    waves a SIMD the register allocator must leave room for; 1 = no wish
//
// Launch of forward.hip: threads 32 * waves; grid x = batch * heads_q * ceil(seq_q / block_m). LDS is static, dynamic LDS is 0.
// Launch of naive.hip:   threads 64;         grid x = batch * heads_q * seq_q, q_blocks = seq_q. Reads DTYPE, CAUSAL and ENTRY only.
#pragma once

namespace flashwave::config {

inline constexpr int kHeadDim = FLASHWAVE_HEAD_DIM;
inline constexpr bool kCausal = FLASHWAVE_CAUSAL != 0;
inline constexpr int kAlign = FLASHWAVE_ALIGN;

inline constexpr int kWaves = FLASHWAVE_WAVES;
inline constexpr int kQTiles = FLASHWAVE_Q_TILES;
inline constexpr int kBlockN = FLASHWAVE_BLOCK_N;
inline constexpr bool kQInLds = FLASHWAVE_Q_IN_LDS != 0;
inline constexpr bool kPrefetch = FLASHWAVE_PREFETCH != 0;
inline constexpr int kLdsStages = FLASHWAVE_LDS_STAGES;
inline constexpr bool kLazyRescale = FLASHWAVE_LAZY_RESCALE != 0;
inline constexpr int kMinWaves = FLASHWAVE_MIN_WAVES;

}  // namespace flashwave::config
