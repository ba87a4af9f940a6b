// Ends and copies of descriptors. What the kernel does to a descriptor that is in the table happens with `table_lock`
// held, or the background thread could put another one in its place at that moment.
#pragma once

#include "io_cache/files/table.hpp"

namespace clearway::io_cache {

// The program closes `fd`; before the kernel does. The errno that close has to tell, or 0.
int serve_close(int fd);

// With `table_lock` held alone:
int close_descriptor(int fd);  // as serve_close

// What the kernel has just done. A file comes to where a stream may read and write by the number, which no door sees,
// as shells redirect their output: it leaves.
void dup_descriptor(int from, int to, bool to_stream);

// Whether the program has something else there, which may be a stream's.
bool is_elsewhere(int fd);

// `copy()` makes the kernel copy `from`, on `over` where that is not -1. Returns what it does.
template <class Copy>
int serve_dup(int from, int over, Copy copy) {
    if (!is_cached(from) && !is_cached(over)) return copy();
    const ExclusiveLock alone;
    const bool to_stream = is_elsewhere(over);
    const int to = copy();
    if (alone && to >= 0 && to != from && in_own_process()) dup_descriptor(from, to, to_stream);
    return to;
}

}  // namespace clearway::io_cache
