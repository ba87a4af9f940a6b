// Ends and copies of descriptors. What the kernel does to a descriptor that is in the table happens with `room` held,
// or the keeper could put another one in its place at that moment.
#pragma once

#include "io_cache/files/table.hpp"

namespace clearway::io_cache {

// The program closes `fd`; before the kernel does. The errno that close has to tell, or 0.
int serve_close(int fd);

// With `room` held alone:
int end_descriptor(int fd);              // as serve_close
void copy_descriptor(int from, int to);  // what the kernel has just done

// `copy()` makes the kernel copy `from`, on `over` where that is not -1. Returns what it does.
template <class Copy>
int serve_copy(int from, int over, Copy copy) {
    if (!is_held(from) && !is_held(over)) return copy();
    const Alone alone;
    const int to = copy();
    if (alone && to >= 0 && to != from && in_own_process()) copy_descriptor(from, to);
    return to;
}

}  // namespace clearway::io_cache
