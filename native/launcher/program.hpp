// The program that is to be recorded: where it is.
#pragma once

#include <cstddef>

namespace clearway::launcher {

// Where a launcher that started this process looks besides the PATH.
struct Search {
    const char* first = nullptr;        // a list of folders, looked at before the PATH; null: none
    bool in_working_directory = false;  // behind it
};

// Finds `name` as execvp would. Returns 0 and its path, or the errno that execvp would end with; but where a folder of
// the PATH may not be searched, and no other has the program, ENOENT: shells say so too.
// What no folder of the PATH has is looked for in the working directory, too, if a launcher started this process:
// srun and Open MPI's mpirun do that last, so `srun a.out` is started by them, and by execvp is not.
int find_program(const char* name, const Search& where, char* path, std::size_t capacity);

}  // namespace clearway::launcher
