// Reading an AMD code object (ELF64): what it is for, what to load where, its kernels. Pure functions; nothing is trusted: every offset in
// the file is checked before it is followed. Layouts are LLVM's AMDGPUUsage, "Code Object" and "Kernel Descriptor".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flashwave/status.hpp"

namespace hipemu {

struct Segment {
    std::uint64_t address = 0;         // in the object's own numbering
    std::uint64_t memory_bytes = 0;    // beyond file_bytes: zeros
    std::uint64_t file_offset = 0, file_bytes = 0;
    bool writable = false, executable = false;
};

struct Symbol {
    std::string name;
    std::uint64_t address = 0, size = 0;
    bool is_object = false;            // data, not code
};

/// A place that an address goes to: of a part of the object, or (absolute) a number that does not depend on where the object lies.
struct Relocation {
    std::uint64_t address = 0;         // of the place
    std::int64_t value = 0;            // counted from where the object is loaded, unless absolute
    bool absolute = false;
    unsigned bytes = 8, shift = 0;     // what of the address is stored: bytes of it, shifted down
};

struct KernelArgument {
    std::uint32_t offset = 0, size = 0;
    std::string kind;                  // .value_kind: "by_value", "global_buffer", "hidden_block_count_x", ...
    std::string name;                  // as in the source; empty where the compiler left it out

    bool hidden() const { return kind.starts_with("hidden_"); }
};

/// One kernel: its descriptor (the hardware's words) and its metadata (the compiler's).
struct KernelDescription {
    std::string name;
    std::string symbol;                // of the descriptor: "name.kd"
    std::vector<KernelArgument> arguments;
    std::uint32_t kernarg_bytes = 0, group_bytes = 0, private_bytes = 0;
    std::uint32_t max_threads = 1024;
    std::uint32_t vgprs = 0, sgprs = 0, vgpr_spills = 0, sgpr_spills = 0;
    std::uint32_t wave_size = 0;
    bool wgp_mode = false;
    bool dynamic_stack = false;
    std::uint64_t entry_address = 0;
    std::uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;
    std::uint16_t properties = 0;
    std::uint16_t preload = 0;         // kernarg preload length and offset
};

struct CodeObject {
    std::string target;                // "gfx1100" or "gfx11-generic", from the ELF flags
    std::vector<Segment> segments;
    std::uint64_t text_address = 0, text_bytes = 0;
    bool has_source_lines = false;     // compiled with -g
    std::uint64_t memory_bytes = 0;    // from address 0 to the end of the last segment
    std::vector<Symbol> symbols;
    std::vector<Relocation> relocations;
    std::vector<KernelDescription> kernels;
};

/// The text section within the image that `object` was read from.
std::span<const std::byte> text_of(const CodeObject& object, std::span<const std::byte> image);

/// The size of an ELF image of which only the start is known, from its header; 0 if it is none. Reads the first 64 bytes.
std::uint64_t elf_image_size(const std::byte* image);

/// The processor an ELF image is for, by the number in its header: "gfx1100"; "unknown (0x..)".
std::string elf_target(std::span<const std::byte> image);

/// The generic processor whose code runs on a target too: "gfx11-generic" for "gfx1100"; empty if there is none.
std::string_view generic_target_of(std::string_view target);

/// corrupt: damaged or cut short; unsupported: well-formed, but for another machine, ABI or with a relocation that is not known;
/// not_found: it uses a variable or function that it does not define.
flashwave::Result<CodeObject> read_code_object(std::span<const std::byte> image);

/// The kernels of the metadata note (msgpack). Descriptors are filled in by read_code_object.
flashwave::Result<std::vector<KernelDescription>> read_kernel_metadata(std::span<const std::byte> note);

}  // namespace hipemu
