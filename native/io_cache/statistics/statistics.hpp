// What a cache has done so far, in records.
#pragma once

#include <cstdint>

namespace clearway::io_cache {

struct Statistics {
    std::uint64_t memory_available_bytes = 0;
    std::uint64_t record_bytes = 0;
    std::uint64_t records_fitting = 0;  // where others had the rest of the memory: the most that it could have
    std::uint64_t most_records = 0;     // that were in it at one time

    // A request counts once for each record that it touches; those of `_file` moved data from or to the file.
    std::uint64_t records_read = 0;
    std::uint64_t records_read_file = 0;
    std::uint64_t records_written = 0;
    std::uint64_t records_written_file = 0;

    std::uint64_t evicted_serial = 0;  // records, of files that are read and written from front to back
    std::uint64_t evicted_other = 0;

    std::uint64_t lookups = 0;    // of a record in the hash table
    std::uint64_t conflicts = 0;  // that met another record first

    std::uint64_t backing_reads = 0, backing_read_bytes = 0;
    std::uint64_t backing_writes = 0, backing_written_bytes = 0;
    std::uint64_t write_back_errors = 0;
};

}  // namespace clearway::io_cache
