target_sources(flashwave_objects PRIVATE
    api/names.cpp
    api/version.cpp
)
