// What happened to files in this process, beside what the Cache counts of records.
#pragma once

#include <atomic>
#include <cstdint>

namespace clearway::io_cache {

struct Counts {
    std::atomic<std::uint64_t> files, deleted_files, left_files, lost_writes;
    std::atomic<std::uint64_t> read_bytes, written_bytes;         // by the program
    std::atomic<std::uint64_t> fetches, fetched_bytes, fetch_ns;  // from files
    std::atomic<std::uint64_t> stores, stored_bytes, store_ns;    // to files
};

extern Counts counts;

// In a forked child.
void reset_counts();

// A write-back failed for good. Says so once on stderr: what the program was told may have been told to nobody.
void count_lost_write(int fd, int error);

// Others wrote to a file while this process was stopped; once on stderr. `unsure`: not all that they wrote is known.
void say_others_wrote(int fd, bool unsure);

}  // namespace clearway::io_cache
