// comgr, AMD's code object manager, used as a disassembler and for the lines of a source that instructions come from: the few functions that are used, declared here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flashwave/status.hpp"
#include "worker/library.hpp"

namespace flashwave {

class Comgr {
public:
    static Result<Comgr> load(const std::string& path);

    /// The listing of every kernel in the code object, as comgr prints it; objects of newer compilers are understood too (unused_operands.hpp).
    Result<std::string> list(std::string_view code_object, const std::string& target) const;
    /// The source line of each address of a code object that was compiled with -g, innermost function first ("k.hip:2, inlined into k.hip:7");
    /// empty where none is known. unsupported: a comgr without a symbolizer, that of ROCm before 5.3.
    Result<std::vector<std::string>> source_lines(std::string_view code_object, const std::vector<std::uint64_t>& addresses) const;
    /// Whether the target exists and has the features it is written with: "gfx942:sramecc+:xnack-" has, "gfx1100:xnack+" not.
    bool knows(const std::string& target) const;
    /// The targets it has a code generator for, without features: "gfx1100".
    std::vector<std::string> targets() const;
    std::string version() const;

private:
    struct Handle {
        std::uint64_t handle;
    };

    explicit Comgr(Library library) : library_(library) {}
    Status error(const char* function, int result) const;
    /// A data object with the bytes of a code object; whoever asks releases it.
    Result<Handle> executable(std::string_view code_object) const;
    Result<std::string> disassemble(std::string_view code_object, const std::string& target) const;
    Result<std::string> text_of(Handle data_set, int kind) const;

    Library library_;
    void (*version_)(std::size_t*, std::size_t*) = nullptr;
    int (*status_string_)(int, const char**) = nullptr;
    int (*isa_count_)(std::size_t*) = nullptr;
    int (*isa_name_)(std::size_t, const char**) = nullptr;
    int (*create_data_)(int, Handle*) = nullptr;
    int (*release_data_)(Handle) = nullptr;
    int (*set_data_)(Handle, std::size_t, const char*) = nullptr;
    int (*set_data_name_)(Handle, const char*) = nullptr;
    int (*get_data_)(Handle, std::size_t*, char*) = nullptr;
    int (*create_data_set_)(Handle*) = nullptr;
    int (*destroy_data_set_)(Handle) = nullptr;
    int (*data_set_add_)(Handle, Handle) = nullptr;
    int (*create_action_info_)(Handle*) = nullptr;
    int (*destroy_action_info_)(Handle) = nullptr;
    int (*set_isa_name_)(Handle, const char*) = nullptr;
    int (*do_action_)(int, Handle, Handle, Handle) = nullptr;
    int (*data_count_)(Handle, int, std::size_t*) = nullptr;
    int (*data_at_)(Handle, int, std::size_t, Handle*) = nullptr;
    // Younger than the others: missing in an old comgr.
    int (*create_symbolizer_)(Handle, void (*)(const char*, void*), Handle*) = nullptr;
    int (*destroy_symbolizer_)(Handle) = nullptr;
    int (*symbolize_)(Handle, std::uint64_t, bool, void*) = nullptr;
};

}  // namespace flashwave
