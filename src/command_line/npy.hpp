// NumPy's .npy files, versions 1.0 and 2.0, C order: one array a file.
//
// A reader trusts nothing in a file: header length, shape and data size are checked against each other before memory is
// taken for them. Pure functions but for read_npy and write_npy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flashwave/status.hpp"

namespace flashwave::cli {

struct NpyArray {
    std::string descr;                ///< NumPy's name of the element type: "<f2", "<f4", "<u2", "|V2"
    std::vector<std::int64_t> shape;  ///< each >= 0
    std::string data;                 ///< the elements' bytes, last dimension fastest
};

/// The array in `bytes`. Code::invalid_argument with a sentence that says what is wrong: no .npy file, another version,
/// Fortran order, an element type that is not a plain number, a size that does not agree with the shape.
Result<NpyArray> parse_npy(std::string_view bytes);

/// The bytes of a version 1.0 file. `data` holds exactly the elements of `shape`.
std::string format_npy(std::string_view descr, std::span<const std::int64_t> shape, std::string_view data);

/// As parse_npy; every sentence begins with the path. A file that does not exist or cannot be read is
/// Code::invalid_argument too: it is the caller who named it.
Result<NpyArray> read_npy(const std::string& path);

}  // namespace flashwave::cli
