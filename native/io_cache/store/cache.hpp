// A budget of records for many files, written back when they must. Threads may call anything at once; calls on one
// file take turns, as the kernel has it.
//
// Nothing throws, and want of memory never fails a call: what finds no room goes straight to the file.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "io_cache/statistics/miss_ratio_curve.hpp"
#include "io_cache/statistics/statistics.hpp"
#include "io_cache/store/backing.hpp"
#include "io_cache/store/merged.hpp"
#include "io_cache/store/settings.hpp"

namespace clearway::io_cache {

using FileId = std::uint32_t;
inline constexpr FileId kNoFile = 0xffff'ffff;

class Pool;

class Cache {
public:
    // Null: wrong settings, or no memory.
    static Cache* create(const Settings& settings);
    ~Cache();  // forgets what was not flushed; for tests
    Cache(const Cache&) = delete;
    Cache& operator=(const Cache&) = delete;

    // kNoFile: there are too many.
    FileId add(const Backing& backing);

    // As pread and pwrite: how many bytes, or -1 and errno, which is the backing's.
    ssize_t read(FileId id, void* into, std::size_t bytes, off_t offset);
    ssize_t write(FileId id, const void* from, std::size_t bytes, off_t offset);

    // While it lives only this thread's calls go to that file: several are as one to the others.
    using Turn = std::unique_lock<std::recursive_mutex>;
    Turn turn(FileId id);

    int truncate(FileId id, off_t bytes);
    int grow(FileId id, off_t bytes);  // to at least so many, whoever else writes meanwhile
    off_t size(FileId id) const;

    // Of the file that the backing does not have yet, in whole records; `most_bytes` where they are not quickly
    // counted.
    off_t unwritten_bytes(FileId id, off_t most_bytes);

    // From now on the backing is as long as the file at the end of each call, or only when it is flushed or settled.
    void keep_size_synced(FileId id, bool sized);
    int sync_size(FileId id);

    // Makes the backing what the program has written. 0, or -1 and errno; then what could not be written is still
    // here, and the next flush tries again. Records stay in memory.
    int flush(FileId id);

    // Others may have written to the backing, which is so long now. Where they did, their bytes are the later ones.
    Merged merge(FileId id, off_t backing_bytes);

    // Forgets a file and its records without writing. The id may come back from a later `add`.
    void drop(FileId id);

    Statistics statistics() const;

    // What other sizes would have given.
    MissRatioCurve::Points miss_ratio_curve() const;

private:
    explicit Cache(std::unique_ptr<Pool> pool);
    std::unique_ptr<Pool> pool_;
};

}  // namespace clearway::io_cache
