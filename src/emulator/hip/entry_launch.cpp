// Launching kernels.
#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "emulator/hip/work.hpp"
#include "emulator/runtime/bit_flip.hpp"
#include "emulator/runtime/grid_barrier.hpp"
#include "emulator/runtime/kernel_arguments.hpp"
#include "emulator/runtime/loaded_module.hpp"

using namespace hipemu;

namespace {

constexpr std::uint64_t kArgumentBytes = 64 << 10;  // more than any kernel takes
constexpr std::uint32_t kMaxThreads = 1024;
constexpr std::uint32_t kMaxGrid = 65536;   // blocks in y and z, as HIP has it; in x the threads are the limit
constexpr std::uint64_t kMaxGridThreads = std::uint64_t{1} << 32;  // work-items in one dimension: the dispatch packet has 32 bits

/// HIP's error for a shape the card refuses, with the reason.
hipError_t check_shape(const LoadedKernel& loaded, const LaunchShape& shape) {
    const Kernel& kernel = loaded.kernel;
    std::uint64_t threads = 1;
    for (int i = 1; i < 3; ++i) {
        if (shape.grid[i] > kMaxGrid)
            return refuse(hipErrorInvalidValue, fmt::format("kernel {}: {} blocks in dimension {}; {} at most", kernel.name, shape.grid[i], "xyz"[i], kMaxGrid));
    }
    for (int i = 0; i < 3; ++i) {
        if (shape.grid[i] == 0 || shape.block[i] == 0)
            return refuse(hipErrorInvalidConfiguration, fmt::format("kernel {}: dimension {} of the grid or block is 0", kernel.name, "xyz"[i]));
        if (std::uint64_t{shape.grid[i]} * shape.block[i] >= kMaxGridThreads)
            return refuse(hipErrorInvalidConfiguration,
                          fmt::format("kernel {}: {} blocks of {} threads in dimension {} are more than 2^32-1 threads", kernel.name,
                                      shape.grid[i], shape.block[i], "xyz"[i]));
        threads *= shape.block[i];
    }
    const std::uint32_t most = std::min(kMaxThreads, kernel.max_threads);
    if (threads > most)
        return refuse(threads > kMaxThreads ? hipErrorInvalidConfiguration : hipErrorLaunchFailure,
                      fmt::format("kernel {}: a block of {} threads; {} at most ({})", kernel.name, threads, most,
                                  most == kMaxThreads ? "the device's limit" : "its launch bounds"));
    const std::uint64_t lds = std::uint64_t{kernel.group_bytes} + shape.dynamic_lds;
    if (lds > loaded.device->chip->lds_per_group)
        return refuse(hipErrorLaunchOutOfResources, fmt::format("kernel {}: {} + {} bytes of LDS; the device has {} for a group", kernel.name,
                                                                kernel.group_bytes, shape.dynamic_lds, loaded.device->chip->lds_per_group));
    // A group's waves all have to be there at once. Compilers keep to that for the block sizes they are told, not for registers named in assembly.
    const Footprint footprint = kernel.footprint(static_cast<std::uint32_t>(threads), shape.dynamic_lds);
    if (occupancy_of(*loaded.device->chip, footprint).groups_per_wgp == 0)
        return refuse(hipErrorLaunchOutOfResources, fmt::format("kernel {}: {} threads of {} vector registers each are more than a multiprocessor holds",
                                                                kernel.name, threads, kernel.vgprs));
    return hipSuccess;
}

flashwave::Result<std::vector<std::byte>> pack(const KernelDescription& kernel, void** parameters, void** extra) {
    if (!extra) return pack_pointers(kernel, parameters);
    const void* block = nullptr;
    const std::size_t* bytes = nullptr;
    for (std::size_t i = 0; extra[i] != HIP_LAUNCH_PARAM_END; i += 2) {
        if (extra[i] == HIP_LAUNCH_PARAM_BUFFER_POINTER) block = extra[i + 1];
        else if (extra[i] == HIP_LAUNCH_PARAM_BUFFER_SIZE) bytes = static_cast<const std::size_t*>(extra[i + 1]);
        else return flashwave::Status(flashwave::Code::invalid_argument, fmt::format("entry {} of `extra` is no known marker", i));
    }
    if (!bytes || (!block && *bytes != 0))
        return flashwave::Status(flashwave::Code::invalid_argument, "`extra` lacks the argument block or its size");
    return pack_block(kernel, {static_cast<const std::byte*>(block), *bytes});
}

hipError_t error_of(const Fault& fault) {
    switch (fault.kind) {
        case FaultKind::out_of_bounds: return hipErrorIllegalAddress;
        case FaultKind::instruction_limit: return hipErrorLaunchTimeOut;
        default: return hipErrorLaunchFailure;
    }
}

template <std::size_t N>
void put_text(char (&field)[N], const std::string& text) {
    std::memset(field, 0, N);
    std::memcpy(field, text.data(), std::min(text.size(), N - 1));
}

Outcome failed(Machine& machine, const Fault& fault) {
    machine.last_fault = fault.to_string();
    print_message(machine.last_fault);
    return {.error = error_of(fault), .explanation = machine.last_fault};
}

/// Says each once, however often the kernel runs.
void warn(Machine& machine, const std::vector<Fault>& warnings) {
    for (const Fault& warning : warnings) {
        if (!machine.warned.insert(fmt::format("{} {:#x} {} {}", warning.kernel, warning.code_address, warning.lane >= 0, static_cast<int>(warning.kind))).second) continue;
        machine.last_warning = warning.to_string();
        ++machine.warning_count;
        print_message("warning: " + machine.last_warning);
    }
}

/// What is said of a kernel that was made to have no end.
Fault never_ends(const Kernel& kernel) {
    return {.kind = FaultKind::instruction_limit, .message = "it runs on and on (made to, on purpose) and was stopped", .kernel = kernel.name};
}

/// How the thread that launches wants kernels to be run.
struct LaunchRules {
    std::uint64_t sample_groups = 0;
    std::uint64_t instruction_limit = 0;
    Strictness strict;
};

LaunchRules rules_of_this_thread() {
    const ThreadState& thread = this_thread();
    return {.sample_groups = thread.sample_groups_set ? thread.sample_groups : config().sample_groups,
            .instruction_limit = thread.instruction_limit.value_or(config().instruction_limit),
            .strict = thread.strict.value_or(config().strict)};
}

/// Runs a launch to its end.
Outcome run_launch(Machine& machine, Device& device, const Kernel& kernel, const LaunchShape& shape, const std::vector<std::byte>& arguments,
                   const LaunchRules& rules) {
    // Kernel arguments always lie at the same place, for the model's time depends on addresses.
    if (!device.arguments) device.arguments = machine.memory.allocate(BlockKind::image, kArgumentBytes, device.ordinal, "kernel arguments");
    if (!device.arguments) return {.error = hipErrorOutOfMemory};
    const Allocation& place = device.arguments->whole;
    std::memcpy(place.host, arguments.data(), arguments.size());
    // Loads of arguments come in whole 16 bytes.
    const Allocation visible{.base = place.base,
                             .size = (arguments.size() + 15) / 16 * 16,
                             .host = place.host,
                             .defined = nullptr,
                             .writable = false,
                             .label = place.label};
    const std::shared_ptr<const MemoryMap> memory = machine.memory.snapshot(visible, device.ordinal, device.peers);
    if (shape.grid_barrier != 0) reset_grid_barrier(device, shape.grid[0] * shape.grid[1] * shape.grid[2]);
    const LaunchOrders orders = Injector::instance().at_launch(kernel.name);
    // Other threads go on meanwhile: the kernel sees memory as it is now, and nothing that it sees is freed before it ends.
    std::optional<Unlocked> unlocked(machine);
    if (orders.blocks) Injector::instance().block();
    if (orders.hangs) {
        unlocked.reset();
        return failed(machine, never_ends(kernel));
    }
    std::optional<BitFlip> flip;
    if (orders.flip) flip.emplace(memory);
    LaunchResult result = run({.kernel = &kernel,
                               .grid = shape.grid,
                               .block = shape.block,
                               .dynamic_lds = shape.dynamic_lds,
                               .kernarg_address = place.base,
                               .memory = memory,
                               .chip = device.chip,
                               .timed = config().timing,
                               .sample_groups = rules.sample_groups,
                               .instruction_limit = rules.instruction_limit,
                               .host_threads = config().host_threads,
                               .strict = rules.strict});
    const std::string flipped = flip && !result.fault ? flip->apply(*orders.flip, orders.draw) : "";
    unlocked.reset();
    warn(machine, result.warnings);
    if (result.fault) return failed(machine, *result.fault);
    if (!flipped.empty()) print_message(fmt::format("kernel {}: {} on purpose", kernel.name, flipped));
    HipemuLaunchStats& stats = machine.last_launch;
    stats = {};
    stats.waves_per_simd = result.time.occupancy.waves_per_simd;
    stats.groups = std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
    stats.groups_run = result.groups_run;
    std::copy(result.instructions.begin(), result.instructions.end(), stats.instructions);
    stats.seconds = result.time.seconds;
    stats.cycles = result.time.cycles;
    stats.matrix_share = result.time.matrix_share;
    put_text(stats.limiter, result.time.limiter);
    put_text(stats.occupancy_limit, std::string(result.time.occupancy.limit));
    stats.groups_per_wgp = result.time.occupancy.groups_per_wgp;
    stats.groups_timed = result.time.groups_timed;
    const WhereCycles& where = result.time.where;
    const auto part = [&](Where of) { return where[static_cast<std::size_t>(of)]; };
    stats.parts = {.matrix = part(Where::matrix),
                   .valu = part(Where::valu),
                   .trans = part(Where::trans),
                   .lds = part(Where::lds),
                   .memory_wait = part(Where::memory_wait),
                   .lds_wait = part(Where::lds_wait),
                   .barrier = part(Where::barrier),
                   .scalar = part(Where::scalar),
                   .dependency = part(Where::dependency),
                   .fetch = part(Where::fetch),
                   .idle = part(Where::idle)};
    machine.last_profile = {.program = kernel.program,
                            .counts = std::move(result.counts),
                            .instructions = std::move(result.time.instructions),
                            .timed_groups = static_cast<std::uint32_t>(result.time.groups_simulated)};
    return {.duration = static_cast<Picoseconds>((result.time.seconds + device.chip->launch_overhead_us * 1e-6) * 1e12)};
}

/// All work-groups of a cooperative launch have to be there at once.
hipError_t make_cooperative(Machine& machine, Device& device, hipFunction_t function, LaunchShape& shape) {
    const LoadedKernel* loaded = machine.find_function(function);
    if (!loaded) return hipSuccess;  // told by what comes next
    if (const hipError_t error = check_shape(*loaded, shape)) return error;
    const std::uint32_t threads = shape.block[0] * shape.block[1] * shape.block[2];
    const std::uint64_t groups = std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2], multiprocessors = device.chip->compute_units / 2;
    const std::uint64_t most = occupancy_of(*device.chip, loaded->kernel.footprint(threads, shape.dynamic_lds)).groups_per_wgp * multiprocessors;
    if (groups > most)
        return refuse(hipErrorCooperativeLaunchTooLarge,
                      fmt::format("kernel {}: a cooperative launch of {} blocks; the device holds {} of them at a time", loaded->kernel.name, groups, most));
    shape.grid_barrier = grid_barrier_of(machine, device);
    return shape.grid_barrier != 0 ? hipSuccess : hipErrorOutOfMemory;
}

enum class Together { any, all };  // all: a cooperative launch

hipError_t launch(hipFunction_t function, LaunchShape shape, hipStream_t handle, void** parameters, void** extra,
                  Together together = Together::any, const char* call = __builtin_FUNCTION()) {
    return stream_entry(handle, [&](Machine& machine, Device& device, Stream& stream) {
        if (together == Together::all)
            if (const hipError_t error = make_cooperative(machine, device, function, shape)) return error;
        KernelTask task;
        if (const hipError_t error = prepare_kernel(machine, function, shape, parameters, extra, task)) return error;
        if (task.kernel->device != &device)
            return refuse(hipErrorInvalidHandle, fmt::format("kernel {} was loaded for device {}, the stream is of device {}",
                                                             task.kernel->kernel.name, task.kernel->device->ordinal, device.ordinal));
        return submit(machine, device, stream, std::move(task));
    }, call);
}

}  // namespace

namespace hipemu {

hipError_t prepare_kernel(Machine& machine, hipFunction_t function, const LaunchShape& shape, void** parameters, void** extra, KernelTask& task) {
    LoadedKernel* loaded = machine.find_function(function);
    if (!loaded) return refuse(hipErrorInvalidDeviceFunction, "there is no such function; was its module unloaded?");
    if (parameters && extra) return refuse(hipErrorInvalidValue, "both kernelParams and extra are given");
    if (const hipError_t error = check_shape(*loaded, shape)) return error;
    auto arguments = pack(loaded->description, parameters, extra);
    if (!arguments.ok()) return refuse(hipErrorInvalidValue, arguments.status().message());
    if (arguments->size() > kArgumentBytes)
        return refuse(hipErrorInvalidValue, fmt::format("{} bytes of arguments are too many", arguments->size()));
    fill_hidden(loaded->description, shape, *arguments);
    task = {.kernel = loaded, .kernel_serial = loaded->serial, .shape = shape, .arguments = *std::move(arguments)};
    return hipSuccess;
}

bool is_loaded(Machine& machine, const KernelTask& task) {
    return machine.find_function(reinterpret_cast<hipFunction_t>(task.kernel)) == task.kernel && task.kernel->serial == task.kernel_serial;
}

Operation kernel_operation(Machine& machine, Device& device, std::shared_ptr<const Task> task) {
    return {.run = [&machine, &device, task = std::move(task), rules = rules_of_this_thread()]() -> Outcome {
                const KernelTask& work = std::get<KernelTask>(*task);
                if (!is_loaded(machine, work) || work.kernel->device != &device)
                    return {.error = hipErrorInvalidDeviceFunction, .explanation = "a kernel of the graph is not of this device, or its module was unloaded"};
                return run_launch(machine, device, work.kernel->kernel, work.shape, work.arguments, rules);
            },
            .engine = Engine::compute};
}

}  // namespace hipemu

HIPEMU_EXPORT hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                               unsigned block_y, unsigned block_z, unsigned shared_bytes, hipStream_t stream,
                                               void** parameters, void** extra) {
    return launch(function, {.grid = {grid_x, grid_y, grid_z}, .block = {block_x, block_y, block_z}, .dynamic_lds = shared_bytes}, stream,
                  parameters, extra);
}

HIPEMU_EXPORT hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                                          unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                                          hipStream_t stream, void** parameters) {
    return launch(function, {.grid = {grid_x, grid_y, grid_z}, .block = {block_x, block_y, block_z}, .dynamic_lds = shared_bytes}, stream,
                  parameters, nullptr, Together::all);
}

// The launch of AMD's own extension: its grid counts work-items, and it records events around the kernel.
HIPEMU_EXPORT hipError_t hipExtModuleLaunchKernel(hipFunction_t function, std::uint32_t threads_x, std::uint32_t threads_y,
                                                  std::uint32_t threads_z, std::uint32_t block_x, std::uint32_t block_y,
                                                  std::uint32_t block_z, std::size_t shared_bytes, hipStream_t stream, void** parameters,
                                                  void** extra, hipEvent_t start, hipEvent_t stop, std::uint32_t) {
    return whole_call([&] {
        const std::uint32_t threads[] = {threads_x, threads_y, threads_z}, block[] = {block_x, block_y, block_z};
        for (int i = 0; i < 3; ++i)
            if (block[i] == 0 || threads[i] % block[i] != 0)
                return refuse(hipErrorInvalidConfiguration, fmt::format("{} work-items in dimension {} are no whole blocks of {}", threads[i], "xyz"[i], block[i]));
        if (start)
            if (const hipError_t error = hipEventRecord(start, stream)) return error;
        if (const hipError_t error = launch(function,
                                            {.grid = {threads_x / block_x, threads_y / block_y, threads_z / block_z},
                                             .block = {block_x, block_y, block_z},
                                             .dynamic_lds = static_cast<std::uint32_t>(shared_bytes)},
                                            stream, parameters, extra))
            return error;
        return stop ? hipEventRecord(stop, stream) : hipSuccess;
    });
}
