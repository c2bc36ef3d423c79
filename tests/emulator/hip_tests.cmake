# Plain HIP programs on libhipemu, once under each scheduling policy.
flashwave_suite(hip_tests
    SOURCES
        capture_misuse_test.cpp
        capture_test.cpp
        compiled_kernel.cpp
        cooperative_test.cpp
        devices_test.cpp
        failures_test.cpp
        faults_combined_test.cpp
        faults_test.cpp
        global_races_test.cpp
        graph_nodes_test.cpp
        graph_test.cpp
        hip_api_test.cpp
        image_bounds_test.cpp
        launch_test.cpp
        lds_races_test.cpp
        memory_kinds_test.cpp
        object_kinds_test.cpp
        registration_test.cpp
        source_lines_test.cpp
        stream_test.cpp
        symbols_test.cpp
        threads_test.cpp
    LIBRARIES hipemu flashwave_base
    TIMEOUT 600)
set(hip_tests_cache ${PROJECT_BINARY_DIR}/listings)  # not the user's own
set_target_properties(hip_tests PROPERTIES BUILD_RPATH ${HIPEMU_AS_HIP_DIR})
set_tests_properties(hip_tests PROPERTIES ENVIRONMENT "HIPEMU_QUIET=1;HIPEMU_SCHEDULE=eager;HIPEMU_CACHE_DIR=${hip_tests_cache}")
foreach(policy late seeded:1 seeded:2)
    string(REPLACE ":" "_" policy_name ${policy})
    add_test(NAME hip_tests_${policy_name} COMMAND hip_tests --source-file=*stream_test.cpp,*launch_test.cpp,*hip_api_test.cpp,*failures_test.cpp,*faults*_test.cpp,*capture*_test.cpp,*graph*_test.cpp,*memory_kinds_test.cpp,*threads_test.cpp)
    set_tests_properties(hip_tests_${policy_name} PROPERTIES TIMEOUT 300 ENVIRONMENT "HIPEMU_QUIET=1;HIPEMU_SCHEDULE=${policy};HIPEMU_CACHE_DIR=${hip_tests_cache}")
endforeach()

foreach(policy eager late seeded:3)
    string(REPLACE ":" "_" policy_name ${policy})
    add_test(NAME hip_tests_two_devices_${policy_name} COMMAND hip_tests --source-file=*devices_test.cpp,*stream_test.cpp,*failures_test.cpp,*graph*_test.cpp)
    set_tests_properties(hip_tests_two_devices_${policy_name} PROPERTIES TIMEOUT 300
        ENVIRONMENT "HIPEMU_QUIET=1;HIPEMU_DEVICE=rx7900xtx,rx7900xtx;HIPEMU_SCHEDULE=${policy};HIPEMU_CACHE_DIR=${hip_tests_cache}")
endforeach()

# Kernels with a mistake, and the same without it; each is compiled and run once, so these take minutes.
flashwave_suite(planted_tests
    SOURCES
        compiled_kernel.cpp
        planted_bugs_test.cpp
        planted_pairs_test.cpp
    LIBRARIES hipemu flashwave_base
    TIMEOUT 600)
set_target_properties(planted_tests PROPERTIES BUILD_RPATH ${HIPEMU_AS_HIP_DIR})
set_tests_properties(planted_tests PROPERTIES ENVIRONMENT "HIPEMU_QUIET=1;HIPEMU_SCHEDULE=eager;HIPEMU_CACHE_DIR=${hip_tests_cache}")
set_source_files_properties(planted_pairs_test.cpp PROPERTIES
    COMPILE_DEFINITIONS "HIPEMU_PLANTED_DIR=\"${CMAKE_CURRENT_SOURCE_DIR}/planted\"")

# The library's own view of HIP, which opens the emulator at run time.
flashwave_suite(hip_wrappers_tests
    SOURCES
        compiled_kernel.cpp
        hip_wrappers_test.cpp
    LIBRARIES flashwave_objects
    TIMEOUT 300)
add_dependencies(hip_wrappers_tests hipemu flashwave-worker)
add_dependencies(hip_tests flashwave-worker)
add_dependencies(planted_tests flashwave-worker)
set_tests_properties(hip_wrappers_tests PROPERTIES ENVIRONMENT "HIPEMU_QUIET=1;HIPEMU_CACHE_DIR=${hip_tests_cache}")

# Our declarations of HIP against its own headers, where those are installed.
find_path(HIP_HEADERS hip/hip_deprecated.h HINTS $ENV{ROCM_PATH}/include /opt/rocm/include ${FLASHWAVE_ROCM}/usr/include ${FLASHWAVE_ROCM}/include)
mark_as_advanced(HIP_HEADERS)
if(HIP_HEADERS)
    flashwave_suite(hip_abi_tests SOURCES abi_hip.cpp abi_test.cpp TIMEOUT 60)
    target_include_directories(hip_abi_tests SYSTEM PRIVATE ${HIP_HEADERS})
    # HIP's headers are C++14 of their own taste.
    set_source_files_properties(abi_hip.cpp PROPERTIES COMPILE_OPTIONS "-w")
endif()
