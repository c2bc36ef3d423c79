#include "emulator/timing_loop.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <memory>

namespace emulator_test {
namespace {

using namespace hipemu;

constexpr std::uint64_t kArguments = 0x7f8000000000;
constexpr std::uint32_t kKernargPtr = 1u << 3, kWave32 = 1u << 10;

}  // namespace

TimedLoop::TimedLoop(std::string_view body, std::string_view before) : body_(body), before_(before), memory_(4096) {}

TimedLoop& TimedLoop::card(std::string_view name) { return card_ = name, *this; }
TimedLoop& TimedLoop::waves(std::uint32_t count) { return waves_ = count, *this; }
TimedLoop& TimedLoop::groups(std::uint32_t count) { return groups_ = count, *this; }
TimedLoop& TimedLoop::vgprs(std::uint32_t count) { return vgprs_ = count, *this; }
TimedLoop& TimedLoop::lds(std::uint32_t bytes) { return lds_ = bytes, *this; }
TimedLoop& TimedLoop::buffer(std::size_t bytes) { return memory_.assign(bytes, std::byte{0}), *this; }
TimedLoop& TimedLoop::host_threads(unsigned count) { return host_threads_ = count, *this; }
TimedLoop& TimedLoop::sample(std::uint64_t groups) { return sample_ = groups, *this; }

LaunchResult TimedLoop::launch(unsigned copies, unsigned iterations) const {
    const Chip* chip = find_chip(card_);
    REQUIRE(chip != nullptr);
    std::string lines = "s_load_b64 s[0:1], s[0:1], null\ns_waitcnt lgkmcnt(0)\n" + before_ + "\n";
    if (iterations > 1) lines += "s_movk_i32 s40, " + std::to_string(iterations) + "\nnext_iteration:\n";
    for (unsigned i = 0; i < copies; ++i) lines += body_ + "\n";
    if (iterations > 1) lines += "s_sub_u32 s40, s40, 1\ns_cmp_lg_u32 s40, 0\ns_cbranch_scc1 next_iteration\n";
    lines += "s_endpgm\n";
    auto program = decode(lines, chip->target, 0);
    REQUIRE(program.ok());
    Kernel kernel;
    kernel.name = "timed_loop";
    kernel.program = *program;
    kernel.properties = kKernargPtr | kWave32;
    kernel.rsrc2 = 2u << 1 | 1u << 7;
    kernel.vgprs = vgprs_;
    std::vector<std::byte> arguments(16);
    std::memcpy(arguments.data(), &kTimedBuffer, sizeof(kTimedBuffer));
    LaunchRequest request;
    request.kernel = &kernel;
    request.grid = {groups_, 1, 1};
    request.block = {waves_ * kLanes, 1, 1};
    request.dynamic_lds = lds_;
    request.kernarg_address = kArguments;
    request.chip = chip;
    request.sample_groups = sample_;
    request.host_threads = host_threads_;
    request.strict = Strictness::none();
    request.memory = std::make_shared<MemoryMap>(std::vector<Allocation>{
        {.base = kTimedBuffer, .size = memory_.size(), .host = memory_.data(), .defined = nullptr, .writable = true, .label = "buffer"},
        {.base = kArguments, .size = 16, .host = arguments.data(), .defined = nullptr, .writable = false, .label = "kernel arguments"}});
    LaunchResult result = run(request);
    INFO(lines.substr(0, 400));
    REQUIRE_MESSAGE(!result.fault.has_value(), result.fault->to_string());
    return result;
}

KernelTime TimedLoop::time(unsigned copies, unsigned iterations) const { return launch(copies, iterations).time; }

double TimedLoop::cycles_each(unsigned copies) const {
    constexpr unsigned kIterations = 32;
    return (time(2 * copies, kIterations).cycles - time(copies, kIterations).cycles) / (copies * kIterations);
}

}  // namespace emulator_test
