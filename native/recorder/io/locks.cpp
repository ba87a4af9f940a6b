#include "recorder/io/locks.hpp"

#include <atomic>
#include <cerrno>

#include "recorder/io/files.hpp"
#include "recorder/process.hpp"
#include "recorder/thread.hpp"

namespace clearway::recorder {
namespace {

[[gnu::noinline]] LockCell* find(std::uint32_t file) {
    for (std::uint32_t i = 0; i < process.locks.size(); ++i) {
        LockCell* cell = process.locks.at(i);
        if (cell->file == file) return cell;
    }
    return nullptr;
}

// Whose lock was asked for last: programs ask for one over and over.
std::atomic<LockCell*> newest{nullptr};

LockCell* find_again(std::uint32_t file) {
    LockCell* cell = newest.load(std::memory_order_relaxed);
    if (cell != nullptr && cell->file == file) [[likely]]
        return cell;
    cell = find(file);
    if (cell != nullptr) newest.store(cell, std::memory_order_relaxed);
    return cell;
}

// Two threads that come at once make two: a reader adds them up.
[[gnu::noinline]] LockCell* make(std::uint32_t file) {
    const int saved_errno = errno;
    const InRecorder inside;
    LockCell* cell = process.locks.add(process.file, LockCell{file, 0, 0, 0});
    errno = saved_errno;
    return cell;
}

}  // namespace

void book_lock(std::uint16_t file, std::uint64_t ticks) {
    if (file == kNoFile) return;
    LockCell* cell = find_again(file);
    if (cell == nullptr) cell = make(file);
    if (cell == nullptr) return;
    add_to(cell->calls, 1);
    add_to(cell->ticks, ticks);
}

}  // namespace clearway::recorder
