target_sources(flashwave PRIVATE
    api/version.cpp
)
