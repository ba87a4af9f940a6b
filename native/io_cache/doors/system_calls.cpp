#include "io_cache/doors/system_calls.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utime.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/not_cancelled.hpp"
#include "cache_doors.hpp"
#include "io_cache/files/child_processes.hpp"
#include "io_cache/files/locks.hpp"
#include "io_cache/files/own_end.hpp"
#include "io_cache/files/run_record.hpp"
#include "io_cache/files/stop_caching.hpp"
#include "io_cache/lifetime.hpp"
#include "io_cache/signals/handlers.hpp"
#include "preload/program_memory.hpp"
#include "preload/sandbox.hpp"

namespace clearway::io_cache {

namespace {

template <class T>
T* pointer(long argument) {
    return reinterpret_cast<T*>(argument);  // NOLINT(performance-no-int-to-ptr): that is what system calls have
}

int number_in(long argument) { return static_cast<int>(argument); }
unsigned bits_in(long argument) { return static_cast<unsigned>(argument); }
std::size_t size_in(long argument) { return static_cast<std::size_t>(argument); }
const char* name_in(long argument) { return pointer<const char>(argument); }

// What libc's functions of these names do when called on this library's own: see -Bsymbolic-functions. Those that move
// bytes or the position.
long serve_transfer(long number, long a, long b, long c, long d, long /*e*/, long f) {
    const NotCancelled lasts;  // as calls by number have it
    const int fd = number_in(a);
    switch (number) {
        case SYS_read:
            return read(fd, pointer<void>(b), size_in(c));
        case SYS_write:
            return write(fd, pointer<void>(b), size_in(c));
        case SYS_pread64:
            return pread(fd, pointer<void>(b), size_in(c), d);
        case SYS_pwrite64:
            return pwrite(fd, pointer<void>(b), size_in(c), d);
        case SYS_readv:
            return readv(fd, pointer<iovec>(b), number_in(c));
        case SYS_writev:
            return writev(fd, pointer<iovec>(b), number_in(c));
        case SYS_preadv:
            return preadv(fd, pointer<iovec>(b), number_in(c), d);
        case SYS_pwritev:
            return pwritev(fd, pointer<iovec>(b), number_in(c), d);
        case SYS_preadv2:
            return preadv2(fd, pointer<iovec>(b), number_in(c), d, number_in(f));
        case SYS_pwritev2:
            return pwritev2(fd, pointer<iovec>(b), number_in(c), d, number_in(f));
        case SYS_lseek:
            return lseek(fd, b, number_in(c));
        case SYS_ftruncate:
            return ftruncate(fd, b);
        case SYS_fallocate:
            return fallocate(fd, number_in(b), c, d);
        case SYS_fsync:
            return fsync(fd);
        case SYS_fdatasync:
            return fdatasync(fd);
        case SYS_sync_file_range:
            return sync_file_range(fd, b, c, bits_in(d));
        case SYS_flock:
            return flock(fd, number_in(b));
        default:
            errno = ENOSYS;
            return -1;
    }
}

bool is_transfer(long number) {
    switch (number) {
        case SYS_read:
        case SYS_write:
        case SYS_pread64:
        case SYS_pwrite64:
        case SYS_readv:
        case SYS_writev:
        case SYS_preadv:
        case SYS_pwritev:
        case SYS_preadv2:
        case SYS_pwritev2:
        case SYS_lseek:
        case SYS_ftruncate:
        case SYS_fallocate:
        case SYS_fsync:
        case SYS_fdatasync:
        case SYS_sync_file_range:
        case SYS_flock:
            return true;
        default:
            return false;
    }
}

// Those about descriptors and names, any of which may be those of a file in the cache.
long serve_other(long number, long a, long b, long c, long d, long e, long /*f*/) {
    const NotCancelled lasts;  // as calls by number have it
    const int fd = number_in(a);
    switch (number) {
        case SYS_close:
            return close(fd);
        case SYS_close_range:
            return close_range(bits_in(a), bits_in(b), number_in(c));
        case SYS_dup:
            return dup(fd);
        case SYS_dup3:
            return dup3(fd, number_in(b), number_in(c));
        case SYS_fcntl:
            return fcntl(fd, number_in(b), c);
        case SYS_newfstatat:
            return fstatat(fd, name_in(b), pointer<struct stat>(c), number_in(d));
        case SYS_fstat:
            return fstat(fd, pointer<struct stat>(b));
        case SYS_statx:
            return statx(fd, name_in(b), number_in(c), bits_in(d), pointer<struct statx>(e));
        case SYS_truncate:
            return truncate(name_in(a), b);
        case SYS_unlinkat:
            return unlinkat(fd, name_in(b), number_in(c));
        case SYS_renameat2:
            return renameat2(fd, name_in(b), number_in(c), name_in(d), bits_in(e));
        case SYS_renameat:
            return renameat(fd, name_in(b), number_in(c), name_in(d));
        case SYS_linkat:
            return linkat(fd, name_in(b), number_in(c), name_in(d), number_in(e));
        case SYS_fchmod:
            return fchmod(fd, bits_in(b));
        case SYS_fchmodat:
            return fchmodat(fd, name_in(b), bits_in(c), 0);
        case SYS_utimensat:
            return b == 0 ? futimens(fd, pointer<timespec>(c))
                          : utimensat(fd, name_in(b), pointer<timespec>(c), number_in(d));
        case SYS_sendmsg:
            return sendmsg(fd, pointer<msghdr>(b), number_in(c));
        case SYS_sendmmsg:
            return sendmmsg(fd, pointer<mmsghdr>(b), bits_in(c), number_in(d));
        case SYS_ioctl:
            return ioctl(fd, static_cast<unsigned long>(b), c);
        case SYS_syncfs:
            return syncfs(fd);
#if defined(__x86_64__)
        case SYS_stat:
            return stat(name_in(a), pointer<struct stat>(b));
        case SYS_lstat:
            return lstat(name_in(a), pointer<struct stat>(b));
        case SYS_dup2:
            return dup2(fd, number_in(b));
        case SYS_unlink:
            return unlink(name_in(a));
        case SYS_rename:
            return rename(name_in(a), name_in(b));
        case SYS_link:
            return link(name_in(a), name_in(b));
        case SYS_chmod:
            return chmod(name_in(a), bits_in(b));
        case SYS_utime:
            return utime(name_in(a), pointer<utimbuf>(b));
        case SYS_utimes:
            return utimes(name_in(a), pointer<timeval>(b));
#endif
        default:
            errno = ENOSYS;
            return -1;
    }
}

bool is_other(long number) {
    switch (number) {
        case SYS_close:
        case SYS_close_range:
        case SYS_dup:
        case SYS_dup3:
        case SYS_fcntl:
        case SYS_newfstatat:
        case SYS_fstat:
        case SYS_statx:
        case SYS_truncate:
        case SYS_unlinkat:
        case SYS_renameat2:
        case SYS_renameat:
        case SYS_linkat:
        case SYS_fchmod:
        case SYS_fchmodat:
        case SYS_utimensat:
        case SYS_sendmsg:
        case SYS_sendmmsg:
        case SYS_ioctl:
        case SYS_syncfs:
#if defined(__x86_64__)
        case SYS_stat:
        case SYS_lstat:
        case SYS_dup2:
        case SYS_unlink:
        case SYS_rename:
        case SYS_link:
        case SYS_chmod:
        case SYS_utime:
        case SYS_utimes:
#endif
            return true;
        default:
            return false;
    }
}

// The kernel's own form of it, of which libc keeps the last two to itself.
struct KernelAction {
    void (*handler)(int, siginfo_t*, void*);
    unsigned long flags;
    void (*restorer)();
    std::uint64_t mask;
};

bool is_libcs_own(int signal) { return signal > SIGSYS && signal < SIGRTMIN; }

// Libc's does not know the size of a mask, keeps two signals to itself, and touches memory that may not be there.
long serve_sigaction(long number, long a, long b, long c, long d, long e, long f) {
    const int signal = number_in(a);
    if (d != sizeof(KernelAction::mask) || is_libcs_own(signal))
        return real::syscall.function()(number, a, b, c, d, e, f);
    KernelAction wanted{};
    struct sigaction asked {
    }, was{};
    if (b != 0) {
        if (!copy_from_program(&wanted, pointer<const KernelAction>(b), sizeof wanted)) {
            errno = EFAULT;
            return -1;
        }
        asked.sa_sigaction = wanted.handler;
        asked.sa_flags = static_cast<int>(wanted.flags);
        std::memcpy(&asked.sa_mask, &wanted.mask, sizeof wanted.mask);
    }
    if (change_handler(signal, b != 0 ? &asked : nullptr, &was) != 0) return -1;
    if (c == 0) return 0;
    KernelAction before{was.sa_sigaction, static_cast<unsigned>(was.sa_flags), was.sa_restorer, 0};
    std::memcpy(&before.mask, &was.sa_mask, sizeof before.mask);
    if (copy_to_program(pointer<KernelAction>(c), &before, sizeof before)) return 0;
    errno = EFAULT;  // the handler is changed by then, as by the kernel
    return -1;
}

// By number, those that the doors of process_doors.cpp have by name.
bool changes_rights(long number) {
    switch (number) {
        case SYS_setuid:
        case SYS_setreuid:
        case SYS_setresuid:
        case SYS_setfsuid:
        case SYS_setgid:
        case SYS_setregid:
        case SYS_setresgid:
        case SYS_setfsgid:
        case SYS_setgroups:
        case SYS_capset:
        case SYS_chroot:
        case SYS_pivot_root:
        case SYS_unshare:
        case SYS_setns:
            return true;
        default:
            return false;
    }
}

// Their first argument is no descriptor of a file, however small the number is; programs make them often.
bool is_harmless(long number) {
    switch (number) {
        case SYS_getrandom:
        case SYS_membarrier:
        case SYS_sched_getaffinity:
        case SYS_sched_setaffinity:
        case SYS_tgkill:
        case SYS_set_mempolicy:
        case SYS_move_pages:
        case SYS_clock_gettime:
        case SYS_prctl:
        case SYS_socket:
        case SYS_prlimit64:
        case SYS_readlinkat:
        case SYS_openat:  // the kernel tells us of it
        case SYS_clone:
        case SYS_getpid:  // from here without an argument: what stands in its place is anything
        case SYS_gettid:
        case SYS_getppid:
        case SYS_getuid:
        case SYS_geteuid:
        case SYS_getgid:
        case SYS_getegid:
        case SYS_setsid:
        case SYS_sched_yield:
        case SYS_munlockall:
            return true;
        default:
            return false;
    }
}

void leave_if_descriptor(long argument) {
    if (argument == number_in(argument)) stop_caching_descriptor(number_in(argument));
}

// The files whose descriptors are among the arguments of a call that the cache does not serve. Other small numbers must
// not be taken for one: most calls have none but the first.
void leave_named_by(long number, const std::array<long, 5>& arguments) {
    constexpr long kNewestKnown = 467;  // of Linux 6.15; whoever knows what comes after it
    switch (number) {
        case SYS_mmap:
            return leave_if_descriptor(arguments[4]);
        case SYS_sendfile:
            leave_if_descriptor(arguments[1]);
            break;
        case SYS_splice:
        case SYS_tee:
        case SYS_copy_file_range:
            leave_if_descriptor(arguments[2]);
            break;
        default:
            if (number > kNewestKnown)
                for (const long argument : arguments) leave_if_descriptor(argument);
    }
    leave_if_descriptor(arguments[0]);
}

struct CloneArguments {  // of clone3(2)
    std::uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack;
};

// All 0 where nothing can be read: programs ask by such a call whether the kernel has it.
CloneArguments clone_arguments_at(long address) {
    CloneArguments read{};
    return copy_from_program(&read, pointer<const CloneArguments>(address), sizeof read) ? read : CloneArguments{};
}

// Whether a call makes a child with memory and a stack of its own, as fork does.
bool is_fork(long number, long a, long b) {
    constexpr std::uint64_t kOther = CLONE_VM | CLONE_SETTLS;
    switch (number) {
#if defined(__x86_64__)
        case SYS_fork:
            return true;
#endif
        case SYS_clone:
            return (static_cast<std::uint64_t>(a) & kOther) == 0 && b == 0;
        case SYS_clone3: {
            const CloneArguments asked = clone_arguments_at(a);
            return asked.exit_signal != 0 && (asked.flags & kOther) == 0 && asked.stack == 0;
        }
        default:
            return false;
    }
}

// Calls no handlers, so what they would do is done here: other threads may be in the middle of anything.
long serve_fork(long number, long a, long b, long c, long d, long e, long f) {
    SystemCall* const kernels = real::syscall.function();
    if (!in_own_process() || has_table_lock) return kernels(number, a, b, c, d, e, f);
    before_fork();
    const long child = kernels(number, a, b, c, d, e, f);
    if (child == 0)
        after_fork_in_child();
    else
        after_fork_in_parent();
    return child;
}

long serve_exec(long /*number*/, long a, long b, long c, long /*d*/, long /*e*/, long /*f*/) {
    return execve(name_in(a), pointer<char* const>(b), pointer<char* const>(c));
}

long serve_execveat(long /*number*/, long a, long b, long c, long d, long e, long /*f*/) {
    return execveat(number_in(a), name_in(b), pointer<char* const>(c), pointer<char* const>(d), number_in(e));
}

// What changes the process itself, before the kernel's call.
void prepare(long number, long a, long b, long c) {
    if (changes_rights(number)) return stop_serving();
    switch (number) {
#if defined(__x86_64__)
        case SYS_vfork:
            return stop_caching_all();
#endif
        case SYS_prctl:
            if (begins_sandbox(number_in(a))) stop_for_sandbox();
            return;
        case SYS_mlockall:
            return before_locking_memory();
        case SYS_seccomp:
            if (sets_filter(bits_in(a))) stop_for_sandbox();
            return;
        case SYS_clone:
            return before_clone(static_cast<unsigned long>(a));
        case SYS_clone3:
            return before_clone(clone_arguments_at(a).flags);
        case SYS_fcntl:
            if (b == F_SETLK || b == F_SETLKW) note_posix_lock(number_in(a));
            return;
        case SYS_prlimit64:
        case SYS_setrlimit:
            return before_limit(number_in(number == SYS_setrlimit ? a : b),
                                pointer<const rlimit>(number == SYS_setrlimit ? b : c));
        case SYS_exit_group:
            stop_caching_at_exit();
            return update_run_record();
        case SYS_kill:
        case SYS_rt_sigqueueinfo:
            return before_signal_to(number_in(a), number_in(b));
        case SYS_tgkill:
        case SYS_rt_tgsigqueueinfo:
            return before_signal_to(number_in(a), number_in(c));
        case SYS_tkill:
            return before_signal_to_thread(number_in(a), number_in(b));
        case SYS_pidfd_send_signal:
            return before_signal_by(number_in(a), number_in(b));
        case SYS_io_setup:
        case SYS_io_uring_setup:
            return stop_serving();
        case SYS_close_range:
            return before_close_range(number_in(c));
        case SYS_sync:
            return stop_caching_all();
        case SYS_openat:
            return before_open(number_in(a), name_in(b), number_in(c));
#if defined(__x86_64__)
        case SYS_open:
            return before_open(AT_FDCWD, name_in(a), number_in(b));
#endif
        default:
            return;
    }
}

}  // namespace

SystemCall* served_call(long number, long a, long b, long c, long d, long e) {
    if (own_process.load(std::memory_order_relaxed) == 0) return nullptr;
    if (number == SYS_rt_sigaction) return serve_sigaction;
    if (number == SYS_execve) return serve_exec;
    if (number == SYS_execveat) return serve_execveat;
    if (is_fork(number, a, b)) return serve_fork;
    prepare(number, a, b, c);
    if (file_count.load(std::memory_order_relaxed) == 0 || is_harmless(number)) return nullptr;
    if (is_transfer(number)) return is_cached(number_in(a)) ? serve_transfer : nullptr;
    if (is_other(number)) return serve_other;
    leave_named_by(number, {a, b, c, d, e});
    return nullptr;
}

}  // namespace clearway::io_cache
