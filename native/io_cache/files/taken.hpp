// Files whose lease the kernel took: this process was stopped from outside (a batch system that suspends jobs, Ctrl-Z,
// a debugger), could not write back while somebody waited for a file, and after a time (/proc/sys/fs/lease-break-time)
// the kernel let others read and write it. What the program had written before came first: without the cache theirs
// would remain.
#pragma once

#include "io_cache/files/table.hpp"

namespace clearway::io_cache {

// With `table_lock` held. Whether others may have the file open, and ours are not yet settled with theirs: then nothing
// of ours may go to it.
bool is_taken(const CachedFile& file);

// Before it is written back, as the last thing before it leaves: where others wrote, their bytes come in the place of
// ours.
void settle_taken(CachedFile& file);

// Whoever comes to a file looks at the leases first, if nobody has for as long as the kernel waits at the least: a
// stopped process goes on with all of its threads at once. Takes the lock itself.
void let_go_of_taken();

}  // namespace clearway::io_cache
