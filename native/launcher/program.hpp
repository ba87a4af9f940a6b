// The program that is to be recorded: where it is.
#pragma once

#include <cstddef>

namespace clearway::launcher {

// Finds `name` as execvp would. Returns 0 and its path, or the errno that execvp would end with.
int find_program(const char* name, char* path, std::size_t capacity);

}  // namespace clearway::launcher
