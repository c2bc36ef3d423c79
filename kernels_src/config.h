// What a key and a candidate become in the kernels: the macros below, given with -D, are read here and nowhere else.
//
//   key                          values      meaning
//   FLASHWAVE_ENTRY              identifier  extern "C" name of the kernel, e.g. fwd_wmma11_f16_d128_m128n64w8
//   FLASHWAVE_DTYPE              0 | 1       0 fp16, 1 bf16: q, k, v and o
//   FLASHWAVE_HEAD_DIM           64 | 128
//   FLASHWAVE_CAUSAL             0 | 1       0 every key, 1 keys j <= i + causal_shift (the alignment is the run-time shift)
//   FLASHWAVE_ALIGN              16 | 2      bytes: what all pointers and strides of q, k, v and o are multiples of
//
//   candidate                    values      meaning
//   FLASHWAVE_WAVES              1 ... 16    waves a work-group
//   FLASHWAVE_Q_TILES            1 | 2       tiles of 16 queries a wave; block_m = 16 * q_tiles * waves
//   FLASHWAVE_BLOCK_N            16 ... 128  keys a step, a multiple of 16
//   FLASHWAVE_Q_IN_LDS           0 | 1       0 Q fragments stay in registers, 1 they are read from LDS in every step
//   FLASHWAVE_PREFETCH           0 | 1       1 the next K and V tiles are loaded to registers while this step computes
//   FLASHWAVE_LDS_STAGES         1 | 2       copies of the K and V tiles in LDS; 2 needs one barrier a step instead of two
//   FLASHWAVE_LAZY_RESCALE       0 | 1       1 O is rescaled only when a row maximum of the wave grew by more than 8 (base 2)
//   FLASHWAVE_MIN_WAVES          1 ... 16    waves a SIMD the register allocator must leave room for; 1 = no wish
//
// forward.hip reads all of them: 32 * waves threads, grid x = batch * heads_q * q_blocks, q_blocks = ceil(seq_q / block_m).
// naive.hip reads ENTRY, DTYPE and CAUSAL: 64 threads, grid x = batch * heads_q * seq_q * ceil(head_dim / 64).
// LDS is static in both. They are compiled with
//   --hiprtc-no-builtin-header -nogpuinc --offload-arch=... -std=c++17 -O3 -mno-cumode
//   -ffp-contract=off -fno-honor-nans -fno-signed-zeros -fno-math-errno
// (-fno-honor-nans only spares the quieting of maxima: a NaN still propagates. Infinities are meant: a masked score is -inf.)
#pragma once

#include "dtype.h"

namespace flashwave::config {

#if FLASHWAVE_DTYPE == 0
using Element = Half;
#else
using Element = Bfloat;
#endif
inline constexpr bool kCausal = FLASHWAVE_CAUSAL != 0;

}  // namespace flashwave::config
