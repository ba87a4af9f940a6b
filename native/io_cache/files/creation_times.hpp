// When files were made, where their file system does not tell (FUSE, some network file systems): processes of the job
// note it of the files that they leave, for those of its programs that come after them.
#pragma once

#include <sys/stat.h>

#include <cstdint>

namespace clearway::io_cache {

// Where they are noted: in the Run directory. Once, before the first question; without one nothing is noted.
void find_creation_times();

// CLOCK_REALTIME. 0: nobody has noted it, or the file is not as it was left.
std::uint64_t noted_creation_ns(const struct statx& status);

// Of the file at `fd`, as it is now.
void note_creation(int fd, std::uint64_t created_ns);

}  // namespace clearway::io_cache
