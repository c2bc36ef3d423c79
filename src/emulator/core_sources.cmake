# Decoder, scalar, memory and LDS semantics, undefined bits, launch, timing.
target_sources(hipemu_objects PRIVATE
)
