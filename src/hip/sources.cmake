target_sources(flashwave_objects PRIVATE
    hip/buffer.cpp
    hip/device.cpp
    hip/event.cpp
    hip/hip_api.cpp
    hip/module.cpp
    hip/stream.cpp
)
# Where an installed emulator lies, seen from bin/ or libexec/.
set_property(SOURCE hip/hip_api.cpp TARGET_DIRECTORY flashwave_objects APPEND PROPERTY COMPILE_DEFINITIONS FLASHWAVE_LIBDIR="${CMAKE_INSTALL_LIBDIR}")
