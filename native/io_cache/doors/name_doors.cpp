// Doors that take a file's name away, or give it another. What was deleted need not be written any more. One that is
// renamed or linked leaves: by its new name others look for it, or it is an inode of its own (some FUSE file systems).
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cstdio>

#include "cache_doors.hpp"
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

CLEARWAY_DOOR(unlink) {
    const Inode was = inode_at(AT_FDCWD, path);
    return unnamed(was, CLEARWAY_REAL(unlink));
}

CLEARWAY_DOOR(unlinkat) {
    const Inode was = inode_at(directory, path);
    return unnamed(was, CLEARWAY_REAL(unlinkat));
}

CLEARWAY_DOOR(remove) {
    const Inode was = inode_at(AT_FDCWD, path);
    return unnamed(was, CLEARWAY_REAL(remove));
}

CLEARWAY_DOOR(rename) {
    before_naming(AT_FDCWD, from, AT_SYMLINK_NOFOLLOW);
    const Inode replaced = inode_at(AT_FDCWD, to);
    return unnamed(replaced, CLEARWAY_REAL(rename));
}

CLEARWAY_DOOR(renameat) {
    before_naming(from_directory, from, AT_SYMLINK_NOFOLLOW);
    const Inode replaced = inode_at(to_directory, to);
    return unnamed(replaced, CLEARWAY_REAL(renameat));
}

CLEARWAY_DOOR(renameat2) {
    before_naming(from_directory, from, AT_SYMLINK_NOFOLLOW);
    const bool exchanges = (flags & RENAME_EXCHANGE) != 0;
    if (exchanges) before_naming(to_directory, to, AT_SYMLINK_NOFOLLOW);
    const Inode replaced = exchanges ? Inode{} : inode_at(to_directory, to);
    return unnamed(replaced, CLEARWAY_REAL(renameat2));
}

CLEARWAY_DOOR(link) {
    before_naming(AT_FDCWD, from, AT_SYMLINK_NOFOLLOW);
    return CLEARWAY_REAL(link);
}

CLEARWAY_DOOR(linkat) {
    const int follow = (flags & AT_SYMLINK_FOLLOW) != 0 ? 0 : AT_SYMLINK_NOFOLLOW;
    before_naming(from_directory, from, follow | (flags & AT_EMPTY_PATH));
    return CLEARWAY_REAL(linkat);
}
