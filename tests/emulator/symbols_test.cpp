// libhipemu.so as the dynamic linker sees it: it stands in for the real library by soname, names and version nodes.
#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <memory>
#include <string>

namespace {

std::string output_of(const std::string& command) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    REQUIRE(pipe);
    std::string text;
    std::array<char, 4096> part;
    while (const std::size_t count = fread(part.data(), 1, part.size(), pipe.get())) text.append(part.data(), count);
    return text;
}

const std::string kLibrary = FLASHWAVE_BUILD_DIR "/lib/libhipemu.so";

}  // namespace

TEST_CASE("the soname is the real library's") {
    const std::string dynamic = output_of("readelf -d " + kLibrary);
    CHECK(dynamic.find("Library soname: [libamdhip64.so.6]") != std::string::npos);
    CHECK(dynamic.find("SYMBOLIC") != std::string::npos);
}

TEST_CASE("names stand in the version nodes where programs ask for them") {
    const std::string symbols = output_of("readelf -W --dyn-syms " + kLibrary);
    for (const char* name : {"hipMalloc@@hip_4.2", "hipModuleLaunchKernel@@hip_4.2", "hipGetDeviceProperties@@hip_4.2",
                             "hipStreamIsCapturing@@hip_4.3", "hipGraphLaunch@@hip_4.3", "hipGraphExecKernelNodeSetParams@@hip_4.4",
                             "hipStreamGetCaptureInfo_v2@@hip_4.5", "hipMemPoolTrimTo@@hip_5.1", "hipMemcpyPeer@@hip_4.2", "hipStreamGetCaptureInfo@@hip_4.5", "hipMallocAsync@@hip_5.1",
                             "hipLaunchHostFunc@@hip_5.3", "hipGetDevicePropertiesR0600@@hip_6.0", "hipemuDeviceInfo@@hipemu_1"}) {
        CAPTURE(name);
        CHECK(symbols.find(name) != std::string::npos);
    }
}

TEST_CASE("nothing but HIP's calls and the emulator's own is visible") {
    // Defined symbols that are neither version nodes nor named hip...
    const std::string others = output_of("readelf -W --dyn-syms " + kLibrary +
                                         " | awk '$7 != \"UND\" && $4 != \"OBJECT\" && NR > 3 {print $8}' | grep -v '^_\\?_\\?hip' | grep .");
    CHECK_EQ(others, "");
}
