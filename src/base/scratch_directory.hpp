// A private directory for temporary files, gone with everything in it when its owner is.
#pragma once

#include <string>
#include <utility>

#include "flashwave/status.hpp"

namespace flashwave {

class ScratchDirectory {
public:
    /// "<parent>/<prefix>-XXXXXX", for its owner alone. As errno_status() of base/file.hpp where `parent` takes none.
    static Result<ScratchDirectory> create(const std::string& parent, const std::string& prefix);

    ScratchDirectory(ScratchDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    ScratchDirectory& operator=(ScratchDirectory&& other) noexcept;
    ~ScratchDirectory() { remove(); }

    const std::string& path() const { return path_; }
    /// Leaves it where it is: after fork it is the parent's.
    void disown() { path_.clear(); }

private:
    explicit ScratchDirectory(std::string path) : path_(std::move(path)) {}
    void remove();

    std::string path_;
};

}  // namespace flashwave
