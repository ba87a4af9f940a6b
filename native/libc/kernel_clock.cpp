// What `clock_gettime` means inside our preloaded libraries (the linker's --wrap): the time as it is. Libraries that
// make a program believe in another (faketime) take libc's name: what we wait for may then never come, and files would
// be said to have been written then.
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <ctime>

extern "C" long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f);

namespace {

using Clock = int(clockid_t, timespec*);

int ask_kernel(clockid_t clock, timespec* time) {
    return static_cast<int>(__wrap_syscall(SYS_clock_gettime, clock, reinterpret_cast<long>(time), 0, 0, 0, 0));
}

std::atomic<Clock*> libcs{ask_kernel};  // until the constructor has run

// Libc's own, which needs no system call, whoever else has one of that name.
[[gnu::constructor(101)]] void find_libcs() {
    const int saved_errno = errno;
    void* const libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    void* const found = libc != nullptr ? dlsym(libc, "clock_gettime") : nullptr;
    if (found != nullptr) libcs.store(reinterpret_cast<Clock*>(found));
    if (libc != nullptr) dlclose(libc);
    errno = saved_errno;
}

}  // namespace

extern "C" [[gnu::visibility("hidden")]] int __wrap_clock_gettime(clockid_t clock, timespec* time) {
    return libcs.load(std::memory_order_relaxed)(clock, time);
}
