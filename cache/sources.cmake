# schema.sql is compiled in: the library needs no file at run time.
file(READ ${CMAKE_CURRENT_LIST_DIR}/schema.sql FLASHWAVE_SCHEMA)
configure_file(${CMAKE_CURRENT_LIST_DIR}/schema.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/schema.cpp @ONLY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/schema.sql)

target_sources(flashwave_objects PRIVATE
    ../cache/database.cpp
    ../cache/process_identity.cpp
    ../cache/query.cpp
    ../cache/rows.cpp
    ../cache/sqlite.cpp
    ../cache/store.cpp
    ../cache/views.cpp
    ${CMAKE_CURRENT_BINARY_DIR}/schema.cpp
)
