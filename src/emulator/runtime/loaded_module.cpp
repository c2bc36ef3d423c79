#include "emulator/runtime/loaded_module.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "emulator/code/listing_cache.hpp"
#include "emulator/exec/vector_modes.hpp"
#include "emulator/isa/true16.hpp"
#include "emulator/runtime/device.hpp"
#include "emulator/settings/config.hpp"

namespace hipemu {

using flashwave::Code;
using flashwave::Result;
using flashwave::Status;

namespace {

// Kernel descriptor, properties.
constexpr std::uint16_t kWave32 = 1 << 10;
constexpr std::uint16_t kPreloadLength = 0x7f;
constexpr std::uint32_t kRsrc1WgpMode = 1u << 29;

// COMPUTE_TMPRING_SIZE.WAVESIZE of gfx11: 15 bits, in units of 256 bytes a wave.
constexpr std::uint32_t kLargestPrivate = 0x7fff * 256 / kLanes;
// HIP's own default of hipLimitStackSize: what a work-item gets where the compiler cannot tell how deep calls go.
constexpr std::uint32_t kDefaultStack = 1024;

Status check_kernel(const KernelDescription& kernel, const Chip& chip) {
    const auto refuse = [&](std::string why) { return Status(Code::unsupported, fmt::format("kernel {}: {}", kernel.name, why)); };
    if (!(kernel.properties & kWave32)) return refuse("it is made for waves of 64 work-items; the emulator runs waves of 32");
    if (kernel.preload & kPreloadLength) return refuse("its arguments are preloaded into registers, which the emulator does not do");
    if (kernel.group_bytes > chip.lds_per_group)
        return refuse(fmt::format("it needs {} bytes of LDS; {} has {}", kernel.group_bytes, chip.name, chip.lds_per_group));
    if (kernel.private_bytes > kLargestPrivate)
        return Status(Code::corrupt, fmt::format("kernel {}: it claims {} bytes of private memory a work-item; no card has more than {}", kernel.name,
                                                 kernel.private_bytes, kLargestPrivate));
    return {};
}

Status place(const CodeObject& object, std::span<const std::byte> image, Block& block) {
    for (const Segment& segment : object.segments) {
        std::memset(block.whole.host + segment.address, 0, segment.memory_bytes);
        std::memcpy(block.whole.host + segment.address, image.data() + segment.file_offset, segment.file_bytes);
        block.parts.push_back({.base = block.whole.base + segment.address,
                               .size = segment.memory_bytes,
                               .host = block.whole.host + segment.address,
                               .defined = nullptr,
                               .writable = segment.writable,
                               .label = fmt::format("{} of {}", segment.executable ? "code" : segment.writable ? "variables" : "constants",
                                                    block.whole.label)});
    }
    std::sort(block.parts.begin(), block.parts.end(), [](const Allocation& a, const Allocation& b) { return a.base < b.base; });
    for (std::size_t i = 1; i < block.parts.size(); ++i)
        if (block.parts[i - 1].base + block.parts[i - 1].size > block.parts[i].base)
            return {Code::corrupt, "the code object is damaged: its segments overlap"};
    for (const Relocation& relocation : object.relocations) {
        const std::uint64_t base = relocation.absolute ? 0 : block.whole.base;
        const std::uint64_t value = (base + static_cast<std::uint64_t>(relocation.value)) >> relocation.shift;
        std::memcpy(block.whole.host + relocation.address, &value, relocation.bytes);
    }
    return {};
}

std::unique_ptr<LoadedKernel> make_kernel(const KernelDescription& description, const CodeObject& object, Device& device,
                                          std::shared_ptr<const Program> program, std::shared_ptr<const SourceLines> source_lines,
                                          std::shared_ptr<const TimedProgram> timed) {
    auto loaded = std::make_unique<LoadedKernel>();
    loaded->description = description;
    loaded->device = &device;
    loaded->kernel = {
        .name = description.name,
        .program = std::move(program),
        .entry_offset = description.entry_address - object.text_address,
        .group_bytes = description.group_bytes,
        .private_bytes = description.dynamic_stack ? std::max(description.private_bytes, kDefaultStack) : description.private_bytes,
        .kernarg_bytes = description.kernarg_bytes,
        .rsrc1 = description.rsrc1,
        .rsrc2 = description.rsrc2,
        .rsrc3 = description.rsrc3,
        .properties = description.properties,
        .vgprs = description.vgprs,
        .sgprs = description.sgprs,
        .vgpr_spills = description.vgpr_spills,
        .sgpr_spills = description.sgpr_spills,
        .max_threads = description.max_threads,
        .wgp_mode = (description.rsrc1 & kRsrc1WgpMode) != 0,
        .source_lines = std::move(source_lines),
        .timed = std::move(timed),
    };
    return loaded;
}

}  // namespace

LoadedKernel* LoadedModule::find_kernel(std::string_view kernel_name) const {
    for (const auto& kernel : kernels)
        if (kernel->description.name == kernel_name) return kernel.get();
    return nullptr;
}

const Symbol* LoadedModule::find_variable(std::string_view variable) const {
    for (const Symbol& symbol : object.symbols)
        if (symbol.is_object && symbol.name == variable && !variable.ends_with(".kd")) return &symbol;
    return nullptr;
}

Result<std::unique_ptr<LoadedModule>> load_module(std::span<const std::byte> image, Device& device, AddressSpace& memory, std::string name,
                                                  const std::string& cache_directory) {
    auto object = read_code_object(image);
    if (!object.ok()) return object.status();
    const std::string target(device.chip->target);
    if (object->target != target && object->target != generic_target_of(target))
        return Status(Code::unsupported, fmt::format("the code object is for {}, the device is a {}", object->target, target));
    for (const KernelDescription& kernel : object->kernels) FLASHWAVE_RETURN_IF_ERROR(check_kernel(kernel, *device.chip));
    auto listing = cached_listing(image, target, cache_directory);
    if (!listing.ok()) return listing.status().with_context("the code object cannot be disassembled");
    const std::string lines = with_true16(std::move(*listing), text_of(*object, image), object->text_address);
    auto program = decode(lines, target, object->text_address);
    if (!program.ok()) return program.status();
    const bool unusual_mode = std::any_of(object->kernels.begin(), object->kernels.end(),
                                          [](const KernelDescription& kernel) { return (kernel.rsrc1 >> 12 & kModeBits) != kUsualMode; });
    if (unusual_mode) obey_mode(**program);

    auto module = std::make_unique<LoadedModule>();
    module->name = name;
    module->device = &device;
    module->block = memory.allocate(BlockKind::image, object->memory_bytes, device.ordinal, std::move(name));
    if (!module->block) return Status(Code::out_of_memory, fmt::format("no room for a code object of {} bytes", object->memory_bytes));
    if (Status placed = place(*object, image, *module->block); !placed.ok()) {
        memory.release(module->block);
        return placed;
    }
    memory.changed();
    (*program)->load_address = module->block->whole.base + object->text_address;
    const auto source_lines = object->has_source_lines ? std::make_shared<const SourceLines>(image, object->text_address) : nullptr;
    const auto timed = config().timing ? std::make_shared<const TimedProgram>(**program, *device.chip) : nullptr;
    for (const KernelDescription& kernel : object->kernels)
        module->kernels.push_back(make_kernel(kernel, *object, device, *program, source_lines, timed));
    module->object = std::move(*object);
    return module;
}

void unload_module(LoadedModule& module, AddressSpace& memory) {
    memory.release(module.block);
    module.block = nullptr;
    module.kernels.clear();
}

}  // namespace hipemu
