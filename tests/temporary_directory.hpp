// A private directory for one test, removed with everything in it.
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <utility>

#include "base/scratch_directory.hpp"

namespace flashwave::testing {

class TemporaryDirectory {
public:
    TemporaryDirectory() : directory_(made()), path_(std::filesystem::canonical(directory_.path()).string()) {}

    const std::string& path() const { return path_; }
    std::string operator/(const std::string& name) const { return path_ + "/" + name; }

private:
    static ScratchDirectory made() {
        auto directory = ScratchDirectory::create(std::filesystem::temp_directory_path().string(), "flashwave-test");
        REQUIRE(directory.ok());
        return *std::move(directory);
    }

    ScratchDirectory directory_;
    std::string path_;      // without links
};

}  // namespace flashwave::testing
