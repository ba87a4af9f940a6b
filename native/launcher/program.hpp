// The program that is to be recorded: where it is.
#pragma once

#include <cstddef>

namespace clearway::launcher {

// Finds `name` as execvp would. Returns 0 and its path, or the errno that execvp would end with; but where a folder of
// the PATH may not be searched, and no other has the program, ENOENT: shells say so too.
int find_program(const char* name, char* path, std::size_t capacity);

}  // namespace clearway::launcher
