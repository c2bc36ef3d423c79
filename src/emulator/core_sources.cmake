# Decoder, scalar, memory and LDS semantics, undefined bits, launch, timing.
target_sources(hipemu_objects PRIVATE
    decode.cpp
    decode_line.cpp
    decode_operand.cpp
    exec_buffer.cpp
    exec_control.cpp
    exec_movrel.cpp
    exec_salu.cpp
    exec_salu_undefined.cpp
    exec_smem.cpp
    exec_vmem.cpp
    exec_vmem_atomics.cpp
    exec_lds.cpp
    exec_lds_atomics.cpp
    exec_lds_exchange.cpp
    fault.cpp
    lane_access.cpp
    interpreter.cpp
    launch.cpp
    propagate_undefined.cpp
    timing.cpp
    timing_stalls.cpp
    undefined.cpp
    wave.cpp
    workgroup.cpp
)
