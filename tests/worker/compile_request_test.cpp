#include "compile/compile_request.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "compile/kernel_files.hpp"
#include "worker/compiler.hpp"

namespace {

using namespace flashwave;

TEST_CASE("whatever reaches the compiler changes the key") {
    const Digest toolchain = sha256("toolchain");
    const Digest key = compile_key(small_job(), toolchain);
    CHECK(compile_key(small_job(), toolchain) == key);

    std::vector<CompileJob> changed(9, small_job());
    changed[0].target = "gfx1101";
    changed[1].main_file = "part/square.h";
    changed[2].files[0].text += " ";
    changed[3].files[1].text += " ";
    changed[4].files[1].name = "part/other.h";
    changed[5].files.push_back({.name = "unused.h", .text = ""});
    changed[6].options.emplace_back("-DX");
    changed[7].options[0] = "-O2";
    std::swap(changed[8].options[0], changed[8].options[1]);
    std::vector<Digest> keys{key, compile_key(small_job(), sha256("another toolchain"))};
    for (const CompileJob& job : changed) keys.push_back(compile_key(job, toolchain));
    std::sort(keys.begin(), keys.end());
    CHECK(std::adjacent_find(keys.begin(), keys.end()) == keys.end());
}

TEST_CASE("the order of the files does not change the key") {
    CompileJob job = small_job();
    const Digest key = compile_key(job, Digest());
    std::swap(job.files[0], job.files[1]);
    CHECK(compile_key(job, Digest()) == key);
}

TEST_CASE("text moved between fields is another key") {
    CompileJob left = small_job();
    CompileJob right = small_job();
    left.options = {"-D", "X"};
    right.options = {"-DX"};
    CHECK(compile_key(left, Digest()) != compile_key(right, Digest()));
    left = right = small_job();
    left.files[1] = {.name = "a", .text = "bc"};
    right.files[1] = {.name = "ab", .text = "c"};
    CHECK(compile_key(left, Digest()) != compile_key(right, Digest()));
}

TEST_CASE("the embedded kernels are the files of the source tree") {
    const auto files = kernel_files();
    REQUIRE_FALSE(files.empty());
    CHECK(std::is_sorted(files.begin(), files.end(),
                         [](const KernelFile& left, const KernelFile& right) { return left.name < right.name; }));
    for (const KernelFile& file : files) {
        CAPTURE(file.name);
        CHECK(*read_file(std::string(FLASHWAVE_SOURCE_DIR) + "/kernels_src/" + std::string(file.name)) == file.text);
        CHECK(find_kernel_file(file.name) == &file);
    }
    CHECK(find_kernel_file("no/such.h") == nullptr);
    CHECK(kernel_files_digest() == kernel_files_digest());
}

TEST_CASE("a kernel's job holds its own file and every header, and no other kernel") {
    const CompileJob job = kernel_job("naive.hip", "gfx1100", {"-O3"});
    CHECK(job.main_file == "naive.hip");
    CHECK(job.target == "gfx1100");
    std::size_t kernels = 0;
    for (const SourceFile& file : job.files) kernels += file.name.ends_with(".hip");
    CHECK(kernels == 1);
    const auto headers = std::count_if(kernel_files().begin(), kernel_files().end(),
                                       [](const KernelFile& file) { return file.name.ends_with(".h"); });
    CHECK(job.files.size() == static_cast<std::size_t>(headers) + 1);
}

}  // namespace
