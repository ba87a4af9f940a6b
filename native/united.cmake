# The files of a folder are compiled together, so that their headers are read and their templates made once. So a name at
# the top of a file must be the only one in its folder, in an anonymous namespace too.
# OFF: each file by itself, with nothing but what it includes, as clang-tidy wants it.
option(CLEARWAY_UNITED "Compile the files of a folder together" ON)
if(NOT CLEARWAY_UNITED)
    return()
endif()

function(unite target)
    get_target_property(sources ${target} SOURCES)
    get_target_property(base ${target} SOURCE_DIR)
    foreach(source IN LISTS sources)
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${base} NORMALIZE)
        cmake_path(IS_PREFIX PROJECT_SOURCE_DIR ${source} is_ours)
        # What is generated is long enough by itself.
        cmake_path(IS_PREFIX PROJECT_BINARY_DIR ${source} is_generated)
        if(is_ours AND NOT is_generated)
            cmake_path(GET source PARENT_PATH folder)
            cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/native)
            string(MAKE_C_IDENTIFIER "${folder}" group)
            set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
        endif()
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# The recorder, the files of flow and the I/O cache are compiled one by one: what is measured in a job stays by itself.
foreach(room schedule simulator workload command_line)
    unite(clearway_${room})
endforeach()
foreach(program bench record schedule simulate slurm workload)
    unite(clearway-${program})
endforeach()
