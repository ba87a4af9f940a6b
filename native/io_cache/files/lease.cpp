#include "io_cache/files/lease.hpp"

#include <csignal>

#include "io_cache/files/kernel.hpp"

namespace clearway::io_cache {

namespace {

unsigned long kind_of(Lease lease) { return lease == Lease::write ? F_WRLCK : F_RDLCK; }

void notify(int fd, int thread, int signal) {
    f_owner_ex owner{F_OWNER_TID, thread};
    kernel::fcntl(fd, F_SETOWN_EX, reinterpret_cast<unsigned long>(&owner));
    kernel::fcntl(fd, F_SETSIG, static_cast<unsigned long>(signal));
}

}  // namespace

// Sent to a thread that has it blocked; nobody else sees it.
int lease_signal() { return SIGRTMAX - 3; }

int take_lease(int fd, Lease lease, int listener) {
    notify(fd, listener, lease_signal());
    if (kernel::fcntl(fd, F_SETLEASE, kind_of(lease)) == 0) return 0;
    const int error = errno;
    notify(fd, 0, 0);
    return error;
}

bool is_wanted(int fd, Lease lease) {
    return lease != Lease::none && kernel::fcntl(fd, F_GETLEASE) != static_cast<int>(kind_of(lease));
}

void release_lease(int fd) {
    kernel::fcntl(fd, F_SETLEASE, F_UNLCK);
    notify(fd, 0, 0);
}

}  // namespace clearway::io_cache
