target_sources(flashwave_objects PRIVATE
    api/log.cpp
    api/names.cpp
    api/runtime.cpp
    api/version.cpp
)
