// Booking an operation on a file, and the two shapes that most doors have.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "recorder/io/descriptors.hpp"
#include "recorder/io/locks.hpp"
#include "recorder/io/outputs.hpp"
#include "recorder/io/recorded.hpp"
#include "recorder/tick_rate.hpp"

namespace clearway::recorder {

enum class FileOperation { open, read, write, seek, sync, close, metadata, lock };

struct OperationFields {
    std::uint64_t FileCell::*calls;
    std::uint64_t FileCell::*ticks;
};

constexpr OperationFields fields_of(FileOperation operation) {
    switch (operation) {
        case FileOperation::open:
            return {&FileCell::opens, &FileCell::open_ticks};
        case FileOperation::read:
            return {&FileCell::reads, &FileCell::read_ticks};
        case FileOperation::write:
            return {&FileCell::writes, &FileCell::write_ticks};
        case FileOperation::seek:
            return {&FileCell::seeks, &FileCell::seek_ticks};
        case FileOperation::sync:
            return {&FileCell::syncs, &FileCell::sync_ticks};
        case FileOperation::close:
            return {&FileCell::closes, &FileCell::close_ticks};
        case FileOperation::metadata:
        case FileOperation::lock:  // which has a cell of its own besides
            return {&FileCell::metadata, &FileCell::metadata_ticks};
    }
    __builtin_unreachable();
}

template <FileOperation operation>
void book(FileCell* cell, std::uint64_t ticks) {
    if (cell == nullptr) return;
    add_to(cell->*(fields_of(operation).calls), 1);
    add_to(cell->*(fields_of(operation).ticks), ticks);
}

template <FileOperation operation>
constexpr std::uint64_t FileCell::*kBytesField =
    operation == FileOperation::write ? &FileCell::written_bytes : &FileCell::read_bytes;

template <FileOperation operation>
constexpr std::uint64_t FileCell::*kSequentialField =
    operation == FileOperation::write ? &FileCell::sequential_writes : &FileCell::sequential_reads;

inline constexpr off_t kAtPosition = -1;  // of a transfer: where the descriptor stands

// A transfer from `begin` on that the MPI made, where the one before ended at `before`.
void book_request(MpiFileCell& file, std::uint64_t begin, std::uint64_t before, std::uint64_t bytes,
                  std::uint64_t ticks);

// Books a transfer of `bytes` at file offset `at` through `descriptor`; also to `mpi_file`, unless it is null.
template <FileOperation operation>
void book_transfer(Descriptor& descriptor, FileCell& cell, off_t at, std::uint64_t bytes, std::uint64_t ticks,
                   MpiFileCell* mpi_file = nullptr) {
    constexpr auto relaxed = std::memory_order_relaxed;
    constexpr bool is_write = operation == FileOperation::write;
    book<operation>(&cell, ticks);
    add_to(cell.*kBytesField<operation>, bytes);
    std::uint64_t begin = at == kAtPosition ? descriptor.position.load(relaxed) : static_cast<std::uint64_t>(at);
    if (is_write && descriptor.append.load(relaxed)) begin = descriptor.next.load(relaxed);
    const std::uint64_t before = descriptor.next.load(relaxed);
    if (begin == before) add_to(cell.*kSequentialField<operation>, 1);
    if (mpi_file != nullptr) [[unlikely]]
        book_request(*mpi_file, begin, before, bytes, ticks);
    descriptor.next.store(begin + bytes, relaxed);
    if (at == kAtPosition) descriptor.position.store(begin + bytes, relaxed);
    reach_extent(cell, begin + bytes);
    if constexpr (is_write)
        mark_written(descriptor, cell, begin);
    else
        set_flags(cell, kFileRead);
}

// Another thread may be closing the descriptor: then what we book goes nowhere.
inline FileCell& cell_of(Descriptor& descriptor) {
    FileCell* cell = descriptor.cell.load(std::memory_order_relaxed);
    return cell != nullptr ? *cell : not_a_file;
}

// Programs print by tens of thousands of short stdio calls in a row: these would push everything else off the ring.
inline constexpr std::uint64_t kShortestShown_ns = 10'000;

inline void show_on_timeline(RealName& function, std::uint16_t file, std::uint64_t entry, std::uint64_t exit,
                             std::uint64_t bytes) {
    if (!timeline_on) [[likely]]
        return;
    if (to_ns(exit - entry) < kShortestShown_ns) return;
    const int saved_errno = errno;
    const InRecorder inside;
    record_timeline(timeline_id(function), file, kPeerNone, entry, exit, bytes);
    errno = saved_errno;
}

// A door that moves bytes through `fd`: `call()` returns their number, or less than 0.
template <FileOperation operation, class Call>
[[gnu::always_inline]] inline auto transfer(RealName& function, int fd, off_t at, Call call) {
    if (!recording) return call();
    Descriptor* descriptor = tracked(fd);
    if (descriptor == nullptr) return call();
    ThreadState* thread = undisturbed_thread();
    if (thread == nullptr) return call();
    FileCell& cell = cell_of(*descriptor);
    const std::uint64_t entry = enter_door(*thread);
    const auto result = call();
    const std::uint64_t exit = leave_door(*thread, entry);
    const std::uint64_t bytes = result > 0 ? static_cast<std::uint64_t>(result) : 0;
    book_transfer<operation>(*descriptor, cell, at, bytes, exit - entry, thread->mpi_file);
    show_on_timeline(function, descriptor->index.load(std::memory_order_relaxed), entry, exit, bytes);
    return result;
}

// A door that does something else to the file behind `fd`.
template <FileOperation operation, class Call>
[[gnu::always_inline]] inline auto operate(RealName& function, int fd, Call call) {
    if (!recording) return call();
    Descriptor* descriptor = tracked(fd);
    if (descriptor == nullptr) return call();
    ThreadState* thread = undisturbed_thread();
    if (thread == nullptr) return call();
    FileCell* cell = &cell_of(*descriptor);
    const std::uint16_t index = descriptor->index.load(std::memory_order_relaxed);
    const std::uint64_t entry = enter_door(*thread);
    const auto result = call();
    const std::uint64_t exit = leave_door(*thread, entry);
    book<operation>(cell, exit - entry);
    if constexpr (operation == FileOperation::lock) book_lock(index, exit - entry);
    show_on_timeline(function, index, entry, exit, 0);
    return result;
}

// A door that is given a path. `find()` tells the cell afterwards, if the time is to be booked to one.
template <FileOperation operation, class Call, class Find>
[[gnu::always_inline]] inline auto operate_on_path(RealName& function, Call call, Find find) {
    ThreadState* thread = recordable_thread();
    if (thread == nullptr) return call();
    const std::uint64_t entry = enter_door(*thread);
    const auto result = call();
    const std::uint64_t exit = leave_door(*thread, entry);
    const int saved_errno = errno;
    const File file = [&] {
        const InRecorder inside(*thread);
        return find(result);
    }();
    errno = saved_errno;
    book<operation>(file.cell, exit - entry);
    show_on_timeline(function, file.index, entry, exit, 0);
    return result;
}

}  // namespace clearway::recorder

// A whole door that does something to the file behind its `fd`, or with a `path`: that is booked to the file where it
// is named in full, else to its folder.
#define CLEARWAY_OPERATION_DOOR(name, operation)                                                       \
    CLEARWAY_DOOR(name) {                                                                              \
        return operate<FileOperation::operation>(real::name, fd, [&] { return CLEARWAY_REAL(name); }); \
    }
#define CLEARWAY_ASKING_DOOR(name)                                                                                  \
    CLEARWAY_DOOR(name) {                                                                                           \
        return operate_on_path<FileOperation::metadata>(                                                            \
            real::name, [&] { return CLEARWAY_REAL(name); }, [&](int result) { return asked_file(path, result); }); \
    }
