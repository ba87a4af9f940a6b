#include "io_cache/files/start_caching.hpp"

#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include <cstdlib>
#include <cstring>

#include "base/clock.hpp"
#include "io_cache/files/background_thread.hpp"
#include "io_cache/files/backing.hpp"
#include "io_cache/files/counts.hpp"
#include "io_cache/files/creation_times.hpp"
#include "io_cache/files/job_hosts.hpp"
#include "io_cache/files/kernel.hpp"
#include "io_cache/files/kernel_descriptors.hpp"
#include "io_cache/files/locks.hpp"
#include "io_cache/files/make_cache.hpp"
#include "io_cache/files/run_record.hpp"
#include "io_cache/files/serve.hpp"
#include "io_cache/files/stop_caching.hpp"
#include "io_cache/files/stream_numbers.hpp"
#include "io_cache/files/write_back.hpp"
#include "io_cache/signals/handlers.hpp"

namespace clearway::io_cache {

namespace {

std::uint64_t job_began_ns = 0;
bool one_host = false;

dev_t device_of(const struct statx& status) { return makedev(status.stx_dev_major, status.stx_dev_minor); }

bool tells_creation(const struct statx& status) { return (status.stx_mask & STATX_BTIME) != 0; }

// CLOCK_REALTIME; 0: not known.
std::uint64_t creation_ns(const struct statx& status, bool created) {
    if (tells_creation(status))
        return static_cast<std::uint64_t>(status.stx_btime.tv_sec) * 1'000'000'000U + status.stx_btime.tv_nsec;
    return created ? clock_ns(CLOCK_REALTIME) : noted_creation_ns(status);
}

// A file that was there before the job is somebody's: what a program writes to it goes to the kernel.
bool is_of_this_job(std::uint64_t created_ns) { return job_began_ns != 0 && created_ns >= job_began_ns; }

// Growth beyond the limit is a signal at the very write.
bool is_size_limited() {
    rlimit limit{};
    return syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, nullptr, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

bool is_in_memory(long kind) {
    return kind == TMPFS_MAGIC || kind == RAMFS_MAGIC || kind == PROC_SUPER_MAGIC || kind == HUGETLBFS_MAGIC;
}

// A file system without blocks (sysfs, control groups, lxcfs) makes its files up when they are read: their sizes,
// mostly 0 or a page, are not their lengths.
bool has_lengths(const struct statfs& system) { return system.f_blocks != 0; }

// Only this host writes to it: a lease tells of everybody. And hard links are names of one inode.
bool is_local(long kind) {
    constexpr long kXfs = 0x58465342, kZfs = 0x2fc12fc1;
    return kind == EXT4_SUPER_MAGIC || kind == kXfs || kind == BTRFS_SUPER_MAGIC || kind == F2FS_SUPER_MAGIC ||
           kind == kZfs || kind == OVERLAYFS_SUPER_MAGIC;
}

Lease lease_for(int kernel_flags) { return (kernel_flags & O_ACCMODE) == O_RDONLY ? Lease::read : Lease::write; }

// The file that was closed first makes room for one that is opened now.
CachedFile* place_for_file() {
    if (CachedFile* file = free_file()) return file;
    CachedFile* oldest = nullptr;
    for (CachedFile& file : files)
        if (file.first == nullptr && (oldest == nullptr || file.closed_ns < oldest->closed_ns)) oldest = &file;
    if (oldest == nullptr) return nullptr;
    stop_caching(*oldest);
    return free_file();
}

// What a file enters as; in CachedFile.
struct Terms {
    Lease lease;
    bool takes_writes, is_watched, has_true_inode;
    std::uint64_t untold_creation_ns;
};

// With the lease held nobody else changes the file: now its size can be known.
bool register_file(const Opened& opened, int own, const Terms& terms) {
    struct statx status {};
    if (kernel::statx(own, STATX_BASIC_STATS, status) != 0) return false;
    const ExclusiveLock alone;
    const bool may_enter = alone && serving.load(std::memory_order_relaxed) &&
                           becoming.load(std::memory_order_relaxed) == 0 && make_cache();
    // Another thread has opened it, too: the next open finds one of the two only.
    const bool is_here = may_enter && find_file(device_of(status), status.stx_ino) != nullptr;
    CachedFile* file = may_enter && !is_here ? place_for_file() : nullptr;
    if (file == nullptr) return false;
    file->fd = own;
    file->id = cache->add(backing_of(*file, static_cast<off_t>(status.stx_size)));
    if (file->id == kNoFile) return false;
    file->device = device_of(status);
    file->inode = status.stx_ino;
    file->flags = opened.kernel_flags;
    file->lease = terms.lease;
    file->takes_writes = terms.takes_writes;
    file->is_watched = terms.is_watched;
    file->has_true_inode = terms.has_true_inode;
    file->privacy = opened.privacy;
    file->untold_creation_ns = terms.untold_creation_ns;
    file->has_flock = false;
    file->room_bytes.store(0, std::memory_order_relaxed);
    file->unwritten_since_ns = 0;
    struct statfs around {};
    if (syscall(SYS_fstatfs, own, &around) == 0) note_free_bytes(*file, around);
    file->written_ns.store(0, std::memory_order_relaxed);
    file->read_ns.store(0, std::memory_order_relaxed);
    file->read_counts.store(false, std::memory_order_relaxed);
    file->changed_ns.store(clock_ns(CLOCK_REALTIME), std::memory_order_relaxed);
    file->breaking_ns.store(0, std::memory_order_relaxed);
    file->is_settled.store(false, std::memory_order_relaxed);
    cache->keep_size_synced(file->id, terms.takes_writes && duty(Event::grows, file->privacy) == Duty::size);
    if (terms.lease == Lease::none) unleased_count.fetch_add(1, std::memory_order_relaxed);
    file_count.fetch_add(1, std::memory_order_relaxed);
    if (OpenFile* open = new_open_file(*file, opened.flags)) {
        attach(opened.fd, *open);
    } else {
        stop_caching(*file);
    }
    counts.files.fetch_add(1, std::memory_order_relaxed);
    return true;
}

bool may_open(int directory, const char* path, int flags) {
    const int access = flags & O_ACCMODE;
    const int mode = (access != O_WRONLY ? R_OK : 0) | (access != O_RDONLY ? W_OK : 0);
    return kernel::access(directory, path, mode) == 0;
}

// What is asked for goes beyond what the kernel's open file description allows, or beyond us. Two open files would
// share a lock.
bool is_beyond(const CachedFile& file, int flags) {
    const bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC) != 0;
    return !is_servable(flags) || (writes && !file.takes_writes) || file.has_flock;
}

}  // namespace

void read_job() {
    const char* since = std::getenv("CLEARWAY_IO_CACHE_SINCE_NS");
    job_began_ns = since != nullptr ? std::strtoull(since, nullptr, 10) : 0;
    one_host = job_has_one_host();
}

bool is_servable(int flags) {
    constexpr int kRefused = O_DIRECT | O_DSYNC | O_PATH | O_DIRECTORY | O_ASYNC | (O_TMPFILE & ~O_DIRECTORY);
    return (flags & kRefused) == 0 && (flags & O_ACCMODE) != O_ACCMODE;
}

bool start_caching(const Opened& opened) {
    const kernel::ErrnoGuard guard;
    struct statx status {};
    if (is_of_stream(opened.fd) || opened.fd >= kMostDescriptors || !in_own_process()) return false;
    if (in_handler() && (cache == nullptr || !has_background_thread())) return false;  // neither can be made in there
    if (kernel::statx(opened.fd, STATX_BASIC_STATS | STATX_BTIME, status) != 0 || !S_ISREG(status.stx_mode))
        return false;
    struct statfs system {};
    const bool is_told = syscall(SYS_fstatfs, opened.fd, &system) == 0;  // FUSE does not of a deleted file
    const long kind = system.f_type;
    if (is_told && (is_in_memory(kind) || !has_lengths(system))) return false;

    const bool has_true_inode = is_local(kind);
    if (!has_true_inode && status.stx_nlink > 1) return false;  // its other names may be other inodes to the kernel

    const Lease wanted = lease_for(opened.kernel_flags);
    const std::uint64_t created_ns = creation_ns(status, opened.created);
    const int listener = background_thread();
    if (listener == 0) return false;
    const int refused = take_lease(opened.fd, wanted, listener);
    const bool is_watched = refused == 0 && (one_host || is_local(kind));
    // Without leases others could see half of it: then only an engine's own scratch that is ours from the beginning,
    // and only until it is closed.
    const bool takes_writes = wanted == Lease::write && (opened.created || is_of_this_job(created_ns)) &&
                              !is_size_limited() && (is_watched || opened.privacy != Privacy::shared);
    const bool may_enter = refused == 0 || (refused != EAGAIN && opened.created && takes_writes);
    const int own = may_enter ? dup_for_cache(opened.fd) : -1;
    const Terms terms{refused == 0 ? wanted : Lease::none, takes_writes, is_watched, has_true_inode,
                      tells_creation(status) ? 0 : created_ns};
    if (own >= 0 && register_file(opened, own, terms)) {
        begin_run_record();
        return true;
    }
    if (refused == 0) release_lease(opened.fd);
    if (own >= 0) kernel::close(own);
    return false;
}

std::optional<int> open_cached(int directory, const char* path, int flags, Named& named) {
    const kernel::ErrnoGuard guard;
    struct statx status {};
    const int follow = (flags & O_NOFOLLOW) != 0 ? AT_SYMLINK_NOFOLLOW : 0;
    const bool exists = kernel::statx(directory, path, follow, STATX_TYPE | STATX_INO, status) == 0;
    const bool is_for_us =
        exists && S_ISREG(status.stx_mode) && !may_have_posix_lock(device_of(status), status.stx_ino);
    named = is_for_us ? Named::file : (exists ? Named::kernels : Named::nothing);
    constexpr int kOnlyNew = O_CREAT | O_EXCL;
    if (!exists || (flags & kOnlyNew) == kOnlyNew || file_count.load(std::memory_order_relaxed) == 0) return {};
    if (!in_own_process()) return {};  // where nobody would give the lock back
    const ExclusiveLock alone;
    CachedFile* file = alone ? find_file(device_of(status), status.stx_ino) : nullptr;
    if (file == nullptr) return {};
    if (is_beyond(*file, flags)) stop_caching(*file);
    if (file->id == kNoFile || !may_open(directory, path, flags)) return {};
    if ((flags & O_TRUNC) != 0 && cache->truncate(file->id, 0) != 0) {
        stop_caching(*file);
        return {};
    }
    if ((flags & O_TRUNC) != 0) note_written(*file);
    OpenFile* open = new_open_file(*file, flags);
    const int fd = open != nullptr ? dup_for_program(*file, flags) : -1;
    if (fd < 0 || is_of_stream(fd) || fd >= kMostDescriptors) {
        if (fd >= 0) kernel::close(fd);
        if (open != nullptr) remove_open_file(*open);
        stop_caching(*file);
        return {};
    }
    attach(fd, *open);
    return fd;
}

}  // namespace clearway::io_cache
