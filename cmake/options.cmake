# flashwave_options: what every one of our own targets is compiled with. Nothing of it reaches a program that uses the library.

if(NOT DEFINED CMAKE_COMPILE_WARNING_AS_ERROR)
    set(CMAKE_COMPILE_WARNING_AS_ERROR ON)  # a packager with a newer compiler switches it off on the command line
endif()

add_library(flashwave_options INTERFACE)
target_include_directories(flashwave_options INTERFACE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
# A member that a designated initialiser leaves out takes its default: that is what they are used for here.
target_compile_options(flashwave_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # g++ 12 at -O3 takes "literal" + string for an overlapping copy (GCC bug 105651). Gone where it builds without this line.
    target_compile_options(flashwave_options INTERFACE -Wno-restrict)
endif()

if(FLASHWAVE_SANITIZE)
    # A finding ends the program, so that a test cannot pass over it.
    target_compile_options(flashwave_options INTERFACE
        -fsanitize=${FLASHWAVE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(flashwave_options INTERFACE -fsanitize=${FLASHWAVE_SANITIZE})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # With the checks in it, g++ takes members of <regex> for uninitialised.
        target_compile_options(flashwave_options INTERFACE -Wno-maybe-uninitialized)
    endif()
endif()
