// Streams (stdio): the same operations on the descriptor beneath.
//
// A stream's reads and writes are those that the program asked for; most end in its buffer. Functions of one
// character (getc, putc) have no door, for a door costs more than they do; what they moved is added when the
// stream is moved or closed, from where it then stands.
#pragma once

#include <cerrno>
#include <cstdio>

#include "recorder/io/operations.hpp"

namespace clearway::recorder {

// -1 for streams over memory or callbacks. Programs ask errno whether getline met the end or an error.
inline int descriptor_of(FILE* stream) {
    if (stream == nullptr) return -1;
    const int saved_errno = errno;
    const int fd = fileno_unlocked(stream);
    if (fd < 0) errno = saved_errno;
    return fd;
}

// A stream was opened, by a call that began at `began_ns` of CLOCK_REALTIME_COARSE and took `ticks`. Returns
// the index of its file.
std::uint16_t stream_opened(FILE* stream, const char* mode, std::uint64_t began_ns, std::uint64_t ticks);

// As ftell, which moves the descriptor of a stream that appends to the end: others may read on from there. errno stays.
long place_in(FILE* stream);

// Before a stream is moved or closed: books what went past the doors.
void settle_stream(FILE* stream, Descriptor& descriptor);

// Says how much the stream keeps back before it writes to the kernel: asked seldom, for it hardly changes.
void note_buffer(FILE* stream, FileCell& cell);

inline void look_at_buffer(FILE* stream, FileCell& cell) {
    constexpr std::uint64_t kSeldom = 256;
    if (__atomic_load_n(&cell.writes, __ATOMIC_RELAXED) % kSeldom == 1) [[unlikely]]
        note_buffer(stream, cell);
}

// As transfer(), for functions whose result is not the number of bytes: `bytes_of(result)` is.
template <FileOperation operation, class Call, class BytesOf>
auto transfer_stream(RealName& function, FILE* stream, Call call, BytesOf bytes_of) {
    if (!recording) return call();
    Descriptor* descriptor = tracked(descriptor_of(stream));
    if (descriptor == nullptr) return call();
    ThreadState* thread = recordable_thread();
    if (thread == nullptr) return call();
    FileCell& cell = cell_of(*descriptor);
    const std::uint64_t entry = enter_door(*thread);
    const auto result = call();
    const std::uint64_t exit = leave_door(*thread, entry);
    const std::uint64_t bytes = bytes_of(result);
    set_flags(cell, kFileStdio);
    book_transfer<operation>(*descriptor, cell, kAtPosition, bytes, exit - entry);
    if constexpr (operation == FileOperation::write) look_at_buffer(stream, cell);
    show_on_timeline(function, descriptor->index.load(std::memory_order_relaxed), entry, exit, bytes);
    return result;
}

}  // namespace clearway::recorder
