// Doors that take a file's name away, or give it another. What was deleted need not be written any more. One that is
// renamed or linked leaves: by its new name others look for it, or it is an inode of its own (some FUSE file systems).
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cstdio>

#include "io_cache/doors/door.hpp"
#include "io_cache/files/kernel.hpp"
#include "io_cache/files/stop_caching.hpp"
#include "io_cache/files/write_back.hpp"

namespace clearway::io_cache {

namespace {

struct Inode {
    dev_t device = 0;
    ino_t inode = 0;     // 0: none that matters
    unsigned links = 0;  // how many names it has
};

Inode inode_at(int directory, const char* path) {
    struct statx status {};
    if (file_count.load(std::memory_order_relaxed) == 0) return {};
    const kernel::ErrnoGuard guard;
    constexpr int kHow = AT_SYMLINK_NOFOLLOW | AT_STATX_FORCE_SYNC;
    if (kernel::statx(directory, path, kHow, STATX_INO | STATX_NLINK, status) != 0) return {};
    return {makedev(status.stx_dev_major, status.stx_dev_minor), status.stx_ino, status.stx_nlink};
}

// Open ones stay until they are closed.
int unnamed(const Inode& was, int result) {
    if (result != 0 || was.inode == 0 || !in_own_process()) return result;
    const kernel::ErrnoGuard guard;
    const ExclusiveLock alone;
    CachedFile* file = alone ? find_file(was.device, was.inode) : nullptr;
    if (file == nullptr) return result;
    note_unlinked(*file, was.links);
    forget_deleted(*file);
    return result;
}

// A folder's new name is that of all files in it.
void before_naming(int directory, const char* path, int flags) {
    struct statx status {};
    if (file_count.load(std::memory_order_relaxed) == 0) return;
    const kernel::ErrnoGuard guard;
    if (kernel::statx(directory, path, flags, STATX_TYPE, status) != 0) return;
    if (S_ISDIR(status.stx_mode)) return write_back_each_before(Event::is_walked);
    write_back_before(Event::gets_name, directory, path, flags);
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
    before_naming(AT_FDCWD, from, AT_SYMLINK_NOFOLLOW);
    const Inode replaced = inode_at(AT_FDCWD, to);
    return unnamed(replaced, real(from, to));
}

IO_DOOR(int, renameat, int from_directory, const char* from, int to_directory, const char* to) {
    static constinit Real<int(int, const char*, int, const char*)> real{"renameat"};
    before_naming(from_directory, from, AT_SYMLINK_NOFOLLOW);
    const Inode replaced = inode_at(to_directory, to);
    return unnamed(replaced, real(from_directory, from, to_directory, to));
}

IO_DOOR(int, renameat2, int from_directory, const char* from, int to_directory, const char* to, unsigned flags) {
    static constinit Real<int(int, const char*, int, const char*, unsigned)> real{"renameat2"};
    before_naming(from_directory, from, AT_SYMLINK_NOFOLLOW);
    if ((flags & RENAME_EXCHANGE) != 0) before_naming(to_directory, to, AT_SYMLINK_NOFOLLOW);
    const Inode replaced = inode_at(to_directory, to);
    return unnamed(replaced, real(from_directory, from, to_directory, to, flags));
}

IO_DOOR(int, link, const char* from, const char* to) {
    static constinit Real<int(const char*, const char*)> real{"link"};
    before_naming(AT_FDCWD, from, AT_SYMLINK_NOFOLLOW);
    return real(from, to);
}

IO_DOOR(int, linkat, int from_directory, const char* from, int to_directory, const char* to, int flags) {
    static constinit Real<int(int, const char*, int, const char*, int)> real{"linkat"};
    const int follow = (flags & AT_SYMLINK_FOLLOW) != 0 ? 0 : AT_SYMLINK_NOFOLLOW;
    before_naming(from_directory, from, follow | (flags & AT_EMPTY_PATH));
    return real(from_directory, from, to_directory, to, flags);
}
