#include "slurm/plugin/step_folder.hpp"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "slurm/plugin/settings.hpp"

namespace clearway::slurm {
namespace {

constexpr unsigned long long kLeastRoom_bytes = 4 << 20;  // of a task: a record begins with a hundredth of it
constexpr int kMostTries = 10;                            // to have a folder that nobody is just removing
constexpr mode_t kOthersMayWrite = 022;

// The folder of all steps is root's alone, so that nobody puts a link there. Says why it cannot be used.
int open_spool() {
    if (mkdir(settings.spool, 0711) != 0 && errno != EEXIST) {
        say("this job runs unrecorded: cannot make the spool %s: %s", settings.spool, strerror(errno));
        return -1;
    }
    struct stat status;
    const int fd = open(settings.spool, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &status) == 0 && status.st_uid == 0 && (status.st_mode & kOthersMayWrite) == 0) return fd;
    say("this job runs unrecorded: the spool %s must be a directory that belongs to root and that only root can write "
        "to",
        settings.spool);
    if (fd >= 0) close(fd);
    return -1;
}

bool has_room(int spool, uint32_t tasks) {
    struct statvfs status;
    if (fstatvfs(spool, &status) != 0) return true;
    if (status.f_bavail * status.f_frsize >= kLeastRoom_bytes * (tasks > 0 ? tasks : 1)) return true;
    say("this job runs unrecorded: the spool %s is full", settings.spool);
    return false;
}

// The user's, directly below the spool. -1, and says why, where it cannot be made.
int make_folder(int spool, const char* name, uid_t user, gid_t group) {
    if (mkdirat(spool, name, 0700) != 0 && errno != EEXIST) {
        say("this job runs unrecorded: cannot make %s/%s: %s", settings.spool, name, strerror(errno));
        return -1;
    }
    const int fd = openat(spool, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && fchown(fd, user, group) == 0) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

// Of several mpiruns on a node each has a shared lock; where the batch script runs, that has one. -1, and says why,
// where the folder cannot be made.
int make_locked(int spool, const char* name, uid_t user, gid_t group, int lock) {
    for (int tries = 0;; ++tries) {
        const int fd = make_folder(spool, name, user, group);
        if (fd < 0) return -1;
        const bool is_locked = flock(fd, lock | LOCK_NB) == 0;
        struct stat status;
        const bool is_there = fstat(fd, &status) == 0 && status.st_nlink > 0;
        if (is_there && (is_locked || (lock == LOCK_SH && tries >= kMostTries))) return fd;
        close(fd);
        if (tries >= kMostTries) return -1;
        usleep(1000);
    }
}

}  // namespace

bool make_step_folder(StepFolder& folder, const Step& step, const Place& place, uid_t user, gid_t group,
                      uint32_t tasks) {
    const bool joins = step.launch > 0;
    folder.spool = open_spool();
    if (folder.spool < 0 || !has_room(folder.spool, tasks)) return false;
    int& fd = joins ? folder.around : folder.lock;
    fd = make_locked(folder.spool, outermost(place.path).text, user, group, joins ? LOCK_SH : LOCK_EX);
    return fd >= 0;
}

bool join_launch(StepFolder& folder, const Place& place) {
    const char* name = strchr(place.path, '/') + 1;
    if (mkdirat(folder.around, name, 0700) != 0 && errno != EEXIST) return false;
    folder.lock = openat(folder.around, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder.lock >= 0 && flock(folder.lock, LOCK_EX | LOCK_NB) != 0) {
        close(folder.lock);
        folder.lock = -1;
    }
    return true;
}

void leave_launch(StepFolder& folder, const Place& place) {
    if (folder.around < 0) return;
    if (flock(folder.around, LOCK_EX | LOCK_NB) == 0) {
        unlinkat(folder.spool, place.path, AT_REMOVEDIR);
        unlinkat(folder.spool, outermost(place.path).text, AT_REMOVEDIR);
    }
    close(folder.around);
}

}  // namespace clearway::slurm
