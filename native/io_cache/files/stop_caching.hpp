// A file leaves the cache: on disk it becomes what the program wrote, its descriptors become the kernel's again, each
// at its position; from then on we know nothing of it. Whatever we do not understand begins with this.
#pragma once

#include <sys/resource.h>

#include "io_cache/files/table.hpp"

namespace clearway::io_cache {

// With `table_lock` held alone. Returns 0, or the errno of the write-back that failed: what could not be written is
// lost, as when the kernel's own write-back fails, and open descriptors tell it at their next write, fsync or close.
int stop_caching(CachedFile& file);
void stop_caching_each();

// Takes the lock itself. Nothing happens to what is not in the cache.
void stop_caching_descriptor(int fd);
void stop_caching_named(int directory, const char* path);  // path null: the directory is the file
void stop_caching_all();

// This process opens a file past the cache, under another name than those chosen, say. A lease does not tell of that
// where there is none; nor where the kernel takes it for reading, which breaks no lease of readers, but empties the
// file.
void before_open(int directory, const char* path, int flags);

// The process limits itself: growth beyond the size of a file is a signal at the very write, the kernel's; and a
// descriptor beyond the number that it may have cannot be given another open file description.
void before_limit(int resource, const rlimit* limit);

// Rings of requests name descriptors without any call, and a process with other rights or another root may not be able
// to open its files a second time, as is needed when they leave: such a program is served no more.
void stop_serving();

// A process that forbids itself system calls (preload/sandbox.hpp): from then on no door makes one of its own.
void stop_for_sandbox();

// All memory of the process is to be there and to stay (mlockall): what the cache only reserved, too, for each rank as
// much as for all of them together. So it gives it back, and serves no more.
void before_locking_memory();

// From then on a number may be another file in each thread.
void before_close_range(int flags);

// The process ends, and nothing enters any more: what is deleted stays, for nobody sees it any more, and destructors of
// libraries may yet use it. That is counted at exit; from a signal the process may yet come back.
void stop_caching_before_end();
void stop_caching_at_exit();

// Before another program is started with our descriptors: those that it would inherit.
void stop_caching_inheritable();
void stop_caching_closed();

// Whether the program's open file can go on with the kernel's open file description when the file leaves; then what the
// kernel knows of that lasts.
bool takes_over(const OpenFile& open, const CachedFile& file);

// Without writing; with `table_lock` held alone.
void forget_file(CachedFile& file);

// Forgets a deleted file that nobody has open, without writing. False: it has a name, or is open.
bool forget_deleted(CachedFile& file);

}  // namespace clearway::io_cache
