# What the emulator covers of its targets' instruction sets, asked of the compiler and the disassembler themselves.
flashwave_suite(coverage_tests
    SOURCES
        compiled_kernel.cpp
        instruction_set_test.cpp
        opcode_walk.cpp
    LIBRARIES hipemu_objects
    TIMEOUT 300)
add_dependencies(coverage_tests flashwave-worker)
