#include "io_cache/files/backing.hpp"

#include "base/clock.hpp"
#include "io_cache/files/counts.hpp"
#include "io_cache/files/kernel.hpp"
#include "io_cache/files/taken.hpp"

namespace clearway::io_cache {

namespace {

int descriptor_in(void* context) { return static_cast<const CachedFile*>(context)->fd; }

using Count = std::atomic<std::uint64_t>;

template <class Move>
ssize_t counted(Count& calls, Count& bytes, Count& time_ns, Move move) {
    const std::uint64_t began_ns = clock_ns(CLOCK_MONOTONIC);
    const ssize_t moved = move();
    time_ns.fetch_add(clock_ns(CLOCK_MONOTONIC) - began_ns, std::memory_order_relaxed);
    calls.fetch_add(1, std::memory_order_relaxed);
    if (moved > 0) bytes.fetch_add(static_cast<std::uint64_t>(moved), std::memory_order_relaxed);
    return moved;
}

ssize_t read_pieces(void* context, const iovec* pieces, int count, off_t offset) {
    return counted(counts.fetches, counts.fetched_bytes, counts.fetch_ns,
                   [&] { return kernel::preadv(descriptor_in(context), pieces, count, offset); });
}

// The file's own time is its kernel's, which counts in ticks.
void note_changed(CachedFile& file) { file.changed_ns.store(clock_ns(CLOCK_REALTIME), std::memory_order_relaxed); }

// Some of what is written here makes room for another file, and nobody has looked at the lease of this one since.
ssize_t write_pieces(void* context, const iovec* pieces, int count, off_t offset) {
    auto& file = *static_cast<CachedFile*>(context);
    if (is_taken(file)) {
        errno = ESTALE;  // whoever wrote it lets the file leave
        return -1;
    }
    const ssize_t written = counted(counts.stores, counts.stored_bytes, counts.store_ns,
                                    [&] { return kernel::pwritev(file.fd, pieces, count, offset); });
    note_changed(file);
    return written;
}

int set_size(void* context, off_t bytes) {
    const int result = kernel::ftruncate(descriptor_in(context), bytes);
    note_changed(*static_cast<CachedFile*>(context));
    return result;
}

}  // namespace

Backing backing_of(CachedFile& file, off_t size_bytes) {
    return Backing{read_pieces, write_pieces, set_size, &file, size_bytes};
}

}  // namespace clearway::io_cache
