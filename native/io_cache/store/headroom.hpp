// How much more memory the cache could take before something else of the host or the job's control group suffers.
#pragma once

#include <cstdint>

namespace clearway::io_cache {

// UINT64_MAX where the kernel does not say.
struct Headroom {
    std::uint64_t bytes = UINT64_MAX;       // what the page cache holds and the disk has, too, counts as free
    std::uint64_t soon_bytes = UINT64_MAX;  // when the disk has all of what the page cache holds
    std::uint64_t of_bytes = UINT64_MAX;    // of so much memory
};

Headroom headroom();

}  // namespace clearway::io_cache
