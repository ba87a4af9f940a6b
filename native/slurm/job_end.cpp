#include "slurm/job_end.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace clearway::slurm {
namespace {

bool is_number(const char* text) {
    return text != nullptr && *text != '\0' && std::strlen(text) < 20 && text[std::strspn(text, "0123456789")] == '\0';
}

// Nobody else may put jobs there: what is read is given to scontrol.
int open_queue(const char* path) {
    struct stat status;
    if (mkdir(path, 0700) != 0 && errno != EEXIST) return -1;
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &status) == 0 && status.st_uid == geteuid() && (status.st_mode & 022) == 0) return fd;
    if (fd >= 0) close(fd);
    errno = EPERM;
    return -1;
}

bool somebody_works(int queue) {
    const int lock = openat(queue, ".lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    const bool works = lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0;
    if (lock >= 0) close(lock);
    return works;
}

// Away from Slurm, which waits for the output of what it starts to end.
[[noreturn]] void work(const char* queue, bool says) {
    char own[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    const int nothing = open("/dev/null", O_RDWR);
    setsid();
    for (int fd = 0; fd <= 2; ++fd) dup2(nothing, fd);
    if (length > 0 && fork() == 0) {
        own[length] = '\0';
        std::strcpy(std::strrchr(own, '/'), "/clearway");
        execl(own, own, "slurm", "ended", queue, says ? "--say" : nullptr, nullptr);
    }
    _exit(0);
}

}  // namespace

bool end_job(const char* queue, bool says) {
    const char *job = std::getenv("SLURM_JOB_ID"), *user = std::getenv("SLURM_JOB_UID");
    if (!is_number(job) || !is_number(user)) {
        std::fputs("clearway-slurm: job-end must be called by EpilogSlurmctld, which passes the job\n", stderr);
        return false;
    }
    char name[48];
    std::snprintf(name, sizeof name, "%s-%s", job, user);
    const int folder = open_queue(queue);
    const int file = folder >= 0 ? openat(folder, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
    if (file < 0) {
        std::fprintf(stderr, "clearway-slurm: cannot use the queue %s: %s\n", queue, std::strerror(errno));
        return false;
    }
    close(file);
    if (!somebody_works(folder)) {
        const pid_t child = fork();
        if (child == 0) work(queue, says);
        if (child > 0) waitpid(child, nullptr, 0);
    }
    close(folder);
    return true;
}

}  // namespace clearway::slurm
