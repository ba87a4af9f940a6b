// How large the stack of a thread of ours must be. Libc takes the program's static thread-local storage out of it,
// which is of any size: Fortran's threadprivate common blocks are megabytes.
#pragma once

#include <cstddef>

namespace clearway {

// From a library's constructor: what is loaded by then is what counts.
void measure_thread_storage();

// Of which so much is left to the thread.
std::size_t stack_with(std::size_t bytes_left);

}  // namespace clearway
