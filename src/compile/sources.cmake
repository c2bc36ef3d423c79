target_sources(flashwave_objects PRIVATE
)
