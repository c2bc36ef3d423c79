target_sources(flashwave_objects PRIVATE
    api/version.cpp
)
