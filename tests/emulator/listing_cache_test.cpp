// Listings are kept on disk by the object's hash: found again, and never believed when they are damaged.
#include "emulator/code/listing_cache.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "emulator/compiled_kernel.hpp"

namespace {

struct Directory {
    std::string path = std::filesystem::temp_directory_path() / ("hipemu-listings-" + std::to_string(getpid()));
    Directory() { std::filesystem::remove_all(path); }
    ~Directory() { std::filesystem::remove_all(path); }
};

std::string contents(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void overwrite(const std::string& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

}  // namespace

TEST_CASE("a listing is stored, found again, and made anew when the file is damaged") {
    const std::string code = hip_test::compile(R"(extern "C" __global__ void empty() {})");
    const auto image = std::as_bytes(std::span(code));
    const Directory directory;
    const auto first = hipemu::cached_listing(image, "gfx1100", directory.path);
    REQUIRE_MESSAGE(first.ok(), first.status().to_string());
    CHECK(first->find("s_endpgm") != std::string::npos);
    const std::string file = hipemu::listing_path(image, "gfx1100", directory.path);
    const std::string stored = contents(file);
    REQUIRE(stored.ends_with(*first));

    const auto again = hipemu::cached_listing(image, "gfx1100", directory.path);
    REQUIRE(again.ok());
    CHECK_EQ(*again, *first);

    for (const std::string& damaged : {stored.substr(0, stored.size() - 1), stored + "x", std::string(), std::string("flashwave listing 2 \n"),
                                       "\n" + stored.substr(1)}) {
        overwrite(file, damaged);
        const auto mended = hipemu::cached_listing(image, "gfx1100", directory.path);
        REQUIRE(mended.ok());
        CHECK_EQ(*mended, *first);
        CHECK_EQ(contents(file), stored);
    }
}

TEST_CASE("no directory to keep listings in costs nothing but time") {
    const std::string code = hip_test::compile(R"(extern "C" __global__ void empty() {})");
    CHECK(hipemu::cached_listing(std::as_bytes(std::span(code)), "gfx1100", "").ok());
    CHECK(hipemu::cached_listing(std::as_bytes(std::span(code)), "gfx1100", "/proc/nowhere").ok());
}
