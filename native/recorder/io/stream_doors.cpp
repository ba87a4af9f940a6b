// Doors of stdio that open, close, move, flush, and transfer blocks and lines.
#include <algorithm>
#include <cstring>

#include "recorder/io/streams.hpp"

namespace clearway::recorder {
namespace {

template <class Call>
FILE* open_stream(RealName& function, const char* mode, Call call) {
    ThreadState* thread = recordable_thread();
    if (thread == nullptr || !in_own_process()) return call();
    const std::uint64_t began_ns = clock_ns(CLOCK_REALTIME_COARSE);
    const std::uint64_t entry = enter_door(*thread);
    FILE* stream = call();
    const std::uint64_t exit = leave_door(*thread, entry);
    show_on_timeline(function, stream_opened(stream, mode, began_ns, exit - entry), entry, exit, 0);
    return stream;
}

template <class Call>
int seek_stream(RealName& function, FILE* stream, Call call) {
    Descriptor* descriptor = recording ? tracked(descriptor_of(stream)) : nullptr;
    if (descriptor == nullptr) return call();
    settle_stream(stream, *descriptor);
    const int result = operate<FileOperation::seek>(function, descriptor_of(stream), call);
    const long at = place_in(stream);
    if (at >= 0) descriptor->position.store(static_cast<std::uint64_t>(at), std::memory_order_relaxed);
    return result;
}

std::uint64_t line_bytes(const char* line) { return line != nullptr ? std::strlen(line) : 0; }

}  // namespace
}  // namespace clearway::recorder

using namespace clearway;
using namespace clearway::recorder;

CLEARWAY_DOOR(fopen) {
    return open_stream(real::fopen, mode, [&] { return real::fopen(path, mode); });
}

CLEARWAY_DOOR(freopen) {
    if (recording && in_own_process()) forget_descriptor(descriptor_of(stream));
    return open_stream(real::freopen, mode, [&] { return real::freopen(path, mode, stream); });
}

CLEARWAY_DOOR(fclose) {
    const int fd = recording ? descriptor_of(stream) : -1;
    Descriptor* descriptor = fd >= 0 ? tracked(fd) : nullptr;
    if (descriptor == nullptr) {
        if (fd >= 0 && in_own_process()) forget_descriptor(fd);
        return real::fclose(stream);
    }
    settle_stream(stream, *descriptor);
    FileCell* cell = &cell_of(*descriptor);
    const std::uint16_t index = descriptor->index.load(std::memory_order_relaxed);
    if (in_own_process()) forget_descriptor(fd);
    ThreadState* thread = recordable_thread();
    if (thread == nullptr) return real::fclose(stream);
    const std::uint64_t entry = enter_door(*thread);
    const int result = real::fclose(stream);
    output_closed(index, *cell);
    const std::uint64_t exit = leave_door(*thread, entry);
    book<FileOperation::close>(cell, exit - entry);
    show_on_timeline(real::fclose, index, entry, exit, 0);
    return result;
}

// The time belongs to the writes that filled the buffer, and is no write of its own.
CLEARWAY_DOOR(fflush) {
    Descriptor* descriptor = recording ? tracked(descriptor_of(stream)) : nullptr;
    ThreadState* thread = descriptor != nullptr ? recordable_thread() : nullptr;
    if (thread == nullptr) return real::fflush(stream);
    FileCell& cell = cell_of(*descriptor);
    const std::uint64_t entry = enter_door(*thread);
    const int result = real::fflush(stream);
    const std::uint64_t exit = leave_door(*thread, entry);
    add_to(cell.write_ticks, exit - entry);
    show_on_timeline(real::fflush, descriptor->index.load(std::memory_order_relaxed), entry, exit, 0);
    return result;
}

#define CLEARWAY_SEEKING_DOOR(name)                                                  \
    CLEARWAY_DOOR(name) {                                                            \
        return seek_stream(real::name, stream, [&] { return CLEARWAY_REAL(name); }); \
    }

CLEARWAY_SEEKING_DOOR(fseek)
CLEARWAY_SEEKING_DOOR(fseeko)
CLEARWAY_SEEKING_DOOR(fsetpos)

CLEARWAY_DOOR(rewind) {
    seek_stream(real::rewind, stream, [&] {
        CLEARWAY_REAL(rewind);
        return 0;
    });
}

// `bytes` of `result`: what was moved.
#define CLEARWAY_STREAM_DOOR(name, operation, stream, bytes)                 \
    CLEARWAY_DOOR(name) {                                                    \
        return transfer_stream<FileOperation::operation>(                    \
            real::name, stream, [&] { return CLEARWAY_REAL(name); },         \
            [&](auto result) { return static_cast<std::uint64_t>(bytes); }); \
    }

CLEARWAY_STREAM_DOOR(fread, read, stream, result* size)
CLEARWAY_STREAM_DOOR(__fread_chk, read, stream, result* size)
CLEARWAY_STREAM_DOOR(fread_unlocked, read, stream, result* size)
CLEARWAY_STREAM_DOOR(fwrite, write, stream, result* size)
CLEARWAY_STREAM_DOOR(fwrite_unlocked, write, stream, result* size)
CLEARWAY_STREAM_DOOR(fgets, read, stream, line_bytes(result))
CLEARWAY_STREAM_DOOR(__fgets_chk, read, stream, line_bytes(result))
CLEARWAY_STREAM_DOOR(fgets_unlocked, read, stream, line_bytes(result))
CLEARWAY_STREAM_DOOR(fputs, write, stream, result >= 0 ? line_bytes(line) : 0)
CLEARWAY_STREAM_DOOR(fputs_unlocked, write, stream, result >= 0 ? line_bytes(line) : 0)
CLEARWAY_STREAM_DOOR(puts, write, stdout, result >= 0 ? line_bytes(line) + 1 : 0)
CLEARWAY_STREAM_DOOR(getdelim, read, stream, std::max<ssize_t>(result, 0))
CLEARWAY_STREAM_DOOR(getline, read, stream, std::max<ssize_t>(result, 0))
CLEARWAY_STREAM_DOOR(__overflow, write, stream, result >= 0)
CLEARWAY_STREAM_DOOR(__uflow, read, stream, result >= 0)
