target_sources(flashwave_objects PRIVATE
    problem/arch.cpp
    problem/candidate.cpp
    problem/forward_call.cpp
    problem/kernel_spec.cpp
    problem/problem_key.cpp
    problem/reference.cpp
)
