#include "launcher/program.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <climits>
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

// The loader of another architecture or word size would warn, in each process, that it cannot use our library.
bool same_architecture(const ElfW(Ehdr) & header) {
    ElfW(Ehdr) own{};
    const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return true;
    const bool known = pread(fd, &own, sizeof own, 0) == static_cast<ssize_t>(sizeof own);
    close(fd);
    return !known || (header.e_machine == own.e_machine && header.e_ident[EI_CLASS] == own.e_ident[EI_CLASS]);
}

enum class Loader { none, glibc, musl };

// What loads a program. Where that cannot be told it is taken for glibc's.
Loader loader_of(int fd, const ElfW(Ehdr) & header) {
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        ElfW(Phdr) segment{};
        const auto at = static_cast<off_t>(header.e_phoff + std::size_t{i} * header.e_phentsize);
        if (pread(fd, &segment, sizeof segment, at) != static_cast<ssize_t>(sizeof segment)) return Loader::glibc;
        if (segment.p_type != PT_INTERP) continue;
        char path[PATH_MAX] = {};
        if (pread(fd, path, sizeof path - 1, static_cast<off_t>(segment.p_offset)) <= 0) return Loader::glibc;
        return std::strstr(path, "/ld-musl-") != nullptr ? Loader::musl : Loader::glibc;
    }
    return Loader::none;
}

const char* why_not_loadable(Loader loader) {
    switch (loader) {
        case Loader::none:
            return "it is statically linked, and only a dynamically linked program can be recorded";
        case Loader::musl:
            return "it is linked with musl, and only a program that is linked with glibc can be recorded";
        case Loader::glibc:
            break;
    }
    return nullptr;
}

}  // namespace

int find_program(const char* name, char* path, std::size_t capacity) {
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
        denied = denied || error == EACCES;
        if (*end == '\0') break;
        at = end;
    }
    return denied ? EACCES : ENOENT;
}

const char* why_not_recordable(const char* path) {
    struct stat status;
    if (stat(path, &status) != 0) return nullptr;
    const bool other_user = (status.st_mode & S_ISUID) != 0 && status.st_uid != getuid();
    const bool other_group = (status.st_mode & S_ISGID) != 0 && status.st_gid != getgid();
    if (other_user || other_group) return "it runs as another user (setuid), where the loader ignores LD_PRELOAD";

    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return nullptr;  // executable but not readable: the loader may still manage
    ElfW(Ehdr) header{};
    const bool is_elf = pread(fd, &header, sizeof header, 0) == static_cast<ssize_t>(sizeof header) &&
                        std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0;
    const char* reason = nullptr;
    if (is_elf && !same_architecture(header)) {
        reason = "it is built for another architecture than Clearway";
    } else if (is_elf) {
        reason = why_not_loadable(loader_of(fd, header));
    }
    close(fd);
    return reason;
}

}  // namespace clearway::launcher
