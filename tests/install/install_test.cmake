# The install test: cmake -D build=... -D consumer=... -D version=... -D generator=... -D cxx=... -D sanitize=... -P this.
set(work ${build}/install_test)
file(REMOVE_RECURSE ${work})

function(run)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(failed)
        list(JOIN ARGV " " command)
        message(FATAL_ERROR "${command}\nfailed (${failed}):\n${output}")
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${build} --prefix ${work}/as_installed)
file(RENAME ${work}/as_installed ${work}/moved)  # whatever looks for the first place fails from here on

# A public header includes nothing but the standard library and its neighbours.
file(GLOB headers ${work}/moved/include/flashwave/*)
list(LENGTH headers count)
if(count LESS 3)
    message(FATAL_ERROR "only ${count} headers were installed")
endif()
foreach(header IN LISTS headers)
    file(STRINGS ${header} foreign REGEX "^#include (<.*[/.]|\"[^f]|\"f[^l])")
    if(foreign)
        message(FATAL_ERROR "${header} includes a header of somebody else: ${foreign}")
    endif()
endforeach()

# The emulator carries the soname of AMD's HIP library: ldconfig must not find it beside libflashwave. Under HIP's name it lies in a
# folder that a program has to be pointed at.
file(GLOB_RECURSE libraries RELATIVE ${work}/moved ${work}/moved/*.so*)
if(NOT libraries MATCHES "/flashwave/hip/libamdhip64")
    message(FATAL_ERROR "the emulator is not installed under HIP's name: ${libraries}")
endif()
list(FILTER libraries EXCLUDE REGEX "/flashwave/")
if(libraries MATCHES "libamdhip64|libhipemu")
    message(FATAL_ERROR "the installation offers a libamdhip64 to the machine: ${libraries}")
endif()

set(flags "-Wall -Wextra -Wpedantic -Werror")
if(sanitize)
    string(APPEND flags " -fsanitize=${sanitize}")
endif()
run(${CMAKE_COMMAND} -S ${consumer} -B ${work}/consumer -G ${generator} -D CMAKE_PREFIX_PATH=${work}/moved
    -D CMAKE_CXX_COMPILER=${cxx} -D CMAKE_CXX_FLAGS=${flags} -D wanted_version=${version})
run(${CMAKE_COMMAND} --build ${work}/consumer)
# Nothing may come from the build tree or the caller's settings; what was compiled before must not stand in for the worker.
run(${CMAKE_COMMAND} -E env --unset=FLASHWAVE_LIBEXEC --unset=FLASHWAVE_HIP_LIBRARY FLASHWAVE_CACHE_DIR=${work}/cache
    ${work}/consumer/consumer)
string(STRIP "${output}" output)
if(NOT output STREQUAL "flashwave ${version} on gfx1100: output equals v")
    message(FATAL_ERROR "the consumer printed: ${output}")
endif()

find_program(command flashwave PATHS ${work}/moved/bin NO_DEFAULT_PATH)
if(command)
    run(${command} --version)
    if(NOT output MATCHES "${version}")
        message(FATAL_ERROR "the installed command's --version printed: ${output}")
    endif()
endif()
file(REMOVE_RECURSE ${work})
