// What is to be done with a system call that the program makes by libc's `syscall`.
#pragma once

namespace clearway::io_cache {

// As syscall(2) with all its arguments.
using SystemCall = long(long number, long a, long b, long c, long d, long e, long f);

// Ours, for the calls that a cached file is to be served by as by libc's names of them; null: the kernel's. Files that
// the kernel's call would find in the cache have left it by then.
SystemCall* served_call(long number, long a, long b, long c, long d, long e);

}  // namespace clearway::io_cache
