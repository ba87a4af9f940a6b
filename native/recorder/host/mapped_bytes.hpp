// What the program has mapped into its memory by mmap itself, over all calls.
#pragma once

#include <atomic>
#include <cstdint>

namespace clearway::recorder {

inline constinit std::atomic<std::uint64_t> mapped_bytes{0};

}  // namespace clearway::recorder
