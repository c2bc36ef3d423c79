target_sources(flashwave_objects PRIVATE
    api/names.cpp
    api/runtime.cpp
    api/version.cpp
)
