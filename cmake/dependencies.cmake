# The libraries flashwave is built on, all of them packages of the system. HIP is not among them: it is loaded at run time.
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)  # SHA-256
find_package(SQLite3 3.37 REQUIRED)               # STRICT tables
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
if(FLASHWAVE_CLI)
    find_package(CLI11 REQUIRED)
endif()
if(FLASHWAVE_TESTS)
    find_package(doctest REQUIRED)
endif()

# msgpack-cxx is header-only; its package and target were renamed over time, so the header is what is asked for.
find_path(MSGPACK_INCLUDE_DIR msgpack.hpp REQUIRED)
add_library(flashwave_msgpack INTERFACE)
target_include_directories(flashwave_msgpack SYSTEM INTERFACE $<BUILD_INTERFACE:${MSGPACK_INCLUDE_DIR}>)
target_compile_definitions(flashwave_msgpack INTERFACE MSGPACK_NO_BOOST)
