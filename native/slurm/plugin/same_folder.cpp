#include "slurm/plugin/same_folder.hpp"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

namespace clearway::slurm {
namespace {

// Its number and when it was made: what all nodes say of one that they share. 0: not known, as over some NFS.
struct Mark {
    unsigned long long number, made_s, made_ns;
};

bool mark_of(const char* path, Mark& mark) {
    struct statx status;
    struct statfs system;
    if (statfs(path, &system) != 0 || system.f_type == FUSE_SUPER_MAGIC) return false;
    if (statx(AT_FDCWD, path, 0, STATX_INO | STATX_BTIME, &status) != 0) return false;
    const bool known = (status.stx_mask & STATX_BTIME) != 0;
    mark = {status.stx_ino, known ? static_cast<unsigned long long>(status.stx_btime.tv_sec) : 0,
            known ? status.stx_btime.tv_nsec : 0};
    return true;
}

}  // namespace

bool describe_folder(const char* path, char* text, std::size_t capacity) {
    char part[PATH_MAX];
    struct stat status;
    if (snprintf(part, sizeof part, "%s", path) >= static_cast<int>(sizeof part)) return false;
    while (stat(part, &status) != 0) {
        char* slash = strrchr(part, '/');
        if (errno != ENOENT || slash == nullptr || slash == part) return false;
        *slash = '\0';
    }
    Mark mark;
    if (!mark_of(part, mark)) return false;
    const int length = snprintf(text, capacity, "%llu %llu %llu %s", mark.number, mark.made_s, mark.made_ns, part);
    return length > 0 && static_cast<std::size_t>(length) < capacity;
}

bool is_another_folder(const char* text) {
    Mark there, here;
    int path = 0;
    if (sscanf(text, "%llu %llu %llu %n", &there.number, &there.made_s, &there.made_ns, &path) != 3 || path == 0)
        return false;
    if (text[path] != '/') return false;
    if (!mark_of(text + path, here)) return errno == ENOENT;
    const bool both_know = there.made_s != 0 && here.made_s != 0;
    return there.number != here.number || (both_know && (there.made_s != here.made_s || there.made_ns != here.made_ns));
}

}  // namespace clearway::slurm
