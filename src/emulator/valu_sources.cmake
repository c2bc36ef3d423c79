# Vector and matrix semantics.
target_sources(hipemu_objects PRIVATE
)
