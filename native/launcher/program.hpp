// The program that is to be recorded: where it is, and whether a preloaded library can get into it.
#pragma once

#include <cstddef>

namespace clearway::launcher {

// Finds `name` as execvp would. Returns 0 and its path, or the errno that execvp would end with.
int find_program(const char* name, char* path, std::size_t capacity);

// Null when LD_PRELOAD reaches the program at `path`, else why it does not.
const char* why_not_recordable(const char* path);

}  // namespace clearway::launcher
