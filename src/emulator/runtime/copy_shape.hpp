// What a copy moves: rows of bytes, and slices of rows. Pure values.
#pragma once

#include <cstddef>
#include <utility>

namespace hipemu {

/// Rows of `width` bytes, `height` of them in each of `depth` slices; a plain copy has one row.
struct CopyShape {
    std::size_t width = 0, height = 1, depth = 1;
    std::size_t to_pitch = 0, from_pitch = 0;  // from row to row
    std::size_t to_slice = 0, from_slice = 0;  // from slice to slice

    std::size_t bytes() const { return width * height * depth; }
    std::size_t to_span() const { return to_slice * (depth - 1) + to_pitch * (height - 1) + width; }
    std::size_t from_span() const { return from_slice * (depth - 1) + from_pitch * (height - 1) + width; }
    /// Do the bytes and both spans fit a size_t?
    bool countable() const {
        std::size_t total = 0, all = 0;
        for (const auto& [pitch, slice] : {std::pair{to_pitch, to_slice}, {from_pitch, from_slice}}) {
            std::size_t rows = 0, slices = 0, span = 0;
            if (__builtin_mul_overflow(pitch, height - 1, &rows) || __builtin_mul_overflow(slice, depth - 1, &slices) ||
                __builtin_add_overflow(rows, slices, &span) || __builtin_add_overflow(span, width, &total))
                return false;
        }
        return !__builtin_mul_overflow(width, height, &all) && !__builtin_mul_overflow(all, depth, &all);
    }
};

}  // namespace hipemu
