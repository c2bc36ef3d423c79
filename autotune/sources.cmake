target_sources(flashwave PRIVATE
)
