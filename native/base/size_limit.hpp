// How large this process may make a file (ulimit -f).
#pragma once

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace clearway {

// Beyond the limit a file's growth raises SIGXFSZ, which would end the program. errno stays.
inline bool may_grow_to(std::uint64_t bytes) {
    const int saved_errno = errno;
    rlimit limit{};
    const bool is_told = syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, nullptr, &limit) == 0;
    errno = saved_errno;
    return !is_told || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}

}  // namespace clearway
