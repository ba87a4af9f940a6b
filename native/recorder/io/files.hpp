// The files of this process, by path: one FileCell each, shared by all threads and descriptors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "recorder/thread.hpp"
#include "run_record/layout.hpp"

namespace clearway::recorder {

inline constexpr std::uint16_t kNoFile = 0xffff;

struct File {
    FileCell* cell = nullptr;
    std::uint16_t index = kNoFile;  // among process.files, for the timeline
};

// Finds or makes the cell of an absolute path. Everything under /proc and /sys shares a cell each (MPI
// libraries read hundreds of files there), and so do the files for which there is no more room.
// `is_new` (may be null) tells whether the cell was made by this call.
File file_of_path(const char* path, bool* is_new);

// The cell of an absolute path, if it has one.
File find_file(const char* path);

// The same for a path as a program names it, relative to `directory_fd` (AT_FDCWD: the working directory).
// Symbolic links in its folders are resolved when the plain path is not known. For rare calls.
File find_file_at(int directory_fd, const char* path);

// The cell of a path that a program asked for and did not open: its own if it has one, else that of its folder,
// "/dir/*". A program may ask for any number of names, and a name that is waited for may never be there. `result` and
// errno are the call's: a path that the kernel could not read is not read here, either.
File asked_file(const char* path, int result);

// Cells are shared by the threads that make recorded calls. The first pays for locked additions (6 ns each) only once
// there is a second.
inline void add_to(std::uint64_t& field, std::uint64_t value) {
    if (several_threads) [[unlikely]]
        __atomic_fetch_add(&field, value, __ATOMIC_RELAXED);
    else
        field += value;
}

inline void set_flags(FileCell& cell, std::uint64_t flags) {
    if ((__atomic_load_n(&cell.flags, __ATOMIC_RELAXED) & flags) != flags)
        __atomic_fetch_or(&cell.flags, flags, __ATOMIC_RELAXED);
}

inline void reach_extent(FileCell& cell, std::uint64_t offset) {
    std::uint64_t known = __atomic_load_n(&cell.extent_bytes, __ATOMIC_RELAXED);
    while (offset > known &&
           !__atomic_compare_exchange_n(&cell.extent_bytes, &known, offset, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

}  // namespace clearway::recorder
