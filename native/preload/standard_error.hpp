// What we say to people. A program that began without a standard error may have a file of its own at that number.
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace clearway {

// Hidden: each of our libraries has its own, and asks for itself.
inline bool has_standard_error [[gnu::visibility("hidden")]] = true;

// From a library's constructor.
inline void look_for_standard_error() {
    const int saved_errno = errno;
    has_standard_error = syscall(SYS_fcntl, STDERR_FILENO, F_GETFD, 0) >= 0;
    errno = saved_errno;
}

inline void say_on_standard_error(const char* line, std::size_t bytes) {
    if (has_standard_error) syscall(SYS_write, STDERR_FILENO, line, bytes);
}

}  // namespace clearway
