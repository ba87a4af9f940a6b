// Memory that a forked child finds zeroed, whichever way it was forked: pthread_atfork hears of fork only, not of _Fork
// nor of system calls by their number. Children that share our memory (vfork) see it as it is.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace clearway {

inline constexpr std::size_t kOwnPage_bytes = 4096;

// `memory` starts at a page, fills whole ones, and has no content from the file (.bss). Where the kernel cannot do it
// (before Linux 4.14, pages of 64 KiB), nothing happens.
inline void wipe_in_forked_children(void* memory, std::size_t bytes) {
    constexpr int kWipeOnFork = 18;  // MADV_WIPEONFORK, which old headers lack
    const int saved_errno = errno;
    if (sysconf(_SC_PAGESIZE) == static_cast<long>(kOwnPage_bytes)) madvise(memory, bytes, kWipeOnFork);
    errno = saved_errno;
}

}  // namespace clearway
