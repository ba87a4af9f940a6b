#include "slurm/plugin/users_folder.hpp"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "slurm/plugin/settings.hpp"
#include "slurm/step.hpp"

namespace clearway::slurm {

bool find_folder(uid_t user, char* path, std::size_t capacity) {
    char text[4096];
    passwd entry, *found = nullptr;
    return getpwuid_r(user, &entry, text, sizeof text, &found) == 0 && found != nullptr &&
           fill_in_folder(settings.folder, found->pw_dir, found->pw_name, path, capacity);
}

bool may_be_made(const char* path) {
    char part[PATH_MAX];
    snprintf(part, sizeof part, "%s", path);
    while (part[0] != '\0') {
        struct stat status;
        if (stat(part, &status) == 0) return faccessat(AT_FDCWD, part, W_OK | X_OK, AT_EACCESS) == 0;
        if (errno != ENOENT) return false;
        char* slash = strrchr(part, '/');
        if (slash == part) return faccessat(AT_FDCWD, "/", W_OK, AT_EACCESS) == 0;
        *slash = '\0';
    }
    return false;
}

}  // namespace clearway::slurm
