#include "compile/code_object_info.hpp"

#include <elf.h>

#include <random>

#include "worker/compiler.hpp"

namespace {

using namespace flashwave;

Result<CompiledObject> compiled(const std::string& target) {
    static const auto launch = compiler_here();
    if (!launch) return Status(Code::unavailable, "no compiler");
    static auto channel = WorkerChannel::start(*launch);
    REQUIRE(channel.ok());
    auto object = (*channel)->compile(small_job(target), soon());
    INFO(object.status().to_string());
    REQUIRE(object.ok());
    return object;
}

TEST_CASE("a compiled kernel's resources are read") {
    const auto object = compiled("gfx1100");
    if (!object.ok()) return;
    const auto info = read_code_object(object->code);
    INFO(info.status().to_string());
    REQUIRE(info.ok());
    CHECK(info->target == "gfx1100");
    REQUIRE(info->kernels.size() == 1);
    const KernelInfo* kernel = info->find("small");
    REQUIRE(kernel != nullptr);
    CHECK(kernel->lds_bytes == 256);
    CHECK(kernel->wave_size == 32);
    CHECK(kernel->kernarg_bytes == 8);
    CHECK(kernel->max_workgroup == 128);
    CHECK(kernel->vgprs > 0);
    CHECK(kernel->sgprs > 0);
    CHECK(kernel->scratch_bytes == 0);
    CHECK(kernel->vgpr_spills == 0);
    CHECK(info->find("large") == nullptr);
}

TEST_CASE("the target of the header is the one that was asked for") {
    for (const char* target :
         {"gfx803", "gfx906:sramecc+:xnack-", "gfx90a:sramecc+:xnack+", "gfx942:sramecc+:xnack-", "gfx950", "gfx1030",
          "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1200", "gfx1201"}) {
        CAPTURE(target);
        const auto object = compiled(target);
        if (!object.ok()) return;
        CHECK(read_code_object(object->code)->target == target);
        CHECK(check_code_object(object->code, target).ok());
        CHECK(check_code_object(object->code, "gfx1100").code() == Code::unsupported);
    }
}

TEST_CASE("features that the object leaves open fit, others have to agree") {
    const auto open = compiled("gfx90a");
    if (!open.ok()) return;
    CHECK(check_code_object(open->code, "gfx90a:sramecc+:xnack-").ok());
    const auto fixed = compiled("gfx90a:xnack+");
    CHECK(check_code_object(fixed->code, "gfx90a:sramecc+:xnack+").ok());
    const Status status = check_code_object(fixed->code, "gfx90a:sramecc+:xnack-");
    CHECK(status.code() == Code::unsupported);
    CHECK(status.message() == "the code object was made for gfx90a:xnack+ and the device is gfx90a:sramecc+:xnack-.");
}

TEST_CASE("bytes that are no code object are corrupt") {
    for (const std::string& bytes : {std::string(), std::string("x"), std::string(1000, '\0'),
                                     std::string("\x7f"
                                                 "ELF",
                                                 4)}) {
        CHECK(read_code_object(bytes).status().code() == Code::corrupt);
        CHECK(check_code_object(bytes, "gfx1100").code() == Code::corrupt);
    }
    const auto program = read_file("/proc/self/exe");
    REQUIRE(program.ok());
    CHECK(check_code_object(*program, "gfx1100").message() ==
          "not a code object for an AMD GPU: its machine is 62 and not 224.");
}

TEST_CASE("cut objects are never read beyond their end") {
    const auto object = compiled("gfx1100");
    if (!object.ok()) return;
    int read = 0;
    for (std::size_t size = 0; size < object->code.size(); size += 7) {
        // A string of its own size, so that a sanitizer sees a read beyond it.
        const std::string cut(object->code.data(), size);
        read += read_code_object(cut).ok();
        (void)check_code_object(cut, "gfx1100");
    }
    CHECK(read < static_cast<int>(object->code.size() / 7));
}

TEST_CASE("random damage gives an answer or a status, nothing else") {
    const auto object = compiled("gfx1100");
    if (!object.ok()) return;
    std::mt19937 random(11);
    for (int round = 0; round < 3000; ++round) {
        std::string damaged = object->code;
        const std::size_t region = round % 2 == 0 ? 0x400 : damaged.size();  // headers and notes lie in front
        for (int flips = 1 + round % 8; flips > 0; --flips) damaged[random() % region] = static_cast<char>(random());
        const auto info = read_code_object(damaged);
        if (!info.ok()) CHECK(info.status().code() == Code::corrupt);
    }
}

}  // namespace
