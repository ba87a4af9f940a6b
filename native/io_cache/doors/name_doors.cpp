// Doors that take a file's name away: what was deleted need not be written any more. Other work on names is the
// kernel's alone, since the cache knows files by what they are.
#include <cstdio>

#include <sys/sysmacros.h>

#include "io_cache/doors/door.hpp"
#include "io_cache/files/kernel.hpp"
#include "io_cache/files/leave.hpp"

namespace clearway::io_cache {

namespace {

struct Inode {
    dev_t device = 0;
    ino_t inode = 0;  // 0: none that matters
};

Inode inode_at(int directory, const char* path) {
    struct statx status {};
    if (file_count.load(std::memory_order_relaxed) == 0) return {};
    const kernel::ErrnoGuard guard;
    if (kernel::statx(directory, path, AT_SYMLINK_NOFOLLOW, STATX_INO, status) != 0) return {};
    return {makedev(status.stx_dev_major, status.stx_dev_minor), status.stx_ino};
}

// Open ones stay until they are closed.
int unnamed(const Inode& was, int result) {
    if (result != 0 || was.inode == 0 || !in_own_process()) return result;
    const kernel::ErrnoGuard guard;
    const Alone alone;
    CachedFile* file = alone ? find_file(was.device, was.inode) : nullptr;
    if (file != nullptr) forget_deleted(*file);
    return result;
}

}  // namespace

}  // namespace clearway::io_cache

using namespace clearway;
using namespace clearway::io_cache;

IO_DOOR(int, unlink, const char* path) {
    static constinit Real<int(const char*)> real{"unlink"};
    const Inode was = inode_at(AT_FDCWD, path);
    return unnamed(was, real(path));
}

IO_DOOR(int, unlinkat, int directory, const char* path, int flags) {
    static constinit Real<int(int, const char*, int)> real{"unlinkat"};
    const Inode was = inode_at(directory, path);
    return unnamed(was, real(directory, path, flags));
}

IO_DOOR(int, remove, const char* path) {
    static constinit Real<int(const char*)> real{"remove"};
    const Inode was = inode_at(AT_FDCWD, path);
    return unnamed(was, real(path));
}

IO_DOOR(int, rename, const char* from, const char* to) {
    static constinit Real<int(const char*, const char*)> real{"rename"};
    const Inode replaced = inode_at(AT_FDCWD, to);
    return unnamed(replaced, real(from, to));
}

IO_DOOR(int, renameat, int from_directory, const char* from, int to_directory, const char* to) {
    static constinit Real<int(int, const char*, int, const char*)> real{"renameat"};
    const Inode replaced = inode_at(to_directory, to);
    return unnamed(replaced, real(from_directory, from, to_directory, to));
}

IO_DOOR(int, renameat2, int from_directory, const char* from, int to_directory, const char* to, unsigned flags) {
    static constinit Real<int(int, const char*, int, const char*, unsigned)> real{"renameat2"};
    const Inode replaced = inode_at(to_directory, to);
    return unnamed(replaced, real(from_directory, from, to_directory, to, flags));
}
