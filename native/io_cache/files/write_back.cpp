#include "io_cache/files/write_back.hpp"

#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "base/clock.hpp"
#include "io_cache/files/kernel.hpp"
#include "io_cache/files/stop_caching.hpp"
#include "io_cache/files/taken.hpp"

namespace clearway::io_cache {

namespace {

constexpr std::uint64_t kSecond_ns = 1'000'000'000;
constexpr std::uint64_t kTick_ns = 20'000'000;  // what the kernel notes within this is right: two of its ticks

timespec time_of(std::uint64_t ns) {
    return {static_cast<time_t>(ns / kSecond_ns), static_cast<long>(ns % kSecond_ns)};
}

bool keeps_access_times(const CachedFile& file) {
    struct statfs status {};
    return syscall(SYS_fstatfs, file.fd, &status) == 0 && (status.f_flags & ST_NOATIME) == 0;
}

// Neither by our writing too late, nor, where there was nothing to write, as it was before.
bool is_off(const CachedFile& file, std::uint64_t written_ns) {
    struct statx status {};
    if (written_ns == 0 || kernel::statx(file.fd, STATX_MTIME, status) != 0) return false;
    const auto noted_ns = static_cast<std::uint64_t>(status.stx_mtime.tv_sec) * kSecond_ns + status.stx_mtime.tv_nsec;
    return noted_ns > written_ns + kTick_ns || noted_ns + kTick_ns < written_ns;
}

// When the program wrote and read, not when we did. The kernel's own change of its inode, ctime, is now.
void set_times(const CachedFile& file, std::uint64_t written_ns, std::uint64_t read_ns) {
    constexpr timespec kAsItIs{0, UTIME_OMIT};
    const bool is_late = is_off(file, written_ns);
    const bool was_read = read_ns != 0 && keeps_access_times(file);
    if (!is_late && !was_read) return;
    const timespec times[] = {was_read ? time_of(read_ns) : kAsItIs, is_late ? time_of(written_ns) : kAsItIs};
    syscall(SYS_utimensat, file.fd, nullptr, times, 0);
}

// What was written meanwhile has a time of its own.
void forget_time(std::atomic<std::uint64_t>& time, std::uint64_t known) {
    time.compare_exchange_strong(known, 0, std::memory_order_relaxed);
}

// Some of its descriptors would be opened anew when it leaves: who may not do that then has to do it now.
bool needs_opening(const CachedFile& file) {
    for (const OpenFile* open = file.first; open != nullptr; open = open->next)
        if (!takes_over(*open, file)) return true;
    return false;
}

Duty duty_of(Event event, const CachedFile& file) {
    if (event == Event::changes_attributes && needs_opening(file)) return Duty::stop_caching;
    return duty(event, file.privacy);
}

void do_duty(Event event, CachedFile& file) {
    switch (duty_of(event, file)) {
        case Duty::nothing:
            break;
        case Duty::size:
            cache->sync_size(file.id);
            break;
        case Duty::all:
            write_back(file);
            break;
        case Duty::stop_caching:
            stop_caching(file);
            break;
    }
    if (event == Event::changes_attributes && file.id != kNoFile) file.read_counts = true;
}

// Only what leaves needs `table_lock` alone. A write-back that fails here is told by the next that must tell.
template <class Which>
void write_back_those_before(Event event, Which which) {
    if (file_count.load(std::memory_order_relaxed) == 0 || !in_own_process()) return;
    const kernel::ErrnoGuard guard;
    const bool leaves = duty(event, Privacy::shared) == Duty::stop_caching || event == Event::changes_attributes;
    const auto each = [&] {
        for (CachedFile& file : files)
            if (file.id != kNoFile && which(file)) do_duty(event, file);
    };
    if (leaves) {
        const ExclusiveLock alone;
        if (alone) each();
    } else {
        const SharedLock shared;
        if (shared) each();
    }
}

}  // namespace

int write_back(CachedFile& file) {
    if (!file.takes_writes) return 0;
    settle_taken(file);
    const std::uint64_t written_ns = file.written_ns.load(std::memory_order_relaxed);
    const std::uint64_t read_ns = file.read_ns.load(std::memory_order_relaxed);
    if (cache->flush(file.id) != 0) return errno;
    set_times(file, written_ns, read_ns);
    forget_time(file.written_ns, written_ns);
    forget_time(file.read_ns, read_ns);
    return 0;
}

void write_back_before(Event event, int fd) {
    const OpenFile* open = is_cached(fd) ? descriptors[fd].load(std::memory_order_relaxed) : nullptr;
    if (open != nullptr) write_back_those_before(event, [&](const CachedFile& file) { return open->file == &file; });
}

void write_back_before(Event event, int directory, const char* path, int flags) {
    if (file_count.load(std::memory_order_relaxed) == 0) return;
    const kernel::ErrnoGuard guard;
    struct statx status {};
    const int empty = path == nullptr ? AT_EMPTY_PATH : 0;
    if (kernel::statx(directory, path != nullptr ? path : "", flags | empty, STATX_INO, status) != 0) return;
    const dev_t device = makedev(status.stx_dev_major, status.stx_dev_minor);
    write_back_those_before(
        event, [&](const CachedFile& file) { return file.inode == status.stx_ino && file.device == device; });
}

void write_back_each_before(Event event) {
    write_back_those_before(event, [](const CachedFile&) { return true; });
}

void note_written(CachedFile& file) {
    file.written_ns.store(clock_ns(CLOCK_REALTIME_COARSE), std::memory_order_relaxed);
    file.read_counts.store(true, std::memory_order_relaxed);
}

// As relatime has it: the first after a write.
void note_read(CachedFile& file) {
    if (!file.read_counts.load(std::memory_order_relaxed)) return;
    file.read_counts.store(false, std::memory_order_relaxed);
    file.read_ns.store(clock_ns(CLOCK_REALTIME_COARSE), std::memory_order_relaxed);
}

}  // namespace clearway::io_cache
