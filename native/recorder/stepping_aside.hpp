// What the kernel, or libc, does to all threads of a process at once, or to a process of one thread only. The sampler's
// would be one too many, so it leaves and comes back.
#pragma once

#include <cerrno>

#include "recorder/io/descriptors.hpp"
#include "recorder/process.hpp"
#include "recorder/sampler.hpp"

namespace clearway::recorder {

// `call()` without it.
template <class Call>
auto without_sampler(Call call) {
    int saved_errno = errno;
    const bool stepped = recording && in_own_process() && pause_sampler();
    errno = saved_errno;
    const auto result = call();
    if (!stepped) return result;
    saved_errno = errno;
    start_sampler();
    errno = saved_errno;
    return result;
}

}  // namespace clearway::recorder
