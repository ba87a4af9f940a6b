#include "io_cache/files/backing.hpp"

#include "base/clock.hpp"
#include "io_cache/files/counts.hpp"
#include "io_cache/files/kernel.hpp"

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

ssize_t write_pieces(void* context, const iovec* pieces, int count, off_t offset) {
    return counted(counts.stores, counts.stored_bytes, counts.store_ns,
                   [&] { return kernel::pwritev(descriptor_in(context), pieces, count, offset); });
}

int set_size(void* context, off_t bytes) { return kernel::ftruncate(descriptor_in(context), bytes); }

}  // namespace

Backing backing_of(CachedFile& file, off_t size_bytes) {
    return Backing{read_pieces, write_pieces, set_size, &file, size_bytes};
}

}  // namespace clearway::io_cache
