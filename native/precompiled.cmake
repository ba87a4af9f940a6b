# Reading the standard library's headers took half of the time that compiling took: they are read once for all targets that
# are compiled alike. Not where a compiler cache answers, which does not know them; there each file is compiled with
# nothing but what it includes itself, and so are all in `make lint`.
if(CMAKE_CXX_COMPILER_LAUNCHER)
    return()
endif()

set(usual_headers <algorithm> <array> <atomic> <cstdint> <cstdio> <cstdlib> <cstring> <deque> <functional> <map> <memory>
                  <optional> <set> <span> <string> <string_view> <utility> <vector>)

# The first of each list reads them, the others take what it has read.
function(precompile first)
    target_precompile_headers(${first} PRIVATE ${usual_headers})
    foreach(other IN LISTS ARGN)
        target_precompile_headers(${other} REUSE_FROM ${first})
    endforeach()
endfunction()

precompile(clearway_schedule clearway clearway_simulator clearway_workload clearway_io_cache clearway-io)
precompile(clearway_collectives clearway-flow) # with exceptions
precompile(clearway-schedule clearway-simulate clearway-workload clearway-bench clearway-record) # programs
if(TARGET clearway-synthesise)
    target_precompile_headers(clearway-synthesise REUSE_FROM clearway-schedule)
endif()
