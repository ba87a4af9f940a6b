// The optional timeline: every MPI call and file operation in a ring of bounded size, newest kept.
#pragma once

#include <cstdint>

namespace clearway::recorder {

extern bool timeline_on [[gnu::visibility("hidden")]];

void begin_timeline(std::uint32_t records);  // 0: none

// `comm` is the communicator's index, for file operations that of the FileCell (0xffff: unknown).
void record_timeline(std::uint16_t function, std::uint16_t comm, std::int32_t peer, std::uint64_t entry,
                     std::uint64_t exit, std::uint64_t bytes);

}  // namespace clearway::recorder
