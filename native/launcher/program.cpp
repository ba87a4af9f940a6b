#include "launcher/program.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace clearway::launcher {
namespace {

bool is_executable_file(const char* path, int& error) {
    struct stat status;
    if (stat(path, &status) != 0) {
        error = errno;
        return false;
    }
    if (!S_ISREG(status.st_mode)) {
        error = EACCES;
        return false;
    }
    if (access(path, X_OK) != 0) {
        error = errno;
        return false;
    }
    return true;
}

// Looks for `name` in the folders of a list such as PATH. Returns whether it was found; `denied` is set where a file of
// that name may not be executed.
bool search(const char* folders, const char* name, char* path, std::size_t capacity, bool& denied) {
    for (const char* at = folders; *name != '\0'; ++at) {
        int error = ENOENT;
        const char* end = strchrnul(at, ':');
        const int length = static_cast<int>(end - at);
        const int written = length == 0 ? std::snprintf(path, capacity, "%s", name)
                                        : std::snprintf(path, capacity, "%.*s/%s", length, at, name);
        if (static_cast<std::size_t>(written) < capacity && is_executable_file(path, error)) return true;
        // A folder that this user may not search says nothing about the program; a file that is no program does.
        denied = denied || (error == EACCES && access(path, F_OK) == 0);
        if (*end == '\0') break;
        at = end;
    }
    return false;
}

}  // namespace

int find_program(const char* name, const Search& where, char* path, std::size_t capacity) {
    if (std::strchr(name, '/') != nullptr) {
        int error = ENOENT;
        if (static_cast<std::size_t>(std::snprintf(path, capacity, "%s", name)) >= capacity) return ENAMETOOLONG;
        return is_executable_file(path, error) ? 0 : error;
    }
    bool denied = false;
    if (where.first != nullptr && search(where.first, name, path, capacity, denied)) return 0;
    const char* folders = std::getenv("PATH");
    if (search(folders != nullptr ? folders : "/bin:/usr/bin", name, path, capacity, denied)) return 0;
    if (where.in_working_directory && search(".", name, path, capacity, denied)) return 0;
    return denied ? EACCES : ENOENT;
}

}  // namespace clearway::launcher
