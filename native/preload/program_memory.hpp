// Memory that a program hands to a function of libc: it may not be there. The kernel then says EFAULT, where touching
// it ourselves would end the program.
#pragma once

#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

namespace clearway {

// False where not all of it can be read. errno stays.
inline bool copy_from_program(void* to, const void* from, std::size_t bytes) {
    const int saved_errno = errno;
    const iovec ours{to, bytes};
    const iovec theirs{const_cast<void*>(from), bytes};
    const long copied = syscall(SYS_process_vm_readv, syscall(SYS_getpid), &ours, 1L, &theirs, 1L, 0L);
    const bool forbidden = copied < 0 && errno != EFAULT;  // by a sandbox
    if (forbidden) std::memcpy(to, from, bytes);
    errno = saved_errno;
    return forbidden || copied == static_cast<long>(bytes);
}

// False where not all of it can be written. errno stays.
inline bool copy_to_program(void* to, const void* from, std::size_t bytes) {
    const int saved_errno = errno;
    const iovec ours{const_cast<void*>(from), bytes};
    const iovec theirs{to, bytes};
    const long copied = syscall(SYS_process_vm_writev, syscall(SYS_getpid), &ours, 1L, &theirs, 1L, 0L);
    const bool forbidden = copied < 0 && errno != EFAULT;
    if (forbidden) std::memcpy(to, from, bytes);
    errno = saved_errno;
    return forbidden || copied == static_cast<long>(bytes);
}

}  // namespace clearway
