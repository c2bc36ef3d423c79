#include "compile/kernel_files.hpp"

#include <algorithm>

namespace flashwave {
namespace detail {

// In the file that embed_kernels.cmake writes.
extern const KernelFile kEmbeddedFiles[];
extern const std::size_t kEmbeddedFileCount;

}  // namespace detail

std::span<const KernelFile> kernel_files() { return {detail::kEmbeddedFiles, detail::kEmbeddedFileCount}; }

const KernelFile* find_kernel_file(std::string_view name) {
    const auto files = kernel_files();
    const auto found =
        std::lower_bound(files.begin(), files.end(), name,
                         [](const KernelFile& file, std::string_view wanted) { return file.name < wanted; });
    return found != files.end() && found->name == name ? &*found : nullptr;
}

const Digest& kernel_files_digest() {
    static const Digest digest = [] {
        Sha256 hash("kernel files 1");
        for (const KernelFile& file : kernel_files()) hash.field(file.name).field(file.text);
        return hash.finish();
    }();
    return digest;
}

}  // namespace flashwave
