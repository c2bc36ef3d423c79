# cmake -D ROOT=kernels_src -D OUTPUT=file.cpp -P embed_kernels.cmake
# Writes every .h and .hip below ROOT, sorted by name, as an array of raw string literals.
file(GLOB_RECURSE names RELATIVE ${ROOT} ${ROOT}/*.h ${ROOT}/*.hip)
list(SORT names)

set(entries "")
foreach(name IN LISTS names)
    file(READ ${ROOT}/${name} text)
    if(text MATCHES "\\)flashwave\"")
        message(FATAL_ERROR "${name} contains the end mark of its own literal: )flashwave\"")
    endif()
    string(APPEND entries "    {\"${name}\", R\"flashwave(${text})flashwave\"},\n")
endforeach()

file(WRITE ${OUTPUT}.new
"// Made from kernels_src by embed_kernels.cmake.
#include \"compile/kernel_files.hpp\"

namespace flashwave::detail {

extern const KernelFile kEmbeddedFiles[];
extern const std::size_t kEmbeddedFileCount;

const KernelFile kEmbeddedFiles[] = {
${entries}    {},
};
const std::size_t kEmbeddedFileCount = sizeof kEmbeddedFiles / sizeof kEmbeddedFiles[0] - 1;

}  // namespace flashwave::detail
")
file(RENAME ${OUTPUT}.new ${OUTPUT})
