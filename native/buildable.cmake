# Whether Clearway can be compiled here. If not, one sentence says why, and what to do instead.
if(NOT DEFINED SKBUILD_PROJECT_VERSION)
    file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../python/clearway/__init__.py version_line REGEX "^__version__ = "
         LIMIT_COUNT 1)
    string(REGEX REPLACE "^__version__ = \"(.*)\"$" "\\1" SKBUILD_PROJECT_VERSION "${version_line}")
endif()

# Lines that begin with a space are left as they are.
function(cannot_be_compiled why)
    set(wheel "clearway-${SKBUILD_PROJECT_VERSION}-py3-none-manylinux_2_28_${CMAKE_HOST_SYSTEM_PROCESSOR}.whl")
    message(FATAL_ERROR "  error: ${why}\n  hint: the wheel needs no compiler: pip install ${wheel}\n")
endfunction()

function(check_machine system processor)
    if(NOT system STREQUAL "Linux" OR NOT processor MATCHES "^(x86_64|aarch64)$")
        message(
            FATAL_ERROR "  error: Clearway is for Linux on x86-64 and arm64; this is ${system} on ${processor}\n"
                        "  hint: copy the Run directory to such a machine to see its page with clearway report\n")
    endif()
endfunction()

function(check_compiler name version)
    if((name STREQUAL "GNU" AND version VERSION_LESS 11) OR (name STREQUAL "Clang" AND version VERSION_LESS 14))
        cannot_be_compiled("Clearway is C++20, for GCC 11 or Clang 14 and newer; this is ${name} ${version}")
    endif()
endfunction()

function(check_libc is_glibc)
    if(NOT is_glibc)
        message(
            FATAL_ERROR "  error: Clearway needs glibc, and this system has another libc (musl?)\n"
                        "  hint: install it where the MPI jobs run, in a distribution with glibc\n")
    endif()
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
    cmake_language(EVAL CODE "${CALL}") # of a test
    return()
endif()

check_machine("${CMAKE_SYSTEM_NAME}" "${CMAKE_SYSTEM_PROCESSOR}")
include(CheckLanguage)
check_language(CXX)
if(NOT CMAKE_CXX_COMPILER)
    cannot_be_compiled("there is no C++ compiler to compile Clearway with")
endif()
enable_language(CXX)
check_compiler("${CMAKE_CXX_COMPILER_ID}" "${CMAKE_CXX_COMPILER_VERSION}")
include(CheckCXXSymbolExists)
check_cxx_symbol_exists(__GLIBC__ cstdlib CLEARWAY_GLIBC)
check_libc("${CLEARWAY_GLIBC}")
