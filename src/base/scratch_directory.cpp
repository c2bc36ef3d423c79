#include "base/scratch_directory.hpp"

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/file.hpp"

namespace flashwave {

Result<ScratchDirectory> ScratchDirectory::create(const std::string& parent, const std::string& prefix) {
    std::string path = parent + "/" + prefix + "-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) return errno_status(errno, "cannot create a temporary directory in", parent);
    return ScratchDirectory(std::move(path));
}

ScratchDirectory& ScratchDirectory::operator=(ScratchDirectory&& other) noexcept {
    if (this != &other) {
        remove();
        path_ = std::exchange(other.path_, {});
    }
    return *this;
}

void ScratchDirectory::remove() {
    if (path_.empty()) return;
    std::error_code ignored;  // what cannot be removed is left to whoever cleans temporary files
    std::filesystem::remove_all(path_, ignored);
    path_.clear();
}

}  // namespace flashwave
