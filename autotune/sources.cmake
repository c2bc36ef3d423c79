target_sources(flashwave_objects PRIVATE
    ../autotune/benchmark.cpp
    ../autotune/candidates.cpp
    ../autotune/heuristic.cpp
    ../autotune/protocol.cpp
    ../autotune/tuner.cpp
    ../autotune/tuner_process.cpp
    ../autotune/validate.cpp
    ../autotune/validation_case.cpp
)

# The child process in which candidates run.
add_executable(flashwave-tuner ../autotune/main.cpp)
target_link_libraries(flashwave-tuner PRIVATE flashwave_objects)
