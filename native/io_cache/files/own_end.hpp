// A program that is about to end itself by a signal: abort, a failed assert, a handler of faults that raises its signal
// once more. The kernel would have kept what it wrote, so its files leave the cache first: then what other threads
// write until the very end is the kernel's, too. A signal of another process, or a fault that no handler sees, ends it
// without a word to us.
#pragma once

#include <sys/types.h>

namespace clearway::io_cache {

void before_abort();
void before_signal(int signal);                          // to this process, or a thread of it
void before_signal_to(pid_t destination, int signal);    // as of kill(2)
void before_signal_to_thread(pid_t thread, int signal);  // as of tkill(2)
void before_signal_by(int pidfd, int signal);            // as of pidfd_send_signal(2)

// The program's handler has returned: abort ends the process next, and so does a fault that now has no handler.
void after_handler(int signal, bool is_fault);

}  // namespace clearway::io_cache
