# What `cmake --install` gives: headers, library, programs and a CMake package.
# Programs only the library starts lie in libexec. The emulator lies in a folder of its own below the library's: its soname is
# that of AMD's HIP library, and in the library folder ldconfig would offer it to every HIP program of the machine.
include(CMakePackageConfigHelpers)

set(flashwave_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/flashwave)
set(flashwave_libexec_dir ${CMAKE_INSTALL_LIBEXECDIR}/flashwave)

install(TARGETS flashwave EXPORT flashwave-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/flashwave DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h*")
foreach(program flashwave-worker flashwave-tuner)
    if(TARGET ${program})
        install(TARGETS ${program} RUNTIME DESTINATION ${flashwave_libexec_dir})
    endif()
endforeach()
install(PROGRAMS ${PROJECT_SOURCE_DIR}/scripts/fetch-rocm DESTINATION ${flashwave_libexec_dir})
if(TARGET hipemu)
    install(TARGETS hipemu LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/flashwave NAMELINK_SKIP)
endif()
foreach(program flashwave_cli hipemu_command)
    if(TARGET ${program})
        install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    endif()
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/flashwave-config.cmake.in ${PROJECT_BINARY_DIR}/flashwave-config.cmake
    INSTALL_DESTINATION ${flashwave_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/flashwave-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/flashwave-config.cmake ${PROJECT_BINARY_DIR}/flashwave-config-version.cmake
    DESTINATION ${flashwave_package_dir})
install(EXPORT flashwave-targets NAMESPACE flashwave:: DESTINATION ${flashwave_package_dir})
