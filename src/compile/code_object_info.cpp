#include "compile/code_object_info.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <msgpack.hpp>
#include <optional>

#include "base/gfx_target.hpp"

namespace flashwave {
namespace {

constexpr std::uint16_t kMachineAmdGpu = 224;  // EM_AMDGPU
constexpr std::uint32_t kNoteMetadata = 32;    // NT_AMDGPU_METADATA
constexpr std::string_view kNoteOwner = "AMDGPU";
constexpr std::string_view kTargetPrefix = "amdgcn-amd-amdhsa--";
constexpr int kXnackShift = 8;             // two bits each: not there, any, off, on (EF_AMDGPU_FEATURE_*_V4)
constexpr int kSrameccShift = 10;

Status damaged(std::string_view why) {
    return Status(Code::corrupt, fmt::format("not a code object for an AMD GPU: {}.", why));
}

// A T at an offset, where the bytes are long enough.
template <class T>
std::optional<T> at(std::string_view bytes, std::uint64_t offset) {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

Result<Elf64_Ehdr> elf_header(std::string_view bytes) {
    const std::optional<Elf64_Ehdr> header = at<Elf64_Ehdr>(bytes, 0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return damaged("it does not begin as an ELF file");
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
        return damaged("it is not a 64-bit little-endian ELF file");
    if (header->e_machine != kMachineAmdGpu)
        return damaged(fmt::format("its machine is {} and not {}", header->e_machine, kMachineAmdGpu));
    return *header;
}

std::string feature(std::uint32_t flags, int shift, std::string_view name) {
    switch (flags >> shift & 3u) {
        case 2: return fmt::format(":{}-", name);
        case 3: return fmt::format(":{}+", name);
        default: return {};
    }
}

Result<std::string> target_of(const Elf64_Ehdr& header) {
    const std::string_view target = gfx_target_of(header.e_flags);
    if (target.empty()) return damaged(fmt::format("its processor number {:#x} is not known", header.e_flags & 0xff));
    return fmt::format("{}{}{}", target, feature(header.e_flags, kSrameccShift, "sramecc"), feature(header.e_flags, kXnackShift, "xnack"));
}

std::uint64_t padded(std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; }

// The content of the metadata note within one note segment.
std::optional<std::string_view> metadata_in(std::string_view notes) {
    while (const std::optional<Elf64_Nhdr> note = at<Elf64_Nhdr>(notes, 0)) {
        const std::uint64_t owner = sizeof(Elf64_Nhdr);
        const std::uint64_t content = owner + padded(note->n_namesz);
        if (content + note->n_descsz > notes.size()) return std::nullopt;
        if (note->n_type == kNoteMetadata && notes.substr(owner).starts_with(kNoteOwner))
            return notes.substr(content, note->n_descsz);
        const std::uint64_t next = content + padded(note->n_descsz);
        if (next >= notes.size()) return std::nullopt;
        notes.remove_prefix(next);
    }
    return std::nullopt;
}

Result<std::string_view> metadata_of(std::string_view bytes, const Elf64_Ehdr& header) {
    for (int i = 0; i < header.e_phnum; ++i) {
        const auto segment = at<Elf64_Phdr>(bytes, header.e_phoff + static_cast<std::uint64_t>(i) * header.e_phentsize);
        if (!segment) return damaged("its segment table is cut off");
        if (segment->p_type != PT_NOTE) continue;
        if (segment->p_offset > bytes.size() || segment->p_filesz > bytes.size() - segment->p_offset)
            return damaged("a note lies beyond its end");
        if (const auto found = metadata_in(bytes.substr(segment->p_offset, segment->p_filesz))) return *found;
    }
    return damaged("it carries no metadata");
}

const msgpack::object* member(const msgpack::object& map, std::string_view name) {
    if (map.type != msgpack::type::MAP) return nullptr;
    for (const msgpack::object_kv& entry : map.via.map)
        if (entry.key.type == msgpack::type::STR &&
            std::string_view(entry.key.via.str.ptr, entry.key.via.str.size) == name)
            return &entry.val;
    return nullptr;
}

int number(const msgpack::object& map, std::string_view name) {
    const msgpack::object* value = member(map, name);
    if (value == nullptr || value->type != msgpack::type::POSITIVE_INTEGER) return 0;
    return static_cast<int>(std::min<std::uint64_t>(value->via.u64, INT32_MAX));
}

std::string text(const msgpack::object& map, std::string_view name) {
    const msgpack::object* value = member(map, name);
    return value != nullptr && value->type == msgpack::type::STR ? std::string(value->via.str.ptr, value->via.str.size)
                                                                 : std::string();
}

KernelInfo kernel_info(const msgpack::object& kernel) {
    return {
        .name = text(kernel, ".name"),
        .vgprs = number(kernel, ".vgpr_count"),
        .agprs = number(kernel, ".agpr_count"),
        .sgprs = number(kernel, ".sgpr_count"),
        .vgpr_spills = number(kernel, ".vgpr_spill_count"),
        .sgpr_spills = number(kernel, ".sgpr_spill_count"),
        .lds_bytes = number(kernel, ".group_segment_fixed_size"),
        .scratch_bytes = number(kernel, ".private_segment_fixed_size"),
        .wave_size = number(kernel, ".wavefront_size"),
        .kernarg_bytes = number(kernel, ".kernarg_segment_size"),
        .max_workgroup = number(kernel, ".max_flat_workgroup_size"),
    };
}

// "gfx942:sramecc+:xnack-" -> the processor and, for one feature, '+', '-' or 0 for either.
std::string_view processor(std::string_view target) { return target.substr(0, target.find(':')); }

char feature_of(std::string_view target, std::string_view name) {
    const std::size_t at_name = target.find(fmt::format(":{}", name));
    const std::size_t sign = at_name == std::string_view::npos ? target.size() : at_name + 1 + name.size();
    return sign < target.size() ? target[sign] : '\0';
}

}  // namespace

const KernelInfo* CodeObjectInfo::find(std::string_view kernel) const {
    const auto found =
        std::find_if(kernels.begin(), kernels.end(), [&](const KernelInfo& info) { return info.name == kernel; });
    return found == kernels.end() ? nullptr : &*found;
}

Result<CodeObjectInfo> read_code_object(std::string_view bytes) {
    Result<Elf64_Ehdr> header = elf_header(bytes);
    if (!header.ok()) return header.status();
    Result<std::string> target = target_of(*header);
    if (!target.ok()) return target.status();
    Result<std::string_view> metadata = metadata_of(bytes, *header);
    if (!metadata.ok()) return metadata.status();

    // msgpack-cxx throws on malformed input; the limits keep a damaged length from asking for memory.
    try {
        const msgpack::unpack_limit limits(1 << 16, 1 << 16, 1 << 16, 1 << 16, 1 << 16, 32);
        const msgpack::object_handle root =
            msgpack::unpack(metadata->data(), metadata->size(), nullptr, nullptr, limits);
        const std::string named = text(root.get(), "amdhsa.target");
        if (!named.empty() && (!named.starts_with(kTargetPrefix) ||
                               processor(std::string_view(named).substr(kTargetPrefix.size())) != processor(*target)))
            return damaged(fmt::format("its metadata says {} and its header {}", named, *target));
        CodeObjectInfo info{.target = std::move(*target), .kernels = {}};
        const msgpack::object* kernels = member(root.get(), "amdhsa.kernels");
        if (kernels == nullptr || kernels->type != msgpack::type::ARRAY)
            return damaged("its metadata lists no kernels");
        for (const msgpack::object& kernel : kernels->via.array) info.kernels.push_back(kernel_info(kernel));
        return info;
    } catch (const std::exception&) {
        return damaged("its metadata is malformed");
    }
}

Status check_code_object(std::string_view bytes, std::string_view target) {
    Result<Elf64_Ehdr> header = elf_header(bytes);
    if (!header.ok()) return header.status();
    Result<std::string> made_for = target_of(*header);
    if (!made_for.ok()) return made_for.status();
    bool fits = processor(*made_for) == processor(target);
    for (const std::string_view name : {"sramecc", "xnack"}) {
        const char needed = feature_of(*made_for, name);
        const char given = feature_of(target, name);
        if (needed != '\0' && given != '\0' && needed != given) fits = false;
    }
    if (!fits)
        return Status(Code::unsupported,
                      fmt::format("the code object was made for {} and the device is {}.", *made_for, target));
    return {};
}

}  // namespace flashwave
