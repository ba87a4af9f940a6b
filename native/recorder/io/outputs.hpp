// Which part of a file this process wrote, and how the file stood when the process last closed it: from that a reader
// tells the job's own lines in a log from those of the jobs before and after, and whether anybody wrote there since.
#pragma once

#include "recorder/io/descriptors.hpp"

namespace clearway::recorder {

// The first write to the file behind `descriptor` began at offset `at`. Only the first files are kept: a job may write
// thousands, and its log is among the first.
void output_begun(const Descriptor& descriptor, const FileCell& cell, std::uint64_t at);

// The process closed the file with this index. Costs a system call for files of which it wrote a kept part.
void output_closed(std::uint16_t file, const FileCell& cell);

// Says that the process wrote (kFileWritten) to the file.
inline void mark_written(const Descriptor& descriptor, FileCell& cell, std::uint64_t at) {
    if ((__atomic_load_n(&cell.flags, __ATOMIC_RELAXED) & kFileWritten) != 0) [[likely]]
        return;
    const std::uint64_t before = __atomic_fetch_or(&cell.flags, kFileWritten, __ATOMIC_RELAXED);
    if ((before & kFileWritten) == 0) output_begun(descriptor, cell, at);
}

}  // namespace clearway::recorder
