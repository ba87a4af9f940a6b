#include "io_cache/files/stream_numbers.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "io_cache/files/kernel.hpp"
#include "io_cache/files/table.hpp"

namespace clearway::io_cache {

namespace {

constinit std::atomic<std::uint64_t> numbers[kMostDescriptors / 64]{};

std::uint64_t bit(int fd) { return std::uint64_t{1} << (fd % 64); }

// -1: streams over memory have none.
int number_of(FILE* stream) {
    if (stream == nullptr) return -1;
    const kernel::ErrnoGuard guard;
    const int fd = fileno_unlocked(stream);
    return fd < kMostDescriptors ? fd : -1;
}

}  // namespace

void note_stream(FILE* stream) {
    if (const int fd = number_of(stream); fd >= 0) numbers[fd / 64].fetch_or(bit(fd), std::memory_order_relaxed);
}

void forget_stream(FILE* stream) {
    if (const int fd = number_of(stream); fd >= 0) numbers[fd / 64].fetch_and(~bit(fd), std::memory_order_relaxed);
}

bool is_of_stream(int fd) {
    if (fd < 0 || fd >= kMostDescriptors) return false;
    return fd <= STDERR_FILENO || (numbers[fd / 64].load(std::memory_order_relaxed) & bit(fd)) != 0;
}

}  // namespace clearway::io_cache
