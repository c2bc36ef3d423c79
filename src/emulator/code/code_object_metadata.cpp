#include <exception>
#include <string_view>

#include <fmt/format.h>
#include <msgpack.hpp>

#include "emulator/code/code_object.hpp"

namespace hipemu {

using flashwave::Code;
using flashwave::Result;
using flashwave::Status;

namespace {

// A note that nests deeper or holds more than any compiler writes is damage, not metadata.
const msgpack::unpack_limit kLimits(1 << 20, 1 << 16, 1 << 20, 1 << 20, 1 << 10, 32);

const msgpack::object* find(const msgpack::object& map, std::string_view key) {
    if (map.type != msgpack::type::MAP) return nullptr;
    for (const msgpack::object_kv& entry : map.via.map)
        if (entry.key.type == msgpack::type::STR && std::string_view(entry.key.via.str.ptr, entry.key.via.str.size) == key) return &entry.val;
    return nullptr;
}

std::string text(const msgpack::object& map, std::string_view key) {
    const msgpack::object* value = find(map, key);
    return value && value->type == msgpack::type::STR ? std::string(value->via.str.ptr, value->via.str.size) : std::string();
}

std::uint32_t number(const msgpack::object& map, std::string_view key, std::uint32_t otherwise = 0) {
    const msgpack::object* value = find(map, key);
    return value && value->type == msgpack::type::POSITIVE_INTEGER ? static_cast<std::uint32_t>(value->via.u64) : otherwise;
}

/// A flag is written as a boolean or, by other compilers, as 0 and 1.
bool flag(const msgpack::object& map, std::string_view key) {
    const msgpack::object* value = find(map, key);
    return value && (value->type == msgpack::type::BOOLEAN ? value->via.boolean : number(map, key) != 0);
}

KernelDescription read_kernel(const msgpack::object& map) {
    KernelDescription kernel{
        .name = text(map, ".name"),
        .symbol = text(map, ".symbol"),
        .arguments = {},
        .kernarg_bytes = number(map, ".kernarg_segment_size"),
        .group_bytes = number(map, ".group_segment_fixed_size"),
        .private_bytes = number(map, ".private_segment_fixed_size"),
        .max_threads = number(map, ".max_flat_workgroup_size", 1024),
        .vgprs = number(map, ".vgpr_count"),
        .sgprs = number(map, ".sgpr_count"),
        .vgpr_spills = number(map, ".vgpr_spill_count"),
        .sgpr_spills = number(map, ".sgpr_spill_count"),
        .wave_size = number(map, ".wavefront_size"),
        .wgp_mode = flag(map, ".workgroup_processor_mode"),
        .dynamic_stack = flag(map, ".uses_dynamic_stack"),
    };
    if (const msgpack::object* arguments = find(map, ".args"); arguments && arguments->type == msgpack::type::ARRAY)
        for (const msgpack::object& argument : arguments->via.array)
            kernel.arguments.push_back(
                {.offset = number(argument, ".offset"), .size = number(argument, ".size"), .kind = text(argument, ".value_kind"),
                 .name = text(argument, ".name")});
    return kernel;
}

}  // namespace

Result<std::vector<KernelDescription>> read_kernel_metadata(std::span<const std::byte> note) {
    // msgpack-cxx reports by exceptions; they end here.
    try {
        const msgpack::object_handle handle =
            msgpack::unpack(reinterpret_cast<const char*>(note.data()), note.size(), nullptr, nullptr, kLimits);
        const msgpack::object* list = find(handle.get(), "amdhsa.kernels");
        std::vector<KernelDescription> kernels;
        if (list && list->type == msgpack::type::ARRAY)
            for (const msgpack::object& entry : list->via.array) {
                KernelDescription kernel = read_kernel(entry);
                if (kernel.name.empty() || kernel.symbol.empty())
                    return Status(Code::corrupt, "the code object's metadata has a kernel without a name");
                for (const KernelArgument& argument : kernel.arguments)
                    if (argument.size > kernel.kernarg_bytes || argument.offset > kernel.kernarg_bytes - argument.size)
                        return Status(Code::corrupt, fmt::format("the metadata of kernel {} has an argument outside its {} argument bytes",
                                                                 kernel.name, kernel.kernarg_bytes));
                kernels.push_back(std::move(kernel));
            }
        return kernels;
    } catch (const std::exception& why) {
        return Status(Code::corrupt, fmt::format("the code object's metadata is damaged: {}", why.what()));
    }
}

}  // namespace hipemu
