#include "io_cache/files/leave.hpp"

#include <sys/sysmacros.h>

#include "io_cache/files/births.hpp"
#include "io_cache/files/counts.hpp"
#include "io_cache/files/kernel.hpp"
#include "io_cache/files/reopen.hpp"
#include "io_cache/files/truth.hpp"

namespace clearway::io_cache {

namespace {

void give_back(OpenFile& open, const CachedFile& file) {
    if (!takes_over(open, file) && open_anew(open, file.fd)) return;
    kernel::lseek(file.fd, open.position, SEEK_SET);
    const int flags = kernel::fcntl(file.fd, F_GETFL);
    const int wanted = (flags & ~kSettable) | (open.flags & kSettable);
    if (wanted != flags) kernel::fcntl(file.fd, F_SETFL, static_cast<unsigned long>(wanted));
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
void leave_those(Which which) {
    if (file_count.load(std::memory_order_relaxed) == 0 || !in_own_process()) return;
    const kernel::ErrnoGuard guard;
    const Alone alone;
    if (!alone) return;
    for (CachedFile& file : files)
        if (file.id != kNoFile && which(file)) leave(file);
}

}  // namespace

// One open file may, if the kernel's allows what it was opened for.
bool takes_over(const OpenFile& open, const CachedFile& file) {
    return open.next == nullptr && (open.flags & O_ACCMODE) == (file.flags & O_ACCMODE);
}

void forget_file(CachedFile& file) {
    cache->drop(file.id);
    kernel::close(file.fd);
    file.id = kNoFile;
    file.fd = -1;
    file.first = nullptr;
    file_count.fetch_sub(1, std::memory_order_relaxed);
}

int leave(CachedFile& file) {
    if (forget_deleted(file)) return 0;
    const int error = make_true(file);
    if (error != 0) count_lost_write(file.fd, error);
    if (error == 0 && file.takes_writes && file.unknown_birth_ns != 0) note_birth(file.fd, file.unknown_birth_ns);
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

void leave_each() {
    for (CachedFile& file : files)
        if (file.id != kNoFile) leave(file);
}

void leave_descriptor(int fd) {
    const OpenFile* open = is_held(fd) ? descriptors[fd].load(std::memory_order_relaxed) : nullptr;
    if (open == nullptr) return;
    leave_those([&](const CachedFile& file) { return open->file == &file; });
}

void leave_named(int directory, const char* path) {
    if (file_count.load(std::memory_order_relaxed) == 0) return;
    const kernel::ErrnoGuard guard;
    struct statx status {};
    const int empty = path == nullptr ? AT_EMPTY_PATH : 0;
    if (kernel::statx(directory, path != nullptr ? path : "", empty, STATX_INO, status) != 0) return;
    const dev_t device = makedev(status.stx_dev_major, status.stx_dev_minor);
    leave_those([&](const CachedFile& file) { return file.inode == status.stx_ino && file.device == device; });
}

void leave_all() {
    leave_those([](const CachedFile&) { return true; });
}

void stop_serving() {
    serving.store(false, std::memory_order_relaxed);
    leave_all();
}

void before_limit(int resource, const rlimit* limit) {
    if (resource == RLIMIT_FSIZE && limit != nullptr && limit->rlim_cur != RLIM_INFINITY) leave_all();
}

void leave_at_end() {
    leave_those([](const CachedFile& file) { return !is_deleted(file); });
    if (in_own_process())
        counts.deleted_files.fetch_add(static_cast<std::uint64_t>(file_count.load(std::memory_order_relaxed)),
                                       std::memory_order_relaxed);
}

void leave_inheritable() {
    leave_those([](const CachedFile& file) { return is_inherited(file); });
}

void leave_closed() {
    leave_those([](const CachedFile& file) { return file.first == nullptr; });
}

}  // namespace clearway::io_cache
