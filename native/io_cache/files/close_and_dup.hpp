// Ends and copies of descriptors. What the kernel does to a descriptor that is in the table happens with `table_lock`
// held, or the background thread could put another one in its place at that moment.
#pragma once

#include "io_cache/files/table.hpp"

namespace clearway::io_cache {

// The program closes `fd`; before the kernel does. The errno that close has to tell, or 0.
int serve_close(int fd);

// With `table_lock` held alone:
int close_descriptor(int fd);           // as serve_close
void dup_descriptor(int from, int to);  // what the kernel has just done

// `copy()` makes the kernel copy `from`, on `over` where that is not -1. Returns what it does.
template <class Copy>
int serve_dup(int from, int over, Copy copy) {
    if (!is_cached(from) && !is_cached(over)) return copy();
    const ExclusiveLock alone;
    const int to = copy();
    if (alone && to >= 0 && to != from && in_own_process()) dup_descriptor(from, to);
    return to;
}

}  // namespace clearway::io_cache
