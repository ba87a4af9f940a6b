// How long the process waited for locks on its files.
#pragma once

#include <cstdint>

namespace clearway::recorder {

// A call for a lock on the file with this index took so long. Calls for locks are rare: none is free.
void book_lock(std::uint16_t file, std::uint64_t ticks);

}  // namespace clearway::recorder
