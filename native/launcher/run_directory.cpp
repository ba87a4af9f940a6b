#include "launcher/run_directory.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "launcher/run_name.hpp"

namespace clearway::launcher {
namespace {

constexpr int kShortToken = 8;  // characters of the job's token in the directory's name

int make_one(const char* path) {
    if (mkdir(path, 0777) == 0) return 0;
    const int error = errno;
    struct stat status;
    // Also EROFS, EACCES… on a parent that exists: what counts is that it is a directory.
    if (stat(path, &status) == 0) return S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
    return error;
}

}  // namespace

int choose_run_directory(const char* given, const char* program, const char* job, char* path, std::size_t capacity) {
    std::size_t length = 0;
    if (given == nullptr || given[0] != '/') {
        if (getcwd(path, capacity - 1) == nullptr) return errno;
        length = std::strlen(path);
        if (path[length - 1] != '/') path[length++] = '/';
    }
    char name[192];
    if (given == nullptr) {
        const char* slash = std::strrchr(program, '/');
        char number[64];
        const char* batch = job_in_name(number);
        std::snprintf(name, sizeof name, "clearway-%.64s-%s%s%.*s", slash != nullptr ? slash + 1 : program,
                      batch != nullptr ? batch : "", batch != nullptr ? "-" : "", kShortToken, job);
        for (char* at = name; *at != '\0'; ++at) {
            const bool plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9');
            if (!plain && std::strchr("._+-", *at) == nullptr) *at = '_';
        }
        given = name;
    }
    if (length + std::strlen(given) >= capacity) return ENAMETOOLONG;
    std::strcpy(path + length, given);
    return 0;
}

int make_run_directory(const char* path) {
    char part[4096];
    if (std::strlen(path) >= sizeof part) return ENAMETOOLONG;
    std::strcpy(part, path);
    for (char* slash = std::strchr(part + 1, '/'); slash != nullptr; slash = std::strchr(slash + 1, '/')) {
        *slash = '\0';
        const int error = make_one(part);
        if (error != 0) return error;
        *slash = '/';
    }
    const int error = make_one(part);
    if (error != 0) return error;
    return access(part, W_OK | X_OK) == 0 ? 0 : errno;
}

}  // namespace clearway::launcher
