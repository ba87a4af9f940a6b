// How much more memory the cache could take before something else of the host or the job's control group suffers.
#pragma once

#include <cstdint>

namespace clearway::io_cache {

// What the page cache holds and the disk has, too, counts as free. UINT64_MAX where the kernel does not say.
std::uint64_t headroom_bytes();

}  // namespace clearway::io_cache
