#include "io_cache/files/stop_caching.hpp"

#include <sys/sysmacros.h>

#include "io_cache/files/background_thread.hpp"
#include "io_cache/files/counts.hpp"
#include "io_cache/files/creation_times.hpp"
#include "io_cache/files/kernel.hpp"
#include "io_cache/files/kernel_descriptors.hpp"
#include "io_cache/files/make_cache.hpp"
#include "io_cache/files/run_record.hpp"
#include "io_cache/files/write_back.hpp"
#include "preload/program_memory.hpp"

namespace clearway::io_cache {

namespace {

void give_back(OpenFile& open, CachedFile& file) {
    if (!takes_over(open, file) && reopen_descriptors(open, file)) return;
    const int fd = descriptor_at(open, file);
    kernel::lseek(fd, open.position, SEEK_SET);
    const int flags = kernel::fcntl(fd, F_GETFL);
    const int wanted = (flags & ~kSettable) | (open.flags & kSettable);
    if (wanted != flags) kernel::fcntl(fd, F_SETFL, static_cast<unsigned long>(wanted));
}

void let_go(OpenFile& open, int error) {
    open.file = nullptr;
    open.error.store(error, std::memory_order_relaxed);
    if (error != 0) return;  // its descriptors stay with us until they have told
    for (auto& descriptor : descriptors)
        if (descriptor.load(std::memory_order_relaxed) == &open) descriptor.store(nullptr, std::memory_order_relaxed);
    open.descriptors = 0;
}

bool is_inherited(const CachedFile& file) {
    for (int fd = 0; fd < kMostDescriptors; ++fd) {
        const OpenFile* open = descriptors[fd].load(std::memory_order_relaxed);
        if (open != nullptr && open->file == &file && (kernel::fcntl(fd, F_GETFD) & FD_CLOEXEC) == 0) return true;
    }
    return false;
}

template <class Which>
void stop_caching_those(Which which) {
    if (file_count.load(std::memory_order_relaxed) == 0 || !in_own_process()) return;
    const kernel::ErrnoGuard guard;
    const ExclusiveLock alone;
    if (!alone) return;
    for (CachedFile& file : files)
        if (file.id != kNoFile && which(file)) stop_caching(file);
}

}  // namespace

// One open file may, if the kernel's allows what it was opened for.
bool takes_over(const OpenFile& open, const CachedFile& file) {
    return open.next == nullptr && (open.flags & O_ACCMODE) == (file.flags & O_ACCMODE);
}

void forget_file(CachedFile& file) {
    cache->drop(file.id);
    if (file.fd >= 0) kernel::close(file.fd);
    file.id = kNoFile;
    file.fd = -1;
    file.first = nullptr;
    if (file.lease == Lease::none) unleased_count.fetch_sub(1, std::memory_order_relaxed);
    files_gone.fetch_add(1, std::memory_order_release);
    file_count.fetch_sub(1, std::memory_order_release);
}

int stop_caching(CachedFile& file) {
    if (forget_deleted(file)) return 0;
    const int error = write_back(file);
    if (error != 0) count_lost_write(file.fd, error);
    if (error == 0 && file.takes_writes && file.untold_creation_ns != 0)
        note_creation(file.fd, file.untold_creation_ns);
    release_lease(file.fd);
    for (OpenFile* open = file.first; open != nullptr;) {
        OpenFile* next = open->next;
        give_back(*open, file);
        let_go(*open, error);
        open = next;
    }
    counts.left_files.fetch_add(1, std::memory_order_relaxed);
    forget_file(file);
    return error;
}

bool forget_deleted(CachedFile& file) {
    if (file.first != nullptr || !is_deleted(file)) return false;
    counts.deleted_files.fetch_add(1, std::memory_order_relaxed);
    forget_file(file);
    return true;
}

void stop_caching_each() {
    for (CachedFile& file : files)
        if (file.id != kNoFile) stop_caching(file);
}

void stop_caching_descriptor(int fd) {
    const OpenFile* open = is_cached(fd) ? descriptors[fd].load(std::memory_order_relaxed) : nullptr;
    if (open == nullptr) return;
    stop_caching_those([&](const CachedFile& file) { return open->file == &file; });
}

void stop_caching_named(int directory, const char* path) {
    if (file_count.load(std::memory_order_relaxed) == 0) return;
    const kernel::ErrnoGuard guard;
    struct statx status {};
    const int empty = path == nullptr ? AT_EMPTY_PATH : 0;
    if (kernel::statx(directory, path != nullptr ? path : "", empty, STATX_INO, status) != 0) return;
    const dev_t device = makedev(status.stx_dev_major, status.stx_dev_minor);
    stop_caching_those([&](const CachedFile& file) { return file.inode == status.stx_ino && file.device == device; });
}

void before_open(int directory, const char* path, int flags) {
    const bool empties = (flags & O_TRUNC) != 0 && (flags & O_ACCMODE) == O_RDONLY;
    if (empties || unleased_count.load(std::memory_order_relaxed) != 0) stop_caching_named(directory, path);
}

void stop_caching_all() {
    stop_caching_those([](const CachedFile&) { return true; });
}

void stop_serving() {
    serving.store(false, std::memory_order_relaxed);
    stop_caching_all();
    if (in_own_process()) end_background_thread();
}

void stop_for_sandbox() {
    if (!in_own_process()) return;
    stop_serving();
    update_run_record();
    own_process.store(0, std::memory_order_relaxed);
}

void before_locking_memory() {
    if (!in_own_process()) return;
    stop_serving();
    update_run_record();
    const ExclusiveLock alone;
    if (alone && file_count.load(std::memory_order_relaxed) == 0) give_up_cache();
}

void before_close_range(int flags) {
    constexpr int kOwnTable = 2;  // CLOSE_RANGE_UNSHARE
    if ((flags & kOwnTable) != 0 && in_own_process()) stop_serving();
}

void before_limit(int resource, const rlimit* limit) {
    rlimit wanted{};
    if (file_count.load(std::memory_order_relaxed) == 0) return;
    if ((resource != RLIMIT_FSIZE && resource != RLIMIT_NOFILE) || !copy_from_program(&wanted, limit, sizeof wanted))
        return;
    const bool limits_sizes = resource == RLIMIT_FSIZE && wanted.rlim_cur != RLIM_INFINITY;
    const bool limits_numbers = resource == RLIMIT_NOFILE && wanted.rlim_max < kMostDescriptors;
    if (limits_sizes || limits_numbers) stop_caching_all();
}

void stop_caching_before_end() {
    if (!in_own_process()) return;
    serving.store(false, std::memory_order_relaxed);  // other threads, and handlers of quick_exit, go on
    stop_caching_those([](const CachedFile& file) { return !is_deleted(file); });
}

void stop_caching_at_exit() {
    if (!in_own_process()) return;
    stop_caching_before_end();
    counts.deleted_files.fetch_add(static_cast<std::uint64_t>(file_count.load(std::memory_order_relaxed)),
                                   std::memory_order_relaxed);
}

void stop_caching_inheritable() {
    stop_caching_those([](const CachedFile& file) { return is_inherited(file); });
}

void stop_caching_closed() {
    stop_caching_those([](const CachedFile& file) { return file.first == nullptr; });
}

}  // namespace clearway::io_cache
