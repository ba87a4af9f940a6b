// A lease makes the kernel tell us before anyone else opens or truncates a file (fcntl(2), "Leases"): whoever it is
// waits until we have written back and let go. It is what makes it safe to know of a file what its file system does not
// know yet: other processes, other names of the file, stdio, dlopen, all of them open it first.
#pragma once

#include <ctime>

namespace clearway::io_cache {

enum class Lease { none, read, write };

// Takes one on `fd`; the thread `listener` hears of who wants the file. 0, or EAGAIN: others have it open, or what else
// the kernel says where the file system knows no leases.
int take_lease(int fd, Lease lease, int listener);

// Whether someone waits for it, or the kernel took it.
bool is_wanted(int fd, Lease lease);

void release_lease(int fd);

// For the thread that listens. Nothing that is sent to the program as a whole comes there.
void begin_listening();
void listen(const timespec& most);  // until somebody wants a file, or so long
void wake(int listener);            // as if somebody did

}  // namespace clearway::io_cache
