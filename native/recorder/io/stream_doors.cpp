// Doors of stdio that open, close, move, flush, and transfer blocks and lines.
#include <cstring>

#include "recorder/io/streams.hpp"

namespace clearway::recorder {
namespace {

template <class Function, class Call>
FILE* open_stream(Door<Function>& door, const char* mode, Call call) {
    ThreadState* thread = recordable_thread();
    if (thread == nullptr || !in_own_process()) return call();
    const std::uint64_t began_ns = read_clock_ns(CLOCK_REALTIME_COARSE);
    const std::uint64_t entry = enter_door(*thread);
    FILE* stream = call();
    const std::uint64_t exit = leave_door(*thread, entry);
    show_on_timeline(door, stream_opened(stream, mode, began_ns, exit - entry), entry, exit, 0);
    return stream;
}

template <class Function, class Call>
int seek_stream(Door<Function>& door, FILE* stream, Call call) {
    Descriptor* descriptor = recording ? tracked(descriptor_of(stream)) : nullptr;
    if (descriptor == nullptr) return call();
    settle_stream(stream, *descriptor);
    const int result = operate<Operation::seek>(door, descriptor_of(stream), call);
    const int saved_errno = errno;
    const long at = ftell(stream);
    errno = saved_errno;
    if (at >= 0) descriptor->position.store(static_cast<std::uint64_t>(at), std::memory_order_relaxed);
    return result;
}

std::uint64_t line_bytes(const char* line) { return line != nullptr ? std::strlen(line) : 0; }
std::uint64_t counted_bytes(ssize_t bytes) { return bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0; }

}  // namespace
}  // namespace clearway::recorder

using namespace clearway;
using namespace clearway::recorder;

CLEARWAY_DOOR(FILE*, fopen, const char* path, const char* mode) {
    static constinit Door<FILE*(const char*, const char*)> door{"fopen"};
    return open_stream(door, mode, [&] { return door.real()(path, mode); });
}
CLEARWAY_SAME_DOOR(fopen64, fopen);

CLEARWAY_DOOR(FILE*, freopen, const char* path, const char* mode, FILE* stream) {
    static constinit Door<FILE*(const char*, const char*, FILE*)> door{"freopen"};
    if (recording && in_own_process()) forget_descriptor(descriptor_of(stream));
    return open_stream(door, mode, [&] { return door.real()(path, mode, stream); });
}
CLEARWAY_SAME_DOOR(freopen64, freopen);

CLEARWAY_DOOR(int, fclose, FILE* stream) {
    static constinit Door<int(FILE*)> door{"fclose"};
    const int fd = recording ? descriptor_of(stream) : -1;
    Descriptor* descriptor = fd >= 0 ? tracked(fd) : nullptr;
    if (descriptor == nullptr) {
        if (fd >= 0 && in_own_process()) forget_descriptor(fd);
        return door.real()(stream);
    }
    settle_stream(stream, *descriptor);
    FileCell* cell = &cell_of(*descriptor);
    const std::uint16_t index = descriptor->index.load(std::memory_order_relaxed);
    if (in_own_process()) forget_descriptor(fd);
    ThreadState* thread = recordable_thread();
    if (thread == nullptr) return door.real()(stream);
    const std::uint64_t entry = enter_door(*thread);
    const int result = door.real()(stream);
    output_closed(index, *cell);
    const std::uint64_t exit = leave_door(*thread, entry);
    book<Operation::close>(cell, exit - entry);
    show_on_timeline(door, index, entry, exit, 0);
    return result;
}

// The time belongs to the writes that filled the buffer, and is no write of its own.
CLEARWAY_DOOR(int, fflush, FILE* stream) {
    static constinit Door<int(FILE*)> door{"fflush"};
    Descriptor* descriptor = recording ? tracked(descriptor_of(stream)) : nullptr;
    ThreadState* thread = descriptor != nullptr ? recordable_thread() : nullptr;
    if (thread == nullptr) return door.real()(stream);
    FileCell& cell = cell_of(*descriptor);
    const std::uint64_t entry = enter_door(*thread);
    const int result = door.real()(stream);
    const std::uint64_t exit = leave_door(*thread, entry);
    add_to(cell.write_ticks, exit - entry);
    show_on_timeline(door, descriptor->index.load(std::memory_order_relaxed), entry, exit, 0);
    return result;
}

CLEARWAY_DOOR(int, fseek, FILE* stream, long offset, int whence) {
    static constinit Door<int(FILE*, long, int)> door{"fseek"};
    return seek_stream(door, stream, [&] { return door.real()(stream, offset, whence); });
}

CLEARWAY_DOOR(int, fseeko, FILE* stream, off_t offset, int whence) {
    static constinit Door<int(FILE*, off_t, int)> door{"fseeko"};
    return seek_stream(door, stream, [&] { return door.real()(stream, offset, whence); });
}
CLEARWAY_SAME_DOOR(fseeko64, fseeko);

CLEARWAY_DOOR(int, fsetpos, FILE* stream, const fpos_t* place) {
    static constinit Door<int(FILE*, const fpos_t*)> door{"fsetpos"};
    return seek_stream(door, stream, [&] { return door.real()(stream, place); });
}
CLEARWAY_SAME_DOOR(fsetpos64, fsetpos);

CLEARWAY_DOOR(void, rewind, FILE* stream) {
    static constinit Door<void(FILE*)> door{"rewind"};
    seek_stream(door, stream, [&] {
        door.real()(stream);
        return 0;
    });
}

CLEARWAY_DOOR(std::size_t, fread, void* buffer, std::size_t size, std::size_t count, FILE* stream) {
    static constinit Door<std::size_t(void*, std::size_t, std::size_t, FILE*)> door{"fread"};
    return transfer_stream<Operation::read>(
        door, stream, [&] { return door.real()(buffer, size, count, stream); },
        [&](std::size_t items) { return items * size; });
}

CLEARWAY_DOOR(std::size_t, __fread_chk, void* buffer, std::size_t room, std::size_t size, std::size_t count,
              FILE* stream) {
    static constinit Door<std::size_t(void*, std::size_t, std::size_t, std::size_t, FILE*)> door{"__fread_chk"};
    return transfer_stream<Operation::read>(
        door, stream, [&] { return door.real()(buffer, room, size, count, stream); },
        [&](std::size_t items) { return items * size; });
}

CLEARWAY_DOOR(std::size_t, fwrite, const void* buffer, std::size_t size, std::size_t count, FILE* stream) {
    static constinit Door<std::size_t(const void*, std::size_t, std::size_t, FILE*)> door{"fwrite"};
    return transfer_stream<Operation::write>(
        door, stream, [&] { return door.real()(buffer, size, count, stream); },
        [&](std::size_t items) { return items * size; });
}

CLEARWAY_DOOR(char*, fgets, char* line, int size, FILE* stream) {
    static constinit Door<char*(char*, int, FILE*)> door{"fgets"};
    return transfer_stream<Operation::read>(
        door, stream, [&] { return door.real()(line, size, stream); }, line_bytes);
}

CLEARWAY_DOOR(char*, __fgets_chk, char* line, std::size_t room, int size, FILE* stream) {
    static constinit Door<char*(char*, std::size_t, int, FILE*)> door{"__fgets_chk"};
    return transfer_stream<Operation::read>(
        door, stream, [&] { return door.real()(line, room, size, stream); }, line_bytes);
}

CLEARWAY_DOOR(int, fputs, const char* line, FILE* stream) {
    static constinit Door<int(const char*, FILE*)> door{"fputs"};
    return transfer_stream<Operation::write>(
        door, stream, [&] { return door.real()(line, stream); },
        [&](int result) { return result >= 0 ? line_bytes(line) : 0; });
}

CLEARWAY_DOOR(int, puts, const char* line) {
    static constinit Door<int(const char*)> door{"puts"};
    return transfer_stream<Operation::write>(
        door, stdout, [&] { return door.real()(line); },
        [&](int result) { return result >= 0 ? line_bytes(line) + 1 : 0; });
}

CLEARWAY_DOOR(ssize_t, getdelim, char** line, std::size_t* size, int delimiter, FILE* stream) {
    static constinit Door<ssize_t(char**, std::size_t*, int, FILE*)> door{"getdelim"};
    return transfer_stream<Operation::read>(
        door, stream, [&] { return door.real()(line, size, delimiter, stream); }, counted_bytes);
}
CLEARWAY_SAME_DOOR(__getdelim, getdelim);

CLEARWAY_DOOR(ssize_t, getline, char** line, std::size_t* size, FILE* stream) {
    static constinit Door<ssize_t(char**, std::size_t*, FILE*)> door{"getline"};
    return transfer_stream<Operation::read>(
        door, stream, [&] { return door.real()(line, size, stream); }, counted_bytes);
}

// What GNU's own programs call, and what their putc and getc come to where the stream's buffer is full or empty.
CLEARWAY_DOOR(std::size_t, fread_unlocked, void* buffer, std::size_t size, std::size_t count, FILE* stream) {
    static constinit Door<std::size_t(void*, std::size_t, std::size_t, FILE*)> door{"fread_unlocked"};
    return transfer_stream<Operation::read>(
        door, stream, [&] { return door.real()(buffer, size, count, stream); },
        [&](std::size_t items) { return items * size; });
}

CLEARWAY_DOOR(std::size_t, fwrite_unlocked, const void* buffer, std::size_t size, std::size_t count, FILE* stream) {
    static constinit Door<std::size_t(const void*, std::size_t, std::size_t, FILE*)> door{"fwrite_unlocked"};
    return transfer_stream<Operation::write>(
        door, stream, [&] { return door.real()(buffer, size, count, stream); },
        [&](std::size_t items) { return items * size; });
}

CLEARWAY_DOOR(char*, fgets_unlocked, char* line, int size, FILE* stream) {
    static constinit Door<char*(char*, int, FILE*)> door{"fgets_unlocked"};
    return transfer_stream<Operation::read>(
        door, stream, [&] { return door.real()(line, size, stream); }, line_bytes);
}

CLEARWAY_DOOR(int, fputs_unlocked, const char* line, FILE* stream) {
    static constinit Door<int(const char*, FILE*)> door{"fputs_unlocked"};
    return transfer_stream<Operation::write>(
        door, stream, [&] { return door.real()(line, stream); },
        [&](int result) { return result >= 0 ? line_bytes(line) : 0; });
}

CLEARWAY_DOOR(int, __overflow, FILE* stream, int character) {
    static constinit Door<int(FILE*, int)> door{"__overflow"};
    return transfer_stream<Operation::write>(
        door, stream, [&] { return door.real()(stream, character); },
        [](int result) { return std::uint64_t{result >= 0}; });
}

CLEARWAY_DOOR(int, __uflow, FILE* stream) {
    static constinit Door<int(FILE*)> door{"__uflow"};
    return transfer_stream<Operation::read>(
        door, stream, [&] { return door.real()(stream); }, [](int result) { return std::uint64_t{result >= 0}; });
}
