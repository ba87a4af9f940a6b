// The processors that a thread may use.
#pragma once

#include <cstddef>

namespace clearway::recorder {

// As the kernel writes such lists, "0-3,8"; of the calling thread for 0. False, and an empty text, where it cannot be
// read or does not fit.
bool list_affinity(int thread, char* text, std::size_t size);

}  // namespace clearway::recorder
