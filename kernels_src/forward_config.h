// The geometry of forward.hip from the macros of config.h, what follows from it, and what it must satisfy. The sentences of the
// assertions reach the tuner's log when a candidate that cannot work is compiled all the same.
#pragma once

#include "config.h"

namespace flashwave::config {

inline constexpr int kHeadDim = FLASHWAVE_HEAD_DIM;
inline constexpr int kAlign = FLASHWAVE_ALIGN;

inline constexpr int kWaves = FLASHWAVE_WAVES;
inline constexpr int kQTiles = FLASHWAVE_Q_TILES;
inline constexpr int kBlockN = FLASHWAVE_BLOCK_N;
inline constexpr bool kQInLds = FLASHWAVE_Q_IN_LDS != 0;
inline constexpr bool kPrefetch = FLASHWAVE_PREFETCH != 0;
inline constexpr int kStages = FLASHWAVE_LDS_STAGES;
inline constexpr bool kLazyRescale = FLASHWAVE_LAZY_RESCALE != 0;
inline constexpr int kMinWaves = FLASHWAVE_MIN_WAVES;

inline constexpr int kThreads = 32 * kWaves;
inline constexpr int kWaveM = 16 * kQTiles;       // queries a wave
inline constexpr int kBlockM = kWaveM * kWaves;   // queries a work-group
inline constexpr int kLdsLimit = 64 * 1024;

static_assert(kHeadDim == 64 || kHeadDim == 128, "head_dim must be 64 or 128");
static_assert(kWaves >= 1 && kWaves <= 16, "waves must be 1 to 16");
static_assert(kQTiles == 1 || kQTiles == 2, "q_tiles must be 1 or 2");
static_assert(kBlockN % 16 == 0 && kBlockN >= 16 && kBlockN <= 128, "block_n must be a multiple of 16 up to 128");
static_assert(kBlockN * kHeadDim % (8 * kThreads) == 0, "a K tile must be a whole number of 16-byte loads of every thread");
static_assert(kStages == 1 || kStages == 2, "lds_stages must be 1 or 2");
static_assert(kAlign == 16 || kAlign == 2, "align must be 16 or 2 bytes");

}  // namespace flashwave::config
