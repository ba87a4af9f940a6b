#include "recorder/io/streams.hpp"

#include <fcntl.h>
#include <stdio_ext.h>
#include <sys/syscall.h>
#include <unistd.h>

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

off_t kernel_seek(FILE* stream, off_t offset, int whence) {
    return syscall(SYS_lseek, fileno_unlocked(stream), offset, whence);
}

}  // namespace

long place_in(FILE* stream) {
    constexpr int kAppends = 0x1000;  // of glibc's own flags
    const int saved_errno = errno;
    const bool moves = (stream->_flags & kAppends) != 0 && __fpending(stream) != 0;
    const off_t before = moves ? kernel_seek(stream, 0, SEEK_CUR) : -1;
    const long at = ftell(stream);
    if (before >= 0) kernel_seek(stream, before, SEEK_SET);
    errno = saved_errno;
    return at;
}

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
    const long at = place_in(stream);
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
