target_sources(flashwave_objects PRIVATE
    runtime/build_id.cpp
    runtime/plan.cpp
    runtime/plan_builder.cpp
    runtime/runtime.cpp
)
