#include "recorder/children.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "base/borrowed.hpp"
#include "base/host.hpp"
#include "recorder_doors.hpp"
#include "run_record/layout.hpp"

// Programs may wait for their children in signal handlers, and in vfork's children: everything here goes to the kernel.

namespace clearway::recorder {
namespace {

constexpr int kMostOfOnePid = 1000;  // as create_own_file() counts them
char records[PATH_MAX];              // how the names of this host's records begin; empty: nobody asks

int open_numbered(pid_t child, int number) {
    Borrowed<char[PATH_MAX + 32]> path;
    if (!path) return -1;
    if (number == 1)
        std::snprintf(*path, sizeof *path, "%s%d.cwr", records, child);
    else
        std::snprintf(*path, sizeof *path, "%s%d.%d.cwr", records, child, number);
    return static_cast<int>(syscall(SYS_openat, AT_FDCWD, *path, O_RDWR | O_NOFOLLOW | O_CLOEXEC));
}

// Of the last program that ran under this number. -1: it recorded nothing.
int open_record(pid_t child) {
    int found = -1;
    for (int number = 1; number <= kMostOfOnePid; ++number) {
        const int fd = open_numbered(child, number);
        if (fd < 0) break;
        if (found >= 0) syscall(SYS_close, found);
        found = fd;
    }
    return found;
}

void note_signal(int fd, pid_t child, int signal) {
    FileHeader header;
    const long got = syscall(SYS_pread64, fd, &header, sizeof header, 0L);
    if (got != static_cast<long>(sizeof header) || std::memcmp(header.magic, kMagic, sizeof kMagic) != 0) return;
    if (header.pid != child || header.state == State::exited) return;
    const std::int32_t code = -signal;
    syscall(SYS_pwrite64, fd, &code, sizeof code, static_cast<long>(offsetof(FileHeader, exit_code)));
}

void note_killed(pid_t child, int signal) {
    const int fd = open_record(child);
    if (fd < 0) return;
    note_signal(fd, child, signal);
    syscall(SYS_close, fd);
}

void note_if_killed(pid_t child) {
    siginfo_t end = {};
    const long answer = syscall(SYS_waitid, P_PID, child, &end, WEXITED | WNOHANG | WNOWAIT, nullptr);
    if (answer != 0 || end.si_pid != child) return;
    if (end.si_code == CLD_KILLED || end.si_code == CLD_DUMPED) note_killed(child, end.si_status);
}

// Those that have ended and were not waited for yet: they stay so. Who was killed first need not be heard of first, for
// the kernel tells of the oldest child; and a daemon that heard of one end may be killed itself before it asks again.
void note_others() {
    Borrowed<char[4096]> text;
    if (!text) return;
    const int fd = static_cast<int>(syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/children", O_RDONLY | O_CLOEXEC));
    if (fd < 0) return;
    const long length = syscall(SYS_read, fd, *text, sizeof *text - 1);
    syscall(SYS_close, fd);
    pid_t child = 0;
    for (long at = 0; at < length; ++at) {
        if ((*text)[at] == ' ') {
            note_if_killed(child);
            child = 0;
        } else {
            child = child * 10 + ((*text)[at] - '0');
        }
    }
}

void note_end(pid_t child, const int* status) {
    if (child <= 0 || status == nullptr || records[0] == '\0' || !WIFSIGNALED(*status)) return;
    const int saved_errno = errno;
    note_killed(child, WTERMSIG(*status));
    note_others();
    errno = saved_errno;
}

}  // namespace

void watch_children(const char* folder) {
    char host[64];
    safe_host_name(host);
    const int length = std::snprintf(records, sizeof records, "%s/rank.%s.", folder, host);
    if (length < 0 || static_cast<std::size_t>(length) >= sizeof records) records[0] = '\0';
}

}  // namespace clearway::recorder

using namespace clearway;
using namespace clearway::recorder;

CLEARWAY_DOOR(waitpid) {
    const pid_t ended = CLEARWAY_REAL(waitpid);
    note_end(ended, status);
    return ended;
}

CLEARWAY_DOOR(wait3) {
    const pid_t ended = CLEARWAY_REAL(wait3);
    note_end(ended, status);
    return ended;
}
