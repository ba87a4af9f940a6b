// A process that this one is about to stop (kill -STOP, a shell's job control) lets go of its cached files first.
// Stopped, it could not: whoever opens one would wait for 45 s (/proc/sys/fs/lease-break-time), and then not find what
// it wrote. Who sends it sees nobody's cache but its own; what others have in theirs, and thus under a lease,
// /proc/locks tells.
#pragma once

#include <sys/types.h>

namespace clearway::io_cache {

void let_others_go_before_stop(pid_t destination);  // as of kill(2)

}  // namespace clearway::io_cache
