# Vector and matrix semantics. The lane sources are compiled twice, into two namespaces with the same bits: for any processor, and for one
# with AVX2, FMA and F16C; exec/lane_build.cpp chooses at load.
set(hipemu_lane_sources
    exec/lanes.cpp
    exec/valu_int.cpp
    exec/valu_int16.cpp
    exec/valu_int64.cpp
    exec/valu_f32.cpp
    exec/valu_f16.cpp
    exec/valu_f64.cpp
    exec/valu_packed.cpp
    exec/valu_convert.cpp
    exec/valu_compare.cpp
    exec/valu_dot.cpp
    exec/valu_transcendental.cpp
    exec/vopd.cpp
    exec/wmma.cpp
    exec/exchange.cpp
    exec/valu_tables.cpp
)

# Contraction would round a multiplication and an addition once in one build and twice in the other. The other two flags are needed to
# vectorise square roots and selects, and change no result.
set(hipemu_lane_flags -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math)

add_library(hipemu_lanes_portable STATIC ${hipemu_lane_sources})
target_compile_definitions(hipemu_lanes_portable PRIVATE HIPEMU_LANES=lanes_portable)
target_compile_options(hipemu_lanes_portable PRIVATE ${hipemu_lane_flags})
target_link_libraries(hipemu_lanes_portable PRIVATE flashwave_options)
target_sources(hipemu_objects PRIVATE exec/lane_build.cpp exec/valu_undefined.cpp)
target_link_libraries(hipemu_objects PUBLIC hipemu_lanes_portable)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    add_library(hipemu_lanes_avx2 STATIC ${hipemu_lane_sources})
    target_compile_definitions(hipemu_lanes_avx2 PRIVATE HIPEMU_LANES=lanes_avx2)
    target_compile_options(hipemu_lanes_avx2 PRIVATE ${hipemu_lane_flags} -mavx2 -mfma -mf16c)
    target_link_libraries(hipemu_lanes_avx2 PRIVATE flashwave_options)
    target_link_libraries(hipemu_objects PUBLIC hipemu_lanes_avx2)
    set_source_files_properties(exec/lane_build.cpp PROPERTIES COMPILE_DEFINITIONS HIPEMU_HAS_AVX2)
endif()
