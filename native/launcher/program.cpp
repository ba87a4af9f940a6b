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

}  // namespace

int find_program(const char* name, bool in_working_directory, char* path, std::size_t capacity) {
    int error = ENOENT;
    if (std::strchr(name, '/') != nullptr) {
        if (static_cast<std::size_t>(std::snprintf(path, capacity, "%s", name)) >= capacity) return ENAMETOOLONG;
        return is_executable_file(path, error) ? 0 : error;
    }
    const char* search = std::getenv("PATH");
    if (search == nullptr) search = "/bin:/usr/bin";
    bool denied = false;
    for (const char* at = search; *name != '\0'; ++at) {
        const char* end = strchrnul(at, ':');
        const int length = static_cast<int>(end - at);
        const int written = length == 0 ? std::snprintf(path, capacity, "%s", name)
                                        : std::snprintf(path, capacity, "%.*s/%s", length, at, name);
        if (static_cast<std::size_t>(written) < capacity && is_executable_file(path, error)) return 0;
        // A folder that this user may not search says nothing about the program; a file that is no program does.
        denied = denied || (error == EACCES && access(path, F_OK) == 0);
        if (*end == '\0') break;
        at = end;
    }
    if (in_working_directory && *name != '\0') {  // with a slash, so that exec does not search again
        const int written = std::snprintf(path, capacity, "./%s", name);
        if (static_cast<std::size_t>(written) < capacity && is_executable_file(path, error)) return 0;
        denied = denied || (error == EACCES && access(path, F_OK) == 0);
    }
    return denied ? EACCES : ENOENT;
}

}  // namespace clearway::launcher
