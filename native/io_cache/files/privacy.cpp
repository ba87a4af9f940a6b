#include "io_cache/files/privacy.hpp"

#include "io_cache/files/kernel.hpp"
#include "io_cache/files/patterns.hpp"
#include "io_cache/files/table.hpp"

namespace clearway::io_cache {

namespace {

bool has_no_name(const CachedFile& file) {
    const kernel::ErrnoGuard guard;
    struct statx status {};
    if (kernel::statx(file.fd, STATX_NLINK, status) == 0) return status.stx_nlink == 0;
    return errno == ESTALE || errno == ENOENT;  // FUSE and NFS, of a file that has no name left
}

}  // namespace

Privacy privacy_of(int directory, const char* path) {
    return is_own_scratch(directory, path) ? Privacy::scratch : Privacy::shared;
}

void note_unlinked(CachedFile& file, unsigned links) {
    if (file.privacy == Privacy::nameless || !has_no_name(file) || (links != 1 && !file.has_true_inode)) return;
    file.privacy = Privacy::nameless;
    cache->keep_size_synced(file.id, false);
}

bool is_deleted(const CachedFile& file) {
    return file.privacy == Privacy::nameless || (file.has_true_inode && has_no_name(file));
}

}  // namespace clearway::io_cache
