# Vector and matrix semantics. The lane sources are compiled twice, into two namespaces with the same bits: for any processor, and for one
# with AVX2, FMA and F16C; lane_build.cpp chooses at load.
set(hipemu_lane_sources
    lanes.cpp
    exec_valu_int.cpp
    exec_valu_int16.cpp
    exec_valu_int64.cpp
    exec_valu_f32.cpp
    exec_valu_f16.cpp
    exec_valu_f64.cpp
    exec_valu_packed.cpp
    exec_valu_convert.cpp
    exec_valu_compare.cpp
    exec_valu_dot.cpp
    exec_valu_transcendental.cpp
    exec_vopd.cpp
    exec_wmma.cpp
    exec_exchange.cpp
    valu_tables.cpp
)

# Contraction would round a multiplication and an addition once in one build and twice in the other. The other two flags are needed to
# vectorise square roots and selects, and change no result.
set(hipemu_lane_flags -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math)

add_library(hipemu_lanes_portable STATIC ${hipemu_lane_sources})
target_compile_definitions(hipemu_lanes_portable PRIVATE HIPEMU_LANES=lanes_portable)
target_compile_options(hipemu_lanes_portable PRIVATE ${hipemu_lane_flags})
target_link_libraries(hipemu_lanes_portable PRIVATE flashwave_options)
target_sources(hipemu_objects PRIVATE lane_build.cpp valu_undefined.cpp)
target_link_libraries(hipemu_objects PUBLIC hipemu_lanes_portable)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    add_library(hipemu_lanes_avx2 STATIC ${hipemu_lane_sources})
    target_compile_definitions(hipemu_lanes_avx2 PRIVATE HIPEMU_LANES=lanes_avx2)
    target_compile_options(hipemu_lanes_avx2 PRIVATE ${hipemu_lane_flags} -mavx2 -mfma -mf16c)
    target_link_libraries(hipemu_lanes_avx2 PRIVATE flashwave_options)
    target_link_libraries(hipemu_objects PUBLIC hipemu_lanes_avx2)
    set_source_files_properties(lane_build.cpp PROPERTIES COMPILE_DEFINITIONS HIPEMU_HAS_AVX2)
endif()
