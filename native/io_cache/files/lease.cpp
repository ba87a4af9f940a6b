#include "io_cache/files/lease.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>

#include "io_cache/files/kernel.hpp"

namespace clearway::io_cache {

namespace {

// Libc keeps it to itself, so nobody sends it to the process as a whole: a thread that waits for a signal of the
// program's would take what was meant for another that has it blocked for a moment. Libc's own use of it is to cancel a
// thread, and nobody cancels ours. Its sets of signals leave it out, so the kernel's own form is used.
constexpr int kSignal = 32;
constexpr std::uint64_t kHeard = std::uint64_t{1} << (kSignal - 1);

unsigned long kind_of(Lease lease) { return lease == Lease::write ? F_WRLCK : F_RDLCK; }

void notify(int fd, int thread, int signal) {
    f_owner_ex owner{F_OWNER_TID, thread};
    kernel::fcntl(fd, F_SETOWN_EX, reinterpret_cast<unsigned long>(&owner));
    kernel::fcntl(fd, F_SETSIG, static_cast<unsigned long>(signal));
}

}  // namespace

int take_lease(int fd, Lease lease, int listener) {
    notify(fd, listener, kSignal);
    if (kernel::fcntl(fd, F_SETLEASE, kind_of(lease)) == 0) return 0;
    const int error = errno;
    notify(fd, 0, 0);
    return error;
}

bool is_wanted(int fd, Lease lease) {
    return lease != Lease::none && kernel::fcntl(fd, F_GETLEASE) != static_cast<int>(kind_of(lease));
}

void begin_listening() { syscall(SYS_rt_sigprocmask, SIG_BLOCK, &kHeard, nullptr, sizeof kHeard); }

// Where the kernel's queue of signals is full it sends SIGIO instead: then whoever listens looks a moment later.
void listen(const timespec& most) { syscall(SYS_rt_sigtimedwait, &kHeard, nullptr, &most, sizeof kHeard); }

void wake(int listener) { syscall(SYS_tgkill, kernel::process(), listener, kSignal); }

void release_lease(int fd) {
    kernel::fcntl(fd, F_SETLEASE, F_UNLCK);
    notify(fd, 0, 0);
}

}  // namespace clearway::io_cache
