#include "hipemu_command/argument_block.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hipemu::command {

using flashwave::Code;
using flashwave::Result;
using flashwave::Status;
using Kind = ArgumentDescription::Kind;

namespace {

constexpr std::size_t kPointerBytes = 8;

std::size_t alignment_of(const ArgumentDescription& argument) {
    if (argument.kind == Kind::scalar) return argument.bytes.size();
    if (argument.kind != Kind::structure) return kPointerBytes;
    std::size_t alignment = 1;
    for (const ArgumentDescription& member : argument.members) alignment = std::max(alignment, alignment_of(member));
    return alignment;
}

std::string pointer_bytes(std::uint64_t address) {
    std::string bytes;
    for (std::size_t i = 0; i < kPointerBytes; ++i) bytes.push_back(static_cast<char>(address >> 8 * i & 0xff));
    return bytes;
}

Result<std::string> bytes_of_argument(const ArgumentDescription& argument, const AddressOf& address_of) {
    switch (argument.kind) {
        case Kind::scalar: return argument.bytes;
        case Kind::buffer: return pointer_bytes(address_of(argument.name));
        case Kind::same_buffer:
            return pointer_bytes(address_of(argument.same_as) + static_cast<std::uint64_t>(argument.byte_offset));
        case Kind::structure: break;
    }
    std::string bytes;
    for (const ArgumentDescription& member : argument.members) {
        const std::size_t alignment = alignment_of(member);
        const std::size_t offset = member.offset ? *member.offset : (bytes.size() + alignment - 1) / alignment * alignment;
        if (offset < bytes.size())
            return Status(Code::invalid_argument, fmt::format("\"offset\" of {} is {}, and the members before it end at {}",
                                                              member.name, offset, bytes.size()));
        auto part = bytes_of_argument(member, address_of);
        if (!part.ok()) return part.status();
        bytes.resize(offset, '\0');
        bytes += *part;
    }
    const std::size_t alignment = alignment_of(argument);
    bytes.resize((bytes.size() + alignment - 1) / alignment * alignment, '\0');
    return bytes;
}

void collect(const std::vector<ArgumentDescription>& arguments, std::vector<const ArgumentDescription*>& into) {
    for (const ArgumentDescription& argument : arguments) {
        if (argument.kind == Kind::buffer) into.push_back(&argument);
        collect(argument.members, into);
    }
}

}  // namespace

Result<std::string> argument_block(const KernelDescription& kernel, const std::vector<ArgumentDescription>& arguments,
                                   const AddressOf& address_of) {
    std::vector<const KernelArgument*> wanted;
    for (const KernelArgument& argument : kernel.arguments)
        if (!argument.hidden()) wanted.push_back(&argument);
    if (wanted.size() != arguments.size())
        return Status(Code::invalid_argument,
                      fmt::format("kernel {} takes {} arguments and the launch has {}; `hipemu list` shows them", kernel.name,
                                  wanted.size(), arguments.size()));
    std::string block;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        auto bytes = bytes_of_argument(arguments[i], address_of);
        if (!bytes.ok()) return bytes.status();
        // The end of a structure may be padding that its members do not show.
        const bool fits =
            arguments[i].kind == Kind::structure ? bytes->size() <= wanted[i]->size : bytes->size() == wanted[i]->size;
        if (!fits)
            return Status(Code::invalid_argument,
                          fmt::format("{} has {} bytes, and argument {} of kernel {} ({}) has {}", arguments[i].name,
                                      bytes->size(), i, kernel.name, wanted[i]->kind, wanted[i]->size));
        block.resize(std::max<std::size_t>(block.size(), wanted[i]->offset + wanted[i]->size), '\0');
        block.replace(wanted[i]->offset, bytes->size(), *bytes);
    }
    return block;
}

std::vector<const ArgumentDescription*> buffers_of(const std::vector<ArgumentDescription>& arguments) {
    std::vector<const ArgumentDescription*> buffers;
    collect(arguments, buffers);
    return buffers;
}

}  // namespace hipemu::command
