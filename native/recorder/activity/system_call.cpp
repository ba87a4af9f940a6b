#include <fcntl.h>
#include <sys/syscall.h>

#include <cstdio>

#include "base/small_file.hpp"
#include "base/text.hpp"
#include "recorder/activity/found.hpp"

// Not all architectures have the older calls, nor all headers the newer ones.
#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

namespace clearway::recorder {
namespace {

Found plainly(Activity activity) {
    Found found;
    found.activity = activity;
    return found;
}

// wait4 and waitid name the child, or -1 and others for any.
Found found_waiting_for(std::uint64_t child) {
    Found found = plainly(Activity::child);
    const int pid = static_cast<int>(child);
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/comm", pid);
    if (pid > 0) read_line(path, found.object, sizeof found.object);
    return found;
}

Found found_in_fcntl(const SystemCall& call) {
    const int fd = static_cast<int>(call.arguments[0]), command = static_cast<int>(call.arguments[1]);
    if (command == F_SETLKW || command == F_OFD_SETLKW) return found_locking(call.thread, fd);
    Found found = plainly(Activity::system_call);
    copy_text(found.object, "fcntl");
    return found;
}

// semop and its like wait for another process that holds the semaphore.
Found found_at_old_semaphore(std::uint64_t semaphores) {
    Found found = plainly(Activity::lock);
    std::snprintf(found.object, sizeof found.object, "semaphore set %d", static_cast<int>(semaphores));
    return found;
}

// Those that a program may be blocked in for long.
const char* name_of(long number) {
    switch (number) {
#define CLEARWAY_NAMED(name) \
    case SYS_##name:         \
        return #name;
        CLEARWAY_NAMED(openat)
        CLEARWAY_NAMED(close)
        CLEARWAY_NAMED(fsync)
        CLEARWAY_NAMED(fdatasync)
        CLEARWAY_NAMED(sync)
        CLEARWAY_NAMED(syncfs)
        CLEARWAY_NAMED(ftruncate)
        CLEARWAY_NAMED(fallocate)
        CLEARWAY_NAMED(getdents64)
        CLEARWAY_NAMED(statx)
        CLEARWAY_NAMED(fstat)
        CLEARWAY_NAMED(unlinkat)
        CLEARWAY_NAMED(mkdirat)
        CLEARWAY_NAMED(ioctl)
        CLEARWAY_NAMED(mmap)
        CLEARWAY_NAMED(munmap)
        CLEARWAY_NAMED(mprotect)
        CLEARWAY_NAMED(madvise)
        CLEARWAY_NAMED(msync)
        CLEARWAY_NAMED(brk)
        CLEARWAY_NAMED(clone)
        CLEARWAY_NAMED(execve)
        CLEARWAY_NAMED(msgrcv)
        CLEARWAY_NAMED(msgsnd)
        CLEARWAY_NAMED(membarrier)
        CLEARWAY_NAMED(shutdown)
        CLEARWAY_NAMED(sendfile)
        CLEARWAY_NAMED(splice)
#ifdef SYS_open
        CLEARWAY_NAMED(open)
        CLEARWAY_NAMED(stat)
        CLEARWAY_NAMED(unlink)
        CLEARWAY_NAMED(mkdir)
        CLEARWAY_NAMED(vfork)
#endif
#ifdef SYS_newfstatat
        CLEARWAY_NAMED(newfstatat)
#endif
#undef CLEARWAY_NAMED
        default:
            return nullptr;
    }
}

Found found_in_another(const SystemCall& call) {
    Found found = plainly(Activity::system_call);
    if (const char* name = name_of(call.number))
        copy_text(found.object, name);
    else
        std::snprintf(found.object, sizeof found.object, "%ld", call.number);
    return found;
}

}  // namespace

Found found_in(const SystemCall& call) {
    const int fd = static_cast<int>(call.arguments[0]);
    switch (call.number) {
        case SYS_nanosleep:
        case SYS_clock_nanosleep:
            return plainly(Activity::sleeping);
        case SYS_futex:
            return found_at_word(call.arguments[0], call.arguments[1]);
        case SYS_futex_waitv:
            return plainly(Activity::other_thread);
#ifdef SYS_semop
        case SYS_semop:
#endif
        case SYS_semtimedop:
            return found_at_old_semaphore(call.arguments[0]);
        case SYS_wait4:
            return found_waiting_for(call.arguments[0]);
        case SYS_waitid:
            return found_waiting_for(call.arguments[0] == 1 ? call.arguments[1] : 0);  // P_PID
        case SYS_flock:
            return found_locking(call.thread, fd);
        case SYS_fcntl:
            return found_in_fcntl(call);
        case SYS_read:
        case SYS_readv:
        case SYS_pread64:
        case SYS_preadv:
        case SYS_recvfrom:
        case SYS_recvmsg:
        case SYS_recvmmsg:
            return found_reading(call.thread, fd);
        case SYS_write:
        case SYS_writev:
        case SYS_pwrite64:
        case SYS_pwritev:
        case SYS_sendto:
        case SYS_sendmsg:
        case SYS_sendmmsg:
            return found_writing(call.thread, fd);
        case SYS_connect:
            return found_connecting(call.arguments[1], call.arguments[2]);
        case SYS_accept:
        case SYS_accept4:
            return found_accepting(fd);
#ifdef SYS_poll
        case SYS_poll:
#endif
        case SYS_ppoll:
            return found_in_poll(call);
#ifdef SYS_select
        case SYS_select:
#endif
        case SYS_pselect6:
            return found_in_select(call);
#ifdef SYS_epoll_wait
        case SYS_epoll_wait:
#endif
        case SYS_epoll_pwait:
        case SYS_epoll_pwait2:
            return found_in_epoll(call);
#ifdef SYS_pause
        case SYS_pause:
#endif
        case SYS_rt_sigtimedwait:
        case SYS_rt_sigsuspend:
            return plainly(Activity::signal);
        case SYS_restart_syscall:
            return found_in_kernel(call.thread);  // of a call that a signal interrupted
        default:
            return found_in_another(call);
    }
}

}  // namespace clearway::recorder
