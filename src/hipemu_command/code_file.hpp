// Where a kernel's code comes from: a code object, a bundle of several (hipcc --genco), or a HIP source that is compiled now.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "emulator/code/code_object.hpp"
#include "flashwave/status.hpp"

namespace hipemu::command {

struct CodeFile {
    std::string bytes;   // an ELF code object
    CodeObject object;   // what it says of itself
    std::string log;     // the compiler's warnings

    std::span<const std::byte> image() const { return {reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()}; }
};

/// Reads a code object. Of a bundle the one for `target` ("gfx1100") is taken.
///   invalid_argument  there is no such file, or none for the target in a bundle
///   corrupt, unsupported  it is no code object that the emulator can read
flashwave::Result<CodeFile> read_code(const std::string& path, const std::string& target);

struct SourceDescription {
    std::string path;
    std::vector<std::string> headers;   // by their paths below the source's folder
    std::vector<std::string> options;   // none: -O3
};
/// Compiles a HIP source for `target`. compile_error: the compiler's log. unavailable: there is no compiler.
flashwave::Result<CodeFile> compile_code(const SourceDescription& source, const std::string& target);

/// The kernel called `name`, or the only one where `name` is empty. not_found (as invalid_argument) lists what there is.
flashwave::Result<const KernelDescription*> select_kernel(const CodeObject& object, const std::string& name);

}  // namespace hipemu::command
