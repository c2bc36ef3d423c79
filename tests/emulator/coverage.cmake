# What the emulator covers of its targets' instruction sets, asked of the compiler and the disassembler themselves; and what the library's own
# kernels contain.
flashwave_suite(coverage_tests
    SOURCES
        compiled_kernel.cpp
        instruction_set_test.cpp
        opcode_walk.cpp
        own_kernels_test.cpp
        ../kernels/kernel_case.cpp
    LIBRARIES hipemu_objects flashwave_objects
    TIMEOUT 900)
add_dependencies(coverage_tests flashwave-worker)

# HIP kernels as users write them, for every target; `ctest -C Long` runs all targets at both ends of the optimiser. What the emulator's decoder
# knows is asked of its objects, everything else of libhipemu.
flashwave_suite(corpus_tests
    SOURCES
        compiled_kernel.cpp
        corpus.cpp
        corpus_arithmetic_test.cpp
        corpus_atomics_test.cpp
        corpus_calls_test.cpp
        corpus_lanes_test.cpp
        corpus_math_test.cpp
        corpus_matrix_test.cpp
        corpus_test.cpp
    LIBRARIES hipemu hipemu_objects
    TIMEOUT 900)
add_dependencies(corpus_tests flashwave-worker)
set_target_properties(corpus_tests PROPERTIES BUILD_RPATH ${HIPEMU_AS_HIP_DIR})
set(corpus_environment "HIPEMU_QUIET=1;HIPEMU_CACHE_DIR=${hip_tests_cache}")
set_tests_properties(corpus_tests PROPERTIES ENVIRONMENT "${corpus_environment}")
# The matrix unit's own rounding is chosen when a process starts.
add_test(NAME corpus_tests_exact_matrix COMMAND corpus_tests "--test-case=matrix formats*")
set_tests_properties(corpus_tests_exact_matrix PROPERTIES TIMEOUT 300 ENVIRONMENT "${corpus_environment};HIPEMU_WMMA=exact")
# Expected values are those of single operations: nothing may be fused on the host.
set_source_files_properties(corpus_arithmetic_test.cpp corpus_calls_test.cpp corpus_lanes_test.cpp corpus_matrix_test.cpp PROPERTIES
    COMPILE_OPTIONS "-ffp-contract=off")
