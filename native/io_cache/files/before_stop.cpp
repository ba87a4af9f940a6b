#include "io_cache/files/before_stop.hpp"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cstdio>
#include <cstring>
#include <ctime>

#include "base/folder.hpp"
#include "base/process_stat.hpp"
#include "io_cache/files/kernel.hpp"
#include "io_cache/files/locks.hpp"

namespace clearway::io_cache {

namespace {

constexpr timespec kMoment{0, 1'000'000};
constexpr int kMoments = 5000;  // 5 s: there may be a lot to write back

struct Leased {
    int process = 0;
    unsigned long inode = 0;
};

// "3: LEASE  ACTIVE    WRITE 4711 08:01:131074 0 EOF". Locks of other kinds have other words there, and of leases in
// other containers the process is 0.
bool is_lease(const char* line, Leased& lease) {
    return std::sscanf(line, "%*d: LEASE %*s %*s %d %*x:%*x:%lu", &lease.process, &lease.inode) == 2;
}

// Calls `visit(lease)` for each of the machine, however many lines there are.
template <class Visit>
void for_each_lease(Visit visit) {
    const int fd = kernel::open("/proc/locks", O_RDONLY);
    if (fd < 0) return;
    char text[1024];
    std::size_t used = 0;
    for (long count; (count = syscall(SYS_read, fd, text + used, sizeof text - 1 - used)) > 0;) {
        used += static_cast<std::size_t>(count);
        text[used] = '\0';
        const char* line = text;
        for (const char* end; (end = std::strchr(line, '\n')) != nullptr; line = end + 1) {
            Leased lease;
            if (is_lease(line, lease)) visit(lease);
        }
        used -= static_cast<std::size_t>(line - text);
        std::memmove(text, line, used);
    }
    kernel::close(fd);
}

bool is_meant(pid_t destination, pid_t process) {
    if (process <= 0 || process == kernel::process()) return false;  // our own files: own_end.cpp
    if (destination > 0) return destination == process;
    if (destination == -1) return true;
    ProcessStat stat;
    return read_process_stat(process, stat) && stat.group == (destination == 0 ? getpgrp() : -destination);
}

bool is_stopped(pid_t process) {
    char path[32], text[1024];
    std::snprintf(path, sizeof path, "/proc/%d/stat", process);
    if (!read_text(path, text, sizeof text)) return true;
    const char* state = stat_field(text, 3);
    return state == nullptr || *state == 'T' || *state == 't' || *state == 'Z';
}

// To ask for it is enough: the kernel says EAGAIN, and tells who has the lease. A close of ours would end locks that
// the program itself has on this file, so then nothing is asked.
void ask_for(const Leased& lease) {
    char folder[32];
    std::snprintf(folder, sizeof folder, "/proc/%d/fd", lease.process);
    for_each_name(folder, [&](const char* number) {
        char path[64];
        std::snprintf(path, sizeof path, "%s/%.10s", folder, number);
        struct statx status {};
        if (kernel::statx(AT_FDCWD, path, 0, STATX_INO | STATX_TYPE, status) != 0) return true;
        if (status.stx_ino != lease.inode || !S_ISREG(status.stx_mode)) return true;
        const dev_t device = makedev(status.stx_dev_major, status.stx_dev_minor);
        if (may_have_posix_lock(device, status.stx_ino)) return false;
        const int fd = kernel::open(path, O_RDWR | O_NONBLOCK | O_NOCTTY);
        if (fd >= 0) kernel::close(fd);
        return false;
    });
}

}  // namespace

void let_others_go_before_stop(pid_t destination) {
    const kernel::ErrnoGuard guard;
    for (int moment = 0; moment < kMoments; ++moment) {
        int left = 0;
        for_each_lease([&](const Leased& lease) {
            if (!is_meant(destination, lease.process) || is_stopped(lease.process)) return;
            if (moment == 0) ask_for(lease);
            ++left;
        });
        if (left == 0) return;
        syscall(SYS_nanosleep, &kMoment, nullptr);
    }
}

}  // namespace clearway::io_cache
