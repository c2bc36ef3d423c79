// A finding names the line of the source where the object has debug information.
#include "emulator/hip_program.hpp"

namespace {

using namespace hip_test;

// Line 5 writes behind the allocation; line 8 calls it.
constexpr const char* kOutside =
    "\n"
    "\n"
    "// Element i of p.\n"
    "static __device__ void put(float* p, int i, float v) {\n"
    "    p[i] = v;\n"
    "}\n"
    "extern \"C\" __global__ void fill(float* p, int n) {\n"
    "    if (threadIdx.x < n) put(p, threadIdx.x, 1.0f);\n"
    "}\n";

std::string finding(const std::vector<std::string>& options, int n) {
    const Module module(compile(kOutside, options));
    const Array<float> p(32);
    HIP_OK(launch(module.kernel("fill"), {1}, {64}, 0, nullptr, p.get(), n));
    if (hipDeviceSynchronize() == hipSuccess) return {};
    return explanation();
}

}  // namespace

TEST_CASE("a finding in an object with debug information names file and line, through inlined functions") {
    const std::string text = finding({"-O3", "-g"}, 64);
    INFO(text);
    CHECK(text.find("` (test.hip:5, inlined into test.hip:8): ") != std::string::npos);
    CHECK(text.find("past the end of") != std::string::npos);
    CHECK_EQ(finding({"-O3", "-g"}, 32), "");
}

TEST_CASE("a finding in an object without debug information names no line and complains of nothing") {
    const std::string text = finding({"-O3"}, 64);
    INFO(text);
    CHECK(text.find("test.hip") == std::string::npos);
    CHECK(text.find("`: ") != std::string::npos);
    CHECK(text.find("kernel fill, group (0,0,0), wave 1") != std::string::npos);
}
