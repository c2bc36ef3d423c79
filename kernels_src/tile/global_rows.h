// Rows of one head in device memory. The base is uniform and 64 bits wide; what a lane adds to it is 32 bits wide, and an
// instruction takes both, so that addresses cost no vector arithmetic inside a loop.
#pragma once

#include "device.h"

namespace flashwave::tile {

// Byte is const char for what is read, char for what is written; kAlign: what base and row_bytes are multiples of.
template <class Byte, int kAlign>
struct GlobalRows {
    using Piece = u32x4 __attribute__((aligned(kAlign)));

    Global<Byte> base;
    i64 row_bytes;

    FLASHWAVE_DEVICE GlobalRows from_row(i64 row) const { return {base + row * row_bytes, row_bytes}; }
    FLASHWAVE_DEVICE u32 offset(u32 row, u32 byte) const { return row * (u32)row_bytes + byte; }

    // 16 bytes, `lane_offset` from byte `byte` of row `row` (both uniform).
    FLASHWAVE_DEVICE u32x4 load(int row, int byte, u32 lane_offset) const {
        return *(Global<const Piece>)(base + (row * row_bytes + byte) + lane_offset);
    }
    FLASHWAVE_DEVICE void store(int row, int byte, u32 lane_offset, u32x4 data) const {
        *(Global<Piece>)(base + (row * row_bytes + byte) + lane_offset) = data;
    }
};

// The rows of one head of a tensor of 16-bit elements.
template <class Byte, int kAlign>
FLASHWAVE_DEVICE GlobalRows<Byte, kAlign> head_rows(Byte* tensor, const i64 (&stride)[3], int batch, int head) {
    return {(Global<Byte>)tensor + 2 * (batch * stride[0] + head * stride[1]), 2 * stride[2]};
}

}  // namespace flashwave::tile
