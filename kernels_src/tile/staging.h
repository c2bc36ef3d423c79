// The way of a K or V tile from device memory to LDS through registers. load() only issues the loads, store() waits for them,
// so that what lies between the two hides the latency. The bounded form takes the number of rows that count: the others
// become zero, whatever memory holds there, and are not read.
#pragma once

#include "tile/global_rows.h"
#include "tile/shared_tile.h"

namespace flashwave::tile {

// Row by row: 16 bytes a thread and load, a row's neighbours in neighbouring threads. Rows are permuted as operand A wants them.
template <class Tile, int kThreads>
struct StagedRows {
    static constexpr int kPieces = Tile::kColumns / 8;           // 16-byte pieces a row
    static constexpr int kRowsALoad = kThreads / kPieces;
    static constexpr int kLoads = Tile::kRows / kRowsALoad;

    u32 offset;    // of this thread's first piece in memory, from the tile's first row
    u32 position;  // of it in the tile in LDS
    u32x4 data[kLoads];

    template <class Rows>
    FLASHWAVE_DEVICE explicit StagedRows(const Rows& rows)
        : offset(rows.offset(row(), byte())), position(Tile::position(arch::permuted_row(row()), byte())) {}

    template <class Rows>
    FLASHWAVE_DEVICE void load(const Rows& rows) {
        const u32 lane = opaque(offset);
        FLASHWAVE_UNROLL for (int i = 0; i < kLoads; ++i) data[i] = rows.from(i * kRowsALoad).settled().load(lane);
    }
    template <class Rows>
    FLASHWAVE_DEVICE void load(const Rows& rows, int count) {
        FLASHWAVE_UNROLL for (int i = 0; i < kLoads; ++i)
            data[i] = (int)row() + i * kRowsALoad < count ? rows.from(i * kRowsALoad).load(opaque(offset)) : u32x4(0u);
    }
    FLASHWAVE_DEVICE void store(const Tile& to) const {
        // A piece's row is row() + i * kRowsALoad. These have no bits in common, so that their positions add up too.
        static_assert((kRowsALoad & (kRowsALoad - 1)) == 0, "the work-group must load a power of two of K rows at a time");
        FLASHWAVE_UNROLL for (int i = 0; i < kLoads; ++i)
            *(Shared<u32x4>)(to.base + position + Tile::position(arch::permuted_row(i * kRowsALoad), 0)) = data[i];
    }

private:
    FLASHWAVE_DEVICE static u32 row() { return thread_index() / kPieces; }
    FLASHWAVE_DEVICE static u32 byte() { return thread_index() % kPieces * 16; }
};

// Transposed: rows of memory (keys) become columns of the tile. A wave deals with units of 16 keys x 64 elements; of a unit,
// a lane loads 8 elements of each of 4 keys, and stores 4 keys of each of 8 elements. Tile rows are permuted as operand A
// wants them.
template <class Tile, int kWaves>
struct StagedTransposed {
    static constexpr int kKeyGroups = Tile::kColumns / 16;
    static constexpr int kUnits = kKeyGroups * (Tile::kRows / 64);
    static constexpr int kUnitsAWave = (kUnits + kWaves - 1) / kWaves;

    u32 offset;                  // of this lane in memory, from its unit's first row and column
    u32 key[kUnitsAWave];        // of a unit's first row, uniform
    u32 element[kUnitsAWave];    // of a unit's first column, uniform
    bool has[kUnitsAWave];       // uniform
    u32 position[kUnitsAWave];   // of this lane's part of a unit in the tile in LDS
    u32x4 data[kUnitsAWave][4];

    template <class Rows>
    FLASHWAVE_DEVICE explicit StagedTransposed(const Rows& rows) : offset(rows.offset(lane_key(), lane_element() * 2)) {
        const u32 first = uniform(thread_index() / 32) * kUnitsAWave;
        FLASHWAVE_UNROLL for (int u = 0; u < kUnitsAWave; ++u) {
            key[u] = (first + u) % kKeyGroups * 16;
            element[u] = (first + u) / kKeyGroups * 64;
            has[u] = kUnits % kWaves == 0 || first + u < kUnits;
            position[u] = Tile::position(arch::permuted_row(element[u] + lane_element()), (key[u] + lane_key()) * 2);
        }
    }

    template <class Rows>
    FLASHWAVE_DEVICE void load(const Rows& rows) {
        const u32 lane = opaque(offset);
        FLASHWAVE_UNROLL for (int u = 0; u < kUnitsAWave; ++u)
            if (has[u])
                FLASHWAVE_UNROLL for (int i = 0; i < 4; ++i)
                    data[u][i] = rows.from(key[u] + i, element[u] * 2).settled().load(lane);
    }
    template <class Rows>
    FLASHWAVE_DEVICE void load(const Rows& rows, int count) {
        FLASHWAVE_UNROLL for (int u = 0; u < kUnitsAWave; ++u)
            if (has[u])
                FLASHWAVE_UNROLL for (int i = 0; i < 4; ++i) {
                    const bool counts = (int)(key[u] + lane_key()) + i < count;
                    data[u][i] = counts ? rows.from(key[u] + i, element[u] * 2).load(opaque(offset)) : u32x4(0u);
                }
    }
    FLASHWAVE_DEVICE void store(const Tile& to) const {
        // Elements 2w and 2w + 1 of a key are one dword; permuted, they go to rows 4w and 4w + 2 counted from element 0's row.
        FLASHWAVE_UNROLL for (int u = 0; u < kUnitsAWave; ++u)
            if (has[u]) {
                const auto at = to.base + position[u];
                FLASHWAVE_UNROLL for (int w = 0; w < 4; ++w) {
                    *(Shared<u32x2>)(at + 4 * w * Tile::kPitch) = four_keys(data[u], w, 0x05040100u);
                    *(Shared<u32x2>)(at + (4 * w + 2) * Tile::kPitch) = four_keys(data[u], w, 0x07060302u);
                }
            }
    }

private:
    FLASHWAVE_DEVICE static u32 lane_key() { return thread_index() % 32 / 8 * 4; }
    FLASHWAVE_DEVICE static u32 lane_element() { return thread_index() % 8 * 8; }
    // The low or the high element (by `selector`) of dword w of four keys, side by side.
    FLASHWAVE_DEVICE static u32x2 four_keys(const u32x4 (&keys)[4], int w, u32 selector) {
        return {__builtin_amdgcn_perm(keys[1][w], keys[0][w], selector), __builtin_amdgcn_perm(keys[3][w], keys[2][w], selector)};
    }
};

}  // namespace flashwave::tile
