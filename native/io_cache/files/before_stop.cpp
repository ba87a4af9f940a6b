#include "io_cache/files/before_stop.hpp"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cstdio>
#include <cstring>
#include <ctime>

#include "base/folder.hpp"
#include "base/process_stat.hpp"
#include "io_cache/files/kernel.hpp"
#include "io_cache/files/lease_list.hpp"
#include "io_cache/files/locks.hpp"

namespace clearway::io_cache {

namespace {

constexpr timespec kMoment{0, 1'000'000};
constexpr int kMoments = 5000;  // 5 s: there may be a lot to write back

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
