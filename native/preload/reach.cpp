#include "preload/reach.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cstring>

namespace clearway {
namespace {

// Raw system calls: in a job libc's names are doors of ours. To open a FIFO would wait for a writer: not so here.
int open_raw(const char* path) {
    return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0));
}
bool stat_raw(const char* path, struct stat& status) {
    return syscall(SYS_newfstatat, AT_FDCWD, path, &status, 0) == 0;
}
ssize_t pread_raw(int fd, void* buffer, std::size_t bytes, off_t at) {
    return syscall(SYS_pread64, fd, buffer, bytes, at);
}
void close_raw(int fd) { syscall(SYS_close, fd); }

// The loader of another architecture or word size would warn, in each process, that it cannot use our library.
bool same_architecture(const ElfW(Ehdr) & header) {
    ElfW(Ehdr) own{};
    const int fd = open_raw("/proc/self/exe");
    if (fd < 0) return true;
    const bool known = pread_raw(fd, &own, sizeof own, 0) == static_cast<ssize_t>(sizeof own);
    close_raw(fd);
    return !known || (header.e_machine == own.e_machine && header.e_ident[EI_CLASS] == own.e_ident[EI_CLASS]);
}

// What loads a program. Where that cannot be told it is taken for glibc's.
Obstacle loader_of(int fd, const ElfW(Ehdr) & header) {
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        ElfW(Phdr) segment{};
        const auto at = static_cast<off_t>(header.e_phoff + std::size_t{i} * header.e_phentsize);
        if (pread_raw(fd, &segment, sizeof segment, at) != static_cast<ssize_t>(sizeof segment)) return Obstacle::none;
        if (segment.p_type != PT_INTERP) continue;
        char path[1024] = {};
        if (pread_raw(fd, path, sizeof path - 1, static_cast<off_t>(segment.p_offset)) <= 0) return Obstacle::none;
        return std::strstr(path, "/ld-musl-") != nullptr ? Obstacle::musl : Obstacle::none;
    }
    return Obstacle::static_linked;
}

// The program in an open file, or where it is a script, the path of its interpreter.
Obstacle obstacle_at(int fd, char (&interpreter)[256]) {
    char begin[256] = "";
    ElfW(Ehdr) header{};
    const ssize_t length = pread_raw(fd, begin, sizeof begin - 1, 0);
    interpreter[0] = '\0';
    if (length > 2 && std::memcmp(begin, "#!", 2) == 0) {
        const char* path = begin + 2 + std::strspn(begin + 2, " \t");
        const std::size_t bytes = std::strcspn(path, " \t\n");
        std::memcpy(interpreter, path, bytes);
        interpreter[bytes] = '\0';
        return Obstacle::none;
    }
    if (length < static_cast<ssize_t>(sizeof header) || std::memcmp(begin, ELFMAG, SELFMAG) != 0) return Obstacle::none;
    std::memcpy(&header, begin, sizeof header);
    if (!same_architecture(header)) return Obstacle::other_machine;
    return loader_of(fd, header);
}

}  // namespace

Obstacle obstacle_to(const char* path) {
    struct stat status;
    if (!stat_raw(path, status) || !S_ISREG(status.st_mode)) return Obstacle::none;
    const bool other_user = (status.st_mode & S_ISUID) != 0 && status.st_uid != getuid();
    const bool other_group = (status.st_mode & S_ISGID) != 0 && status.st_gid != getgid();
    if (other_user || other_group) return Obstacle::other_user;

    const int fd = open_raw(path);
    if (fd < 0) return Obstacle::none;  // executable but not readable: the loader may still manage
    char interpreter[256] = "";
    Obstacle found = obstacle_at(fd, interpreter);
    close_raw(fd);
    // The kernel starts a script's interpreter, and looks no further than that one's own.
    if (interpreter[0] == '\0') return found;
    const int other = open_raw(interpreter);
    if (other < 0) return Obstacle::none;
    found = obstacle_at(other, interpreter);
    close_raw(other);
    return found;
}

const char* why_not_reached(const char* path) {
    switch (obstacle_to(path)) {
        case Obstacle::other_user:
            return "it runs as another user (setuid), so the loader ignores LD_PRELOAD";
        case Obstacle::static_linked:
            return "it is statically linked; only dynamically linked programs can be recorded";
        case Obstacle::musl:
            return "it is linked with musl; only programs linked with glibc can be recorded";
        case Obstacle::other_machine:
            return "it is built for a different architecture than Clearway";
        case Obstacle::none:
            break;
    }
    return nullptr;
}

bool starts_containers(const char* path) {
    static constexpr const char* kNames[] = {"apptainer", "singularity", "docker", "podman", "enroot",
                                             "shifter",   "ch-run",      "runc",   "crun",   "udocker"};
    const char* slash = std::strrchr(path, '/');
    const char* own = slash != nullptr ? slash + 1 : path;
    for (const char* name : kNames)
        if (std::strcmp(own, name) == 0) return true;
    return false;
}

}  // namespace clearway
