#include "io_cache/files/taken.hpp"

#include "io_cache/files/counts.hpp"
#include "io_cache/files/kernel.hpp"
#include "io_cache/files/lease_list.hpp"
#include "io_cache/files/stop_caching.hpp"

namespace clearway::io_cache {

namespace {

constexpr std::uint64_t kBreaking_ns = 200'000'000;

// The list is long on some machines, and a file may go to the disk in many pieces.
bool is_breaking(const CachedFile& file) {
    const std::uint64_t now_ns = clock_ns(CLOCK_MONOTONIC_COARSE);
    if (now_ns - file.breaking_ns.load(std::memory_order_relaxed) < kBreaking_ns) return true;
    bool found = false;
    for_each_lease([&](const Leased& lease) {
        found = found || (lease.is_breaking && lease.inode == file.inode && lease.process == kernel::process());
    });
    if (found) file.breaking_ns.store(now_ns, std::memory_order_relaxed);
    return found;
}

std::uint64_t ns_of(const statx_timestamp& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + time.tv_nsec;
}

}  // namespace

bool is_taken(const CachedFile& file) {
    return !file.is_settled.load(std::memory_order_relaxed) && is_wanted(file.fd, file.lease) && !is_breaking(file);
}

void settle_taken(CachedFile& file) {
    if (!is_taken(file)) return;
    const Cache::Turn turn = cache->turn(file.id);
    struct statx status {};
    if (file.is_settled.load(std::memory_order_relaxed)) return;
    if (kernel::statx(file.fd, STATX_SIZE | STATX_MTIME, status) == 0 && file.takes_writes) {
        const Merged merged = cache->merge(file.id, static_cast<off_t>(status.stx_size));
        const bool is_changed = ns_of(status.stx_mtime) > file.changed_ns.load(std::memory_order_relaxed);
        if (is_changed || merged.others_bytes != 0) {
            if (file.written_ns.load(std::memory_order_relaxed) != 0) file.written_ns.store(ns_of(status.stx_mtime));
            say_others_wrote(file.fd, merged.unsure_bytes != 0);
        }
    }
    file.is_settled.store(true, std::memory_order_release);
}

void let_go_of_taken() {
    if (!in_own_process()) return;
    const kernel::ErrnoGuard guard;
    const ExclusiveLock alone(Looks::no);
    if (!alone || !leases_are_old()) return;
    const std::uint64_t now_ns = clock_ns(CLOCK_MONOTONIC_COARSE);
    for (CachedFile& file : files)
        if (file.id != kNoFile && is_taken(file)) stop_caching(file);
    leases_seen_ns.store(now_ns, std::memory_order_release);
}

}  // namespace clearway::io_cache
