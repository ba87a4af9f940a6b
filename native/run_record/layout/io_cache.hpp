// What the I/O cache did, and what one of another size would have done. Part of a record: see layout.hpp.
#pragma once

#include <cstdint>

namespace clearway {

// What the I/O cache did in this process. A record is `record_bytes` of a file.
struct IoCacheCell {
    std::uint64_t budget_bytes;                      // memory that it may take, or share with others of its host
    std::uint64_t record_bytes, records;             // size of one, and how many fit
    std::uint64_t peak_records;                      // the most that it held
    std::uint64_t read_records, fetched_records;     // the program asked for; of these, read from the file
    std::uint64_t written_records, stored_records;   // the program wrote; were written to the file
    std::uint64_t read_bytes, written_bytes;         // by the program
    std::uint64_t fetches, fetched_bytes, fetch_ns;  // reads of the files, and the time in them
    std::uint64_t stores, stored_bytes, store_ns;    // writes to the files, and the time in them
    std::uint64_t evicted_serial, evicted_other;     // records of files read or written in order, and of others
    std::uint64_t lookups, conflicts;                // in the hash table
    std::uint64_t files, deleted_files, left_files;  // served; deleted while served; given back to the kernel
    std::uint64_t store_errors;                      // writes to the files that failed
    char policy[16];                                 // that says what is evicted
};

// What a cache of another size would have done with the same reads and writes: a point of a curve.
struct IoSizeCell {
    std::uint64_t size_bytes;
    std::uint64_t fetched_records, stored_records;
};

static_assert(sizeof(IoCacheCell) == 208);
static_assert(sizeof(IoSizeCell) == 24);

}  // namespace clearway
