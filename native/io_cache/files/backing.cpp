#include "io_cache/files/backing.hpp"

#include "io_cache/files/kernel.hpp"

namespace clearway::io_cache {

namespace {

int descriptor_in(void* context) { return static_cast<const CachedFile*>(context)->fd; }

ssize_t read_pieces(void* context, const iovec* pieces, int count, off_t offset) {
    return kernel::preadv(descriptor_in(context), pieces, count, offset);
}

ssize_t write_pieces(void* context, const iovec* pieces, int count, off_t offset) {
    return kernel::pwritev(descriptor_in(context), pieces, count, offset);
}

int set_size(void* context, off_t bytes) { return kernel::ftruncate(descriptor_in(context), bytes); }

}  // namespace

Backing backing_of(CachedFile& file, off_t size_bytes) {
    return Backing{read_pieces, write_pieces, set_size, &file, size_bytes};
}

}  // namespace clearway::io_cache
