// The HIP sources of kernels_src/, embedded at build time under the names by which they include each other
// ("attention/mask.h"). Immutable, static storage.
#pragma once

#include <span>
#include <string_view>

#include "base/hash.hpp"

namespace flashwave {

struct KernelFile {
    std::string_view name;
    std::string_view text;
};

/// Sorted by name.
std::span<const KernelFile> kernel_files();

/// nullptr where there is no such file.
const KernelFile* find_kernel_file(std::string_view name);

/// Of all names and texts; part of every toolchain fingerprint. Computed at the first call.
const Digest& kernel_files_digest();

}  // namespace flashwave
