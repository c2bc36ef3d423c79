target_sources(flashwave_objects PRIVATE
    runtime/plan.cpp
    runtime/plan_builder.cpp
    runtime/runtime.cpp
)
