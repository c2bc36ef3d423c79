// Rows of one head in device memory. The base is uniform and 64 bits wide; what a lane adds to it is 32 bits wide, and one
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

    // The same rows counted from another start (uniform).
    FLASHWAVE_DEVICE GlobalRows from(i64 row, int byte = 0) const { return {base + (row * row_bytes + byte), row_bytes}; }
    // For use in a loop, with an opaque lane offset: hiprtc 6.4 otherwise adds both up once, in vector registers, and goes on
    // from there to the next row in 64 bits, which costs two instructions and two registers a load.
    FLASHWAVE_DEVICE GlobalRows settled() const { return {opaque_uniform(base), row_bytes}; }

    // What a lane adds to the base to reach its row and byte.
    FLASHWAVE_DEVICE u32 offset(u32 row, u32 byte) const { return row * (u32)row_bytes + byte; }
    FLASHWAVE_DEVICE u32x4 load(u32 lane_offset) const { return *(Global<const Piece>)(base + lane_offset); }
    FLASHWAVE_DEVICE void store(u32 lane_offset, u32x4 data) const { *(Global<Piece>)(base + lane_offset) = data; }
};

// The rows of one head of a tensor of 16-bit elements.
template <class Byte, int kAlign>
FLASHWAVE_DEVICE GlobalRows<Byte, kAlign> head_rows(Byte* tensor, const i64 (&stride)[3], int batch, int head) {
    return {(Global<Byte>)tensor + 2 * (batch * stride[0] + head * stride[1]), 2 * stride[2]};
}

}  // namespace flashwave::tile
