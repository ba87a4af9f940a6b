#include "slurm/plugin/gathering.hpp"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "slurm/plugin/settings.hpp"
#include "slurm/plugin/users_folder.hpp"
#include "slurm/step.hpp"

namespace clearway::slurm {
namespace {

constexpr int kMostLeftOvers = 4;           // of earlier steps, with each step
constexpr time_t kKept_s = 14 * 24 * 3600;  // that long a record waits for its user's folder

// True when nothing is left in its place of the spool.
bool bring(int spool, const char* place, const char* name, const Owner& owner, const char* killed) {
    const bool is_launch = strchr(place, '/') != nullptr;  // whose number must not be given again: leave_launch()
    if (!is_launch && (unlinkat(spool, place, AT_REMOVEDIR) == 0 || errno == ENOENT)) return true;  // empty
    char from[PATH_MAX], folder[PATH_MAX], run[PATH_MAX + 128];
    if (!find_folder(owner.user, folder, sizeof folder)) return false;
    snprintf(from, sizeof from, "%s/%s", settings.spool, place);
    snprintf(run, sizeof run, "%s/%s", folder, name);
    if (strstr(name, kBatch) != nullptr)
        run_as(owner, "gather-launches", from, run);
    else
        run_as(owner, "gather", from, run, killed);
    return !is_launch && unlinkat(spool, place, AT_REMOVEDIR) == 0;
}

void drop(int spool, const char* place, const Owner& owner) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", settings.spool, place);
    run_as(owner, "drop", path, nullptr);
    unlinkat(spool, place, AT_REMOVEDIR);
}

}  // namespace

void gather(int spool, const char* place, const char* name, const Owner& owner, const char* killed) {
    bring(spool, place, name, owner, killed);
}

void gather_left_overs(int spool) {
    const int again = openat(spool, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* folder = again >= 0 ? fdopendir(again) : nullptr;
    if (folder == nullptr) return;
    int number = 0;
    while (const dirent* entry = readdir(folder)) {
        const int fd = entry->d_name[0] != '.'
                           ? openat(spool, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                           : -1;
        if (fd < 0) continue;
        struct stat status;
        if (number < kMostLeftOvers && fstat(fd, &status) == 0 && status.st_uid != 0 &&
            flock(fd, LOCK_EX | LOCK_NB) == 0) {
            ++number;
            const Owner owner{status.st_uid, status.st_gid, nullptr, 0};
            if (!bring(spool, entry->d_name, entry->d_name, owner, "") && time(nullptr) - status.st_mtime > kKept_s)
                drop(spool, entry->d_name, owner);
        }
        close(fd);
    }
    closedir(folder);
}

}  // namespace clearway::slurm
