#include "recorder/io/streams.hpp"

#include <fcntl.h>
#include <stdio_ext.h>

#include <cstring>

namespace clearway::recorder {
namespace {

// The flags that fopen's mode stands for (fopen(3)).
int open_flags_of(const char* mode) {
    int flags = std::strchr(mode, '+') != nullptr ? O_RDWR : (mode[0] == 'r' ? O_RDONLY : O_WRONLY);
    if (mode[0] != 'r') flags |= O_CREAT;
    if (mode[0] == 'a') flags |= O_APPEND;
    if (std::strchr(mode, 'x') != nullptr) flags |= O_EXCL;
    return flags;
}

}  // namespace

std::uint16_t stream_opened(FILE* stream, const char* mode, std::uint64_t began_ns, std::uint64_t ticks) {
    const int fd = descriptor_of(stream);
    Descriptor* descriptor = fd >= 0 ? track_opened(fd, open_flags_of(mode), began_ns, kFileStdio) : nullptr;
    if (descriptor == nullptr) return kNoFile;
    book<FileOperation::open>(&cell_of(*descriptor), ticks);
    return descriptor->index.load(std::memory_order_relaxed);
}

void note_buffer(FILE* stream, FileCell& cell) {
    if (__fbufsize(stream) <= 1)
        set_flags(cell, kFileUnbuffered);
    else if (__flbf(stream) != 0)
        set_flags(cell, kFileLines);
}

void settle_stream(FILE* stream, Descriptor& descriptor) {
    const int saved_errno = errno;
    const long at = ftell(stream);
    errno = saved_errno;
    const std::uint64_t booked = descriptor.position.load(std::memory_order_relaxed);
    if (at < 0 || static_cast<std::uint64_t>(at) <= booked) return;
    const std::uint64_t missing = static_cast<std::uint64_t>(at) - booked;
    FileCell& cell = cell_of(descriptor);
    const bool wrote = __fwriting(stream) != 0;
    add_to(wrote ? cell.written_bytes : cell.read_bytes, missing);
    reach_extent(cell, static_cast<std::uint64_t>(at));
    if (wrote)
        mark_written(descriptor, cell, booked);
    else
        set_flags(cell, kFileRead);
}

}  // namespace clearway::recorder
