// Copies between the cache and memory of the program, which may not be there. The kernel would say EFAULT; we learn of
// it by a signal. If the program handles that signal, our part of its handler (signals/handlers.hpp) leaves the copy,
// so that no lock stays taken if the program's own part jumps away.
#pragma once

#include <cstddef>

namespace clearway::io_cache {

// How many bytes were copied: fewer where the program's memory ends before them, as of the kernel's own. Of the rest
// none was touched in our memory.
std::size_t take_from_program(void* to, const void* from, std::size_t bytes);
std::size_t give_to_program(void* to, const void* from, std::size_t bytes);

bool is_copying_with_program();

// In the handler of a fault that is_copying_with_program() is about: that copy returns false.
[[noreturn]] void leave_program_copy();

}  // namespace clearway::io_cache
