#include "emulator/code/code_object.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "base/gfx_target.hpp"

namespace hipemu {

using flashwave::Code;
using flashwave::Result;
using flashwave::Status;

namespace {

// AMD's own numbers, which <elf.h> may not have.
constexpr std::uint16_t kMachineAmdGpu = 224;
constexpr unsigned char kOsAbiHsa = 64;
constexpr unsigned char kOldestAbi = 2, kNewestAbi = 4;  // code object V4, V5, V6
constexpr std::uint32_t kNoteMetadata = 32;              // NT_AMDGPU_METADATA
constexpr std::uint32_t kRelocationLow32 = 1, kRelocationHigh32 = 2, kRelocationAbs64 = 3, kRelocationRelative64 = 13;  // R_AMDGPU_...
constexpr std::uint64_t kDescriptorBytes = 64;
constexpr std::uint64_t kLargestImage = std::uint64_t{1} << 32;
constexpr std::string_view kGfx11Generic = "gfx11-generic";

Status corrupt(std::string why) { return {Code::corrupt, "the code object is damaged: " + std::move(why)}; }

/// The bytes of a file, read with every access checked.
class Reader {
public:
    explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    template <class T>
    std::optional<T> at(std::uint64_t offset) const {
        if (!has(offset, sizeof(T))) return std::nullopt;
        T value;
        std::memcpy(&value, bytes_.data() + offset, sizeof(T));
        return value;
    }
    bool has(std::uint64_t offset, std::uint64_t count) const { return offset <= bytes_.size() && count <= bytes_.size() - offset; }
    std::span<const std::byte> part(std::uint64_t offset, std::uint64_t count) const { return bytes_.subspan(offset, count); }
    /// A terminated string that ends within [table, table + size).
    std::optional<std::string> text(std::uint64_t table, std::uint64_t size, std::uint64_t index) const {
        if (index >= size || !has(table, size)) return std::nullopt;
        const char* first = reinterpret_cast<const char*>(bytes_.data()) + table + index;
        const void* end = std::memchr(first, 0, size - index);
        if (!end) return std::nullopt;
        return std::string(first, static_cast<const char*>(end));
    }

private:
    std::span<const std::byte> bytes_;
};

Status check_header(const Elf64_Ehdr& header) {
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return {Code::corrupt, "this is no code object: it is no ELF file"};
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
        return {Code::unsupported, "this is no code object of an AMD GPU: it is no 64-bit little-endian ELF file"};
    if (header.e_machine != kMachineAmdGpu)
        return {Code::unsupported, fmt::format("this is no code object of an AMD GPU: it is for ELF machine {}", header.e_machine)};
    if (header.e_ident[EI_OSABI] != kOsAbiHsa)
        return {Code::unsupported, fmt::format("the code object is not for HIP: its OS ABI is {}", header.e_ident[EI_OSABI])};
    const unsigned char abi = header.e_ident[EI_ABIVERSION];
    if (abi < kOldestAbi || abi > kNewestAbi)
        return {Code::unsupported, fmt::format("code object ABI version {} is not known; {} to {} are (code objects V4 to V6)", abi,
                                               kOldestAbi, kNewestAbi)};
    if (header.e_type != ET_DYN) return {Code::unsupported, "the code object is not linked: it is no shared object"};
    return {};
}

Status read_segments(const Reader& file, const Elf64_Ehdr& header, CodeObject& object) {
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        const auto program = file.at<Elf64_Phdr>(header.e_phoff + std::uint64_t{i} * sizeof(Elf64_Phdr));
        if (!program) return corrupt("its program headers are cut short");
        if (program->p_type != PT_LOAD) continue;
        const std::uint64_t end = program->p_vaddr + program->p_memsz;
        if (!file.has(program->p_offset, program->p_filesz) || program->p_filesz > program->p_memsz || end < program->p_vaddr ||
            end > kLargestImage)
            return corrupt(fmt::format("segment {} lies outside the file", i));
        object.segments.push_back({.address = program->p_vaddr,
                                   .memory_bytes = program->p_memsz,
                                   .file_offset = program->p_offset,
                                   .file_bytes = program->p_filesz,
                                   .writable = (program->p_flags & PF_W) != 0,
                                   .executable = (program->p_flags & PF_X) != 0});
        object.memory_bytes = std::max(object.memory_bytes, end);
    }
    if (object.segments.empty()) return corrupt("it has nothing to load");
    return {};
}

Status read_symbols(const Reader& file, const Elf64_Shdr& table, const Elf64_Shdr& strings, CodeObject& object) {
    for (std::uint64_t offset = 0; offset + sizeof(Elf64_Sym) <= table.sh_size; offset += sizeof(Elf64_Sym)) {
        const auto symbol = file.at<Elf64_Sym>(table.sh_offset + offset);
        if (!symbol) return corrupt("its symbol table is cut short");
        if (symbol->st_shndx == SHN_UNDEF) continue;
        auto name = file.text(strings.sh_offset, strings.sh_size, symbol->st_name);
        if (!name) return corrupt("a symbol has no name");
        object.symbols.push_back({.name = std::move(*name),
                                  .address = symbol->st_value,
                                  .size = symbol->st_size,
                                  .is_object = ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT});
    }
    return {};
}

/// What a relocation by symbol stores the address of.
Status resolve_symbol(const Reader& file, const Elf64_Shdr& symbols, const Elf64_Shdr& strings, std::uint64_t index, Relocation& relocation) {
    const bool inside = index < symbols.sh_size / sizeof(Elf64_Sym);
    const auto symbol = inside ? file.at<Elf64_Sym>(symbols.sh_offset + index * sizeof(Elf64_Sym)) : std::nullopt;
    if (!symbol) return corrupt("a relocation names a symbol that it does not have");
    const bool undefined = symbol->st_shndx == SHN_UNDEF;
    if (undefined && ELF64_ST_BIND(symbol->st_info) != STB_WEAK) {
        const auto name = file.text(strings.sh_offset, strings.sh_size, symbol->st_name);
        return {Code::not_found, fmt::format("the code object uses {}, which it does not define", name.value_or("a symbol without a name"))};
    }
    relocation.value += static_cast<std::int64_t>(symbol->st_value);
    relocation.absolute = undefined || symbol->st_shndx == SHN_ABS;
    return {};
}

Status read_relocations(const Reader& file, const Elf64_Shdr& table, const std::vector<Elf64_Shdr>& sections, CodeObject& object) {
    for (std::uint64_t offset = 0; offset + sizeof(Elf64_Rela) <= table.sh_size; offset += sizeof(Elf64_Rela)) {
        const auto entry = file.at<Elf64_Rela>(table.sh_offset + offset);
        if (!entry) return corrupt("its relocations are cut short");
        const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(entry->r_info));
        Relocation relocation{.address = entry->r_offset, .value = entry->r_addend};
        if (type == kRelocationLow32 || type == kRelocationHigh32) {
            relocation.bytes = 4;
            relocation.shift = type == kRelocationHigh32 ? 32 : 0;
        } else if (type != kRelocationAbs64 && type != kRelocationRelative64) {
            return {Code::unsupported,
                    fmt::format("the code object has a relocation of type {}; R_AMDGPU_ABS64 (3), its halves (1, 2) and RELATIVE64 (13) are known", type)};
        }
        if (relocation.address > object.memory_bytes || object.memory_bytes - relocation.address < relocation.bytes)
            return corrupt("a relocation points outside of it");
        if (type != kRelocationRelative64) {
            if (table.sh_link >= sections.size() || sections[table.sh_link].sh_link >= sections.size()) return corrupt("its relocations have no symbols");
            const Elf64_Shdr& symbols = sections[table.sh_link];
            FLASHWAVE_RETURN_IF_ERROR(resolve_symbol(file, symbols, sections[symbols.sh_link], ELF64_R_SYM(entry->r_info), relocation));
        }
        object.relocations.push_back(relocation);
    }
    return {};
}

/// Adds the AMDGPU metadata among the notes of a section: one note of each file that the object was linked from.
void find_metadata(const Reader& file, std::uint64_t offset, std::uint64_t size, std::vector<std::span<const std::byte>>& metadata) {
    const auto padded = [](std::uint64_t value) { return (value + 3) / 4 * 4; };
    for (const std::uint64_t end = offset + size; offset + 12 <= end;) {
        const auto name_size = file.at<std::uint32_t>(offset), data_size = file.at<std::uint32_t>(offset + 4),
                   type = file.at<std::uint32_t>(offset + 8);
        if (!name_size || !data_size || !type) return;
        const std::uint64_t data = offset + 12 + padded(*name_size);
        if (!file.has(data, *data_size)) return;
        if (*type == kNoteMetadata && *name_size == 7 && std::memcmp(file.part(offset + 12, 7).data(), "AMDGPU", 7) == 0)
            metadata.push_back(file.part(data, *data_size));
        offset = data + padded(*data_size);
    }
}

/// File offset of [address, address + bytes) of the loaded object.
std::optional<std::uint64_t> file_offset(const CodeObject& object, std::uint64_t address, std::uint64_t bytes) {
    for (const Segment& segment : object.segments)
        if (address >= segment.address && address - segment.address <= segment.file_bytes &&
            bytes <= segment.file_bytes - (address - segment.address))
            return segment.file_offset + (address - segment.address);
    return std::nullopt;
}

Status read_descriptor(const Reader& file, const CodeObject& object, KernelDescription& kernel) {
    const auto symbol = std::find_if(object.symbols.begin(), object.symbols.end(), [&](const Symbol& one) { return one.name == kernel.symbol; });
    if (symbol == object.symbols.end()) return corrupt(fmt::format("kernel {} has no descriptor {}", kernel.name, kernel.symbol));
    const auto offset = file_offset(object, symbol->address, kDescriptorBytes);
    if (!offset) return corrupt(fmt::format("the descriptor of kernel {} lies outside the file", kernel.name));
    kernel.group_bytes = *file.at<std::uint32_t>(*offset);
    kernel.private_bytes = *file.at<std::uint32_t>(*offset + 4);
    kernel.kernarg_bytes = std::max(kernel.kernarg_bytes, *file.at<std::uint32_t>(*offset + 8));
    kernel.entry_address = symbol->address + static_cast<std::uint64_t>(*file.at<std::int64_t>(*offset + 16));
    kernel.rsrc3 = *file.at<std::uint32_t>(*offset + 44);
    kernel.rsrc1 = *file.at<std::uint32_t>(*offset + 48);
    kernel.rsrc2 = *file.at<std::uint32_t>(*offset + 52);
    kernel.properties = *file.at<std::uint16_t>(*offset + 56);
    kernel.preload = *file.at<std::uint16_t>(*offset + 58);
    if (kernel.entry_address < object.text_address || kernel.entry_address - object.text_address >= object.text_bytes)
        return corrupt(fmt::format("kernel {} begins outside the text section", kernel.name));
    return {};
}

}  // namespace

std::span<const std::byte> text_of(const CodeObject& object, std::span<const std::byte> image) {
    for (const Segment& segment : object.segments) {
        const std::uint64_t offset = object.text_address - segment.address;
        if (object.text_address < segment.address || offset >= segment.file_bytes) continue;
        return image.subspan(segment.file_offset + offset, std::min(object.text_bytes, segment.file_bytes - offset));
    }
    return {};
}

std::uint64_t elf_image_size(const std::byte* image) {
    Elf64_Ehdr header;
    std::memcpy(&header, image, sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return 0;
    // The section headers stand last in every file that lld writes.
    const std::uint64_t sections = header.e_shoff + std::uint64_t{header.e_shentsize} * header.e_shnum;
    const std::uint64_t programs = header.e_phoff + std::uint64_t{header.e_phentsize} * header.e_phnum;
    const std::uint64_t size = std::max({sections, programs, std::uint64_t{sizeof header}});
    return size <= kLargestImage ? size : 0;
}

std::string elf_target(std::span<const std::byte> image) {
    const auto header = Reader(image).at<Elf64_Ehdr>(0);
    if (!header) return "unknown";
    const std::string_view target = flashwave::gfx_target_of(header->e_flags);
    return target.empty() ? fmt::format("unknown ({:#x})", header->e_flags & 0xff) : std::string(target);
}

std::string_view generic_target_of(std::string_view target) {
    // LLVM's AMDGPU usage guide, "Generic Processors": gfx11-generic is for all of GFX11.
    return target.starts_with("gfx11") && target != kGfx11Generic ? kGfx11Generic : std::string_view();
}

Result<CodeObject> read_code_object(std::span<const std::byte> image) {
    const Reader file(image);
    const auto header = file.at<Elf64_Ehdr>(0);
    if (!header) return corrupt(fmt::format("it has {} bytes", image.size()));
    FLASHWAVE_RETURN_IF_ERROR(check_header(*header));
    CodeObject object;
    object.target = elf_target(image);
    FLASHWAVE_RETURN_IF_ERROR(read_segments(file, *header, object));

    std::vector<Elf64_Shdr> sections;
    for (unsigned i = 0; i < header->e_shnum; ++i) {
        const auto section = file.at<Elf64_Shdr>(header->e_shoff + std::uint64_t{i} * sizeof(Elf64_Shdr));
        if (!section || (section->sh_type != SHT_NOBITS && !file.has(section->sh_offset, section->sh_size)))
            return corrupt(fmt::format("section {} lies outside the file", i));
        sections.push_back(*section);
    }
    if (header->e_shstrndx >= sections.size()) return corrupt("its sections have no names");
    const Elf64_Shdr& names = sections[header->e_shstrndx];

    std::vector<std::span<const std::byte>> metadata;
    for (const Elf64_Shdr& section : sections) {
        switch (section.sh_type) {
            case SHT_DYNSYM:
                if (section.sh_link >= sections.size()) return corrupt("its symbols have no names");
                FLASHWAVE_RETURN_IF_ERROR(read_symbols(file, section, sections[section.sh_link], object));
                break;
            case SHT_RELA: FLASHWAVE_RETURN_IF_ERROR(read_relocations(file, section, sections, object)); break;
            case SHT_REL: return Status(Code::unsupported, "the code object has relocations without addends, which are not known");
            case SHT_NOTE: find_metadata(file, section.sh_offset, section.sh_size, metadata); break;
            case SHT_PROGBITS:
                if (const auto name = file.text(names.sh_offset, names.sh_size, section.sh_name); name == ".text") {
                    object.text_address = section.sh_addr;
                    object.text_bytes = section.sh_size;
                } else if (name == ".debug_line") {
                    object.has_source_lines = true;
                }
                break;
            default: break;
        }
    }
    if (!file_offset(object, object.text_address, object.text_bytes)) return corrupt("its text section is in no segment");
    if (metadata.empty()) return corrupt("it has no AMDGPU metadata");
    for (const std::span<const std::byte> note : metadata) {
        auto kernels = read_kernel_metadata(note);
        if (!kernels.ok()) return kernels.status();
        std::move(kernels->begin(), kernels->end(), std::back_inserter(object.kernels));
    }
    for (KernelDescription& kernel : object.kernels) FLASHWAVE_RETURN_IF_ERROR(read_descriptor(file, object, kernel));
    return object;
}

}  // namespace hipemu
