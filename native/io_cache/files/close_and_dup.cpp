#include "io_cache/files/close_and_dup.hpp"

#include "base/clock.hpp"
#include "io_cache/files/kernel.hpp"
#include "io_cache/files/locks.hpp"
#include "io_cache/files/stop_caching.hpp"
#include "io_cache/files/stream_numbers.hpp"
#include "io_cache/files/write_back.hpp"

namespace clearway::io_cache {

int close_descriptor(int fd) {
    OpenFile* open = descriptors[fd].load(std::memory_order_relaxed);
    if (open == nullptr) return 0;
    CachedFile* file = open->file;
    const int error = open->descriptors == 1 ? open->error.exchange(0, std::memory_order_relaxed) : 0;
    detach(fd);
    if (file == nullptr) return error;
    if (file->first != nullptr) return duty(Event::closes_one, file->privacy) == Duty::all ? write_back(*file) : error;
    end_flock(*file);
    if (forget_deleted(*file)) return error;
    file->closed_ns = clock_ns(CLOCK_MONOTONIC_COARSE);
    if (!file->is_watched || duty(Event::closes, file->privacy) == Duty::stop_caching) return stop_caching(*file);
    if (file->takes_writes) cache->sync_size(file->id);
    file->unwritten_since_ns = file->closed_ns;
    return 0;
}

int serve_close(int fd) {
    if (!is_cached(fd) || !in_own_process()) return 0;
    write_back_before(Event::closes_one,
                      fd);  // most of the writing with `table_lock` shared: other files need not wait for it
    const kernel::ErrnoGuard guard;
    const ExclusiveLock alone;
    return alone ? close_descriptor(fd) : 0;
}

bool is_elsewhere(int fd) {
    const kernel::ErrnoGuard guard;
    return fd >= 0 && !is_cached(fd) && kernel::fcntl(fd, F_GETFD) >= 0;
}

void dup_descriptor(int from, int to, bool to_stream) {
    const kernel::ErrnoGuard guard;
    OpenFile* open = is_cached(from) ? descriptors[from].load(std::memory_order_relaxed) : nullptr;
    if (to < kMostDescriptors) {
        close_descriptor(to);
        if (open == nullptr) return;
        attach(to, *open);
        if ((to_stream || is_of_stream(to)) && open->file != nullptr) stop_caching(*open->file);
    } else if (open != nullptr && open->file != nullptr) {
        stop_caching(*open->file);  // the copy has no place in the table
    }
}

}  // namespace clearway::io_cache
