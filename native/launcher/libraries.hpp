// The libraries that go into the program: where they are, and how they get in.
#pragma once

#include <cstddef>

namespace clearway::launcher {

// Finds `name` beside this program (build tree) or in ../lib (wheel and install prefix), as an absolute path.
bool find_library(const char* name, char* path, std::size_t capacity);

// Whether LD_PRELOAD can hold the path.
bool is_preloadable(const char* path);

// Puts `library` before whatever is preloaded already. Returns false without memory.
bool preload(const char* library);

// Takes the files of this name out of what is preloaded: those of another installation, too.
void forget_preloaded(const char* file);

// AddressSanitizer ends a program before which another library is loaded, unless it is told not to look. Returns false
// without memory.
bool let_sanitizers_follow();

}  // namespace clearway::launcher
