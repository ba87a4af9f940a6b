#include "slurm/plugin/as_user.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern "C" {
#include <slurm/spank.h>
}

namespace clearway::slurm {
namespace {

constexpr long kMostGathering_ms = 20'000;  // a file system that hangs must not hold the node

// In a forked child of a process with threads: raw system calls, which concern this thread alone, and nothing else.
[[noreturn]] void become(const Owner& owner, char* const* words, int said) {
    if (syscall(SYS_setgroups, owner.group_count, owner.groups) == 0 &&
        syscall(SYS_setresgid, owner.group, owner.group, owner.group) == 0 &&
        syscall(SYS_setresuid, owner.user, owner.user, owner.user) == 0 && owner.user != 0) {
        const int nothing = open("/dev/null", O_RDWR);
        dup2(nothing, 0);
        dup2(nothing, 1);
        dup2(said, 2);
        char* no_variables[] = {nullptr};
        execve(words[0], words, no_variables);
    }
    _exit(127);
}

long now_ms() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

// What it says on stderr until it ends, or the time is over: then it is killed, and may be called again.
void listen(int said, char* text, size_t capacity) {
    const long end_ms = now_ms() + kMostGathering_ms;
    for (size_t at = 0;;) {
        pollfd ready{said, POLLIN, 0};
        const long left_ms = end_ms - now_ms();
        if (left_ms <= 0 || poll(&ready, 1, static_cast<int>(left_ms)) <= 0) return;
        char rest[256];
        const ssize_t got =
            at + 1 < capacity ? read(said, text + at, capacity - 1 - at) : read(said, rest, sizeof rest);
        if (got <= 0) return;
        if (at + 1 < capacity) at += static_cast<size_t>(got);
        text[at < capacity ? at : capacity - 1] = '\0';
    }
}

}  // namespace

bool run_as(const Owner& owner, const char* verb, const char* spool, const char* run, const char* more) {
    char program[] = CLEARWAY_PREFIX "/bin/clearway-slurm";
    const char* const given[] = {program, verb, spool, run, more, nullptr};
    char* words[sizeof given / sizeof given[0]];
    for (size_t i = 0; i < sizeof given / sizeof given[0]; ++i) words[i] = const_cast<char*>(given[i]);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    const pid_t child = fork();
    if (child == 0) become(owner, words, ends[1]);
    close(ends[1]);
    char text[1024] = "";
    if (child > 0) listen(ends[0], text, sizeof text);
    close(ends[0]);
    if (child < 0) return false;
    kill(child, SIGKILL);  // it has ended, or its time is over
    int status = 0;
    for (int tries = 0; tries < 100; ++tries) {
        const pid_t reaped = waitpid(child, &status, WNOHANG);
        if (reaped != 0) break;
        usleep(1000);  // in the kernel's hands: left behind
    }
    text[strcspn(text, "\n")] = '\0';
    if (text[0] != '\0') slurm_error("clearway: %s", text);
    return text[0] == '\0' && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace clearway::slurm
