// stat and its like, which before glibc 2.33 were no functions: programs called others of libc's, with the layout that
// they knew. The kernel's own layout is that of struct stat on 64-bit machines.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static_assert(sizeof(long) == 8 && SYS_newfstatat > 0);

extern "C" {

[[gnu::visibility("hidden")]] int fstatat(int directory, const char* path, struct stat* status, int flags) noexcept {
    return static_cast<int>(syscall(SYS_newfstatat, directory, path, status, flags));
}

[[gnu::visibility("hidden")]] int stat(const char* path, struct stat* status) noexcept {
    return fstatat(AT_FDCWD, path, status, 0);
}

[[gnu::visibility("hidden")]] int lstat(const char* path, struct stat* status) noexcept {
    return fstatat(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}

[[gnu::visibility("hidden")]] int fstat(int fd, struct stat* status) noexcept {
    return static_cast<int>(syscall(SYS_fstat, fd, status));
}

}  // extern "C"
