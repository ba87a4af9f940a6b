// Doors that work on names: removing, renaming, asking for a file's attributes.
#include <fcntl.h>
#include <sys/stat.h>

#include "recorder/io/operations.hpp"

namespace clearway::recorder {
namespace {

File deleted(int directory, const char* path, int result) {
    const File file = result == 0 ? find_file_at(directory, path) : File{};
    if (file.cell != nullptr) set_flags(*file.cell, kFileDeleted);
    return file;
}

// A renamed file keeps its cell, under the name it was opened by.
File renamed(int directory, const char* path, int result) {
    return result == 0 ? find_file_at(directory, path) : File{};
}

}  // namespace
}  // namespace clearway::recorder

using namespace clearway;
using namespace clearway::recorder;

CLEARWAY_DOOR(int, unlink, const char* path) {
    static constinit Door<int(const char*)> door{"unlink"};
    return operate_on_path<Operation::metadata>(
        door, [&] { return door.real()(path); }, [&](int result) { return deleted(AT_FDCWD, path, result); });
}

CLEARWAY_DOOR(int, unlinkat, int directory, const char* path, int flags) {
    static constinit Door<int(int, const char*, int)> door{"unlinkat"};
    return operate_on_path<Operation::metadata>(
        door, [&] { return door.real()(directory, path, flags); },
        [&](int result) { return deleted(directory, path, result); });
}

CLEARWAY_DOOR(int, remove, const char* path) {
    static constinit Door<int(const char*)> door{"remove"};
    return operate_on_path<Operation::metadata>(
        door, [&] { return door.real()(path); }, [&](int result) { return deleted(AT_FDCWD, path, result); });
}

CLEARWAY_DOOR(int, rename, const char* from, const char* to) {
    static constinit Door<int(const char*, const char*)> door{"rename"};
    return operate_on_path<Operation::metadata>(
        door, [&] { return door.real()(from, to); }, [&](int result) { return renamed(AT_FDCWD, from, result); });
}

CLEARWAY_DOOR(int, renameat, int from_directory, const char* from, int to_directory, const char* to) {
    static constinit Door<int(int, const char*, int, const char*)> door{"renameat"};
    return operate_on_path<Operation::metadata>(
        door, [&] { return door.real()(from_directory, from, to_directory, to); },
        [&](int result) { return renamed(from_directory, from, result); });
}

CLEARWAY_DOOR(int, renameat2, int from_directory, const char* from, int to_directory, const char* to, unsigned flags) {
    static constinit Door<int(int, const char*, int, const char*, unsigned)> door{"renameat2"};
    return operate_on_path<Operation::metadata>(
        door, [&] { return door.real()(from_directory, from, to_directory, to, flags); },
        [&](int result) { return renamed(from_directory, from, result); });
}

// Asking by name: booked to the file where it is named in full, else only the time counts.
#define CLEARWAY_ASKING_DOOR(name, parameters, arguments)                                       \
    CLEARWAY_DOOR(int, name, CLEARWAY_UNWRAP parameters) {                                      \
        static constinit Door<int parameters> door{#name};                                      \
        return operate_on_path<Operation::metadata>(                                            \
            door, [&] { return door.real() arguments; }, [&](int) { return find_file(path); }); \
    }
#define CLEARWAY_UNWRAP(...) __VA_ARGS__

CLEARWAY_ASKING_DOOR(stat, (const char* path, struct stat* status), (path, status))
CLEARWAY_SAME_DOOR(stat64, stat);
CLEARWAY_ASKING_DOOR(lstat, (const char* path, struct stat* status), (path, status))
CLEARWAY_SAME_DOOR(lstat64, lstat);
CLEARWAY_ASKING_DOOR(__xstat, (int version, const char* path, struct stat* status), (version, path, status))
CLEARWAY_SAME_DOOR(__xstat64, __xstat);
CLEARWAY_ASKING_DOOR(__lxstat, (int version, const char* path, struct stat* status), (version, path, status))
CLEARWAY_SAME_DOOR(__lxstat64, __lxstat);
CLEARWAY_ASKING_DOOR(fstatat, (int directory, const char* path, struct stat* status, int flags),
                     (directory, path, status, flags))
CLEARWAY_SAME_DOOR(fstatat64, fstatat);
CLEARWAY_ASKING_DOOR(statx, (int directory, const char* path, int flags, unsigned mask, struct statx* status),
                     (directory, path, flags, mask, status))
CLEARWAY_ASKING_DOOR(access, (const char* path, int mode), (path, mode))
CLEARWAY_ASKING_DOOR(faccessat, (int directory, const char* path, int mode, int flags), (directory, path, mode, flags))
CLEARWAY_ASKING_DOOR(truncate, (const char* path, off_t bytes), (path, bytes))
CLEARWAY_SAME_DOOR(truncate64, truncate);
CLEARWAY_ASKING_DOOR(mkdir, (const char* path, mode_t mode), (path, mode))
CLEARWAY_ASKING_DOOR(rmdir, (const char* path), (path))

CLEARWAY_DOOR(int, fstat, int fd, struct stat* status) {
    static constinit Door<int(int, struct stat*)> door{"fstat"};
    return operate<Operation::metadata>(door, fd, [&] { return door.real()(fd, status); });
}
CLEARWAY_SAME_DOOR(fstat64, fstat);

CLEARWAY_DOOR(int, __fxstat, int version, int fd, struct stat* status) {
    static constinit Door<int(int, int, struct stat*)> door{"__fxstat"};
    return operate<Operation::metadata>(door, fd, [&] { return door.real()(version, fd, status); });
}
CLEARWAY_SAME_DOOR(__fxstat64, __fxstat);
