target_sources(flashwave_objects PRIVATE
    ${CMAKE_CURRENT_SOURCE_DIR}/compile/code_object_info.cpp
    ${CMAKE_CURRENT_SOURCE_DIR}/compile/compile_request.cpp
    ${CMAKE_CURRENT_SOURCE_DIR}/compile/kernel_files.cpp
    ${CMAKE_CURRENT_SOURCE_DIR}/compile/toolchain.cpp
    ${CMAKE_CURRENT_SOURCE_DIR}/compile/worker_pool.cpp
)

# The kernel sources become one C++ file of string literals whenever one of them changes.
file(GLOB_RECURSE flashwave_kernel_files CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/kernels_src/*.h ${PROJECT_SOURCE_DIR}/kernels_src/*.hip)
set(flashwave_embedded ${CMAKE_CURRENT_BINARY_DIR}/kernel_files_data.cpp)
add_custom_command(
    OUTPUT ${flashwave_embedded}
    COMMAND ${CMAKE_COMMAND} -D ROOT=${PROJECT_SOURCE_DIR}/kernels_src -D OUTPUT=${flashwave_embedded}
            -P ${CMAKE_CURRENT_SOURCE_DIR}/compile/embed_kernels.cmake
    DEPENDS ${flashwave_kernel_files} ${CMAKE_CURRENT_SOURCE_DIR}/compile/embed_kernels.cmake
    COMMENT "Embedding kernels_src"
    VERBATIM)
target_sources(flashwave_objects PRIVATE ${flashwave_embedded})
