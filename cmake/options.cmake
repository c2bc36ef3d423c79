# flashwave_options: what every one of our own targets is compiled with. Nothing of it reaches a program that uses the library.

if(NOT DEFINED CMAKE_COMPILE_WARNING_AS_ERROR)
    set(CMAKE_COMPILE_WARNING_AS_ERROR ON)  # a packager with a newer compiler switches it off on the command line
endif()

add_library(flashwave_options INTERFACE)
target_include_directories(flashwave_options INTERFACE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
target_compile_options(flashwave_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow)

if(FLASHWAVE_SANITIZE)
    # A finding ends the program, so that a test cannot pass over it.
    target_compile_options(flashwave_options INTERFACE
        -fsanitize=${FLASHWAVE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(flashwave_options INTERFACE -fsanitize=${FLASHWAVE_SANITIZE})
endif()

# Where hiprtc is looked for last, and where an installed library finds what belongs to it. Relative to the folder of the
# library or program that asks, so that an install tree may be moved.
file(RELATIVE_PATH flashwave_libexec_from_lib ${CMAKE_INSTALL_FULL_LIBDIR} ${CMAKE_INSTALL_FULL_LIBEXECDIR}/flashwave)
file(RELATIVE_PATH flashwave_libexec_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBEXECDIR}/flashwave)
file(RELATIVE_PATH flashwave_lib_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH flashwave_lib_from_libexec ${CMAKE_INSTALL_FULL_LIBEXECDIR}/flashwave ${CMAKE_INSTALL_FULL_LIBDIR})
target_compile_definitions(flashwave_options INTERFACE
    FLASHWAVE_ROCM_PREFIX="${FLASHWAVE_ROCM}"
    FLASHWAVE_LIBEXEC_FROM_LIB="${flashwave_libexec_from_lib}"
    FLASHWAVE_LIBEXEC_FROM_BIN="${flashwave_libexec_from_bin}"
    FLASHWAVE_LIB_FROM_BIN="${flashwave_lib_from_bin}"
    FLASHWAVE_LIB_FROM_LIBEXEC="${flashwave_lib_from_libexec}"
)
