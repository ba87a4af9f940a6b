#include "io_cache/files/copies.hpp"

#include "io_cache/files/kernel.hpp"
#include "io_cache/files/leave.hpp"
#include "io_cache/files/lock.hpp"
#include "io_cache/files/truth.hpp"

namespace clearway::io_cache {

int end_descriptor(int fd) {
    OpenFile* open = descriptors[fd].load(std::memory_order_relaxed);
    if (open == nullptr) return 0;
    CachedFile* file = open->file;
    const int error = open->descriptors == 1 ? open->error.exchange(0, std::memory_order_relaxed) : 0;
    detach(fd);
    if (file == nullptr) return error;
    if (file->first != nullptr) return duty(Event::closes_one, file->privacy) == Duty::all ? make_true(*file) : error;
    end_lock(*file);
    if (forget_deleted(*file)) return error;
    file->closed_ns = kernel::clock_ns(CLOCK_MONOTONIC_COARSE);
    if (!file->is_watched || duty(Event::closes, file->privacy) == Duty::leave) return leave(*file);
    if (file->takes_writes) cache->settle(file->id);
    file->owed_ns = file->closed_ns;
    return 0;
}

int serve_close(int fd) {
    if (!is_held(fd) || !in_own_process()) return 0;
    before(Event::closes_one, fd);  // most of the writing with `room` shared: other files need not wait for it
    const kernel::ErrnoGuard guard;
    const Alone alone;
    return alone ? end_descriptor(fd) : 0;
}

void copy_descriptor(int from, int to) {
    const kernel::ErrnoGuard guard;
    OpenFile* open = is_held(from) ? descriptors[from].load(std::memory_order_relaxed) : nullptr;
    if (to < kMostDescriptors) {
        end_descriptor(to);
        if (open != nullptr) attach(to, *open);
    } else if (open != nullptr && open->file != nullptr) {
        leave(*open->file);  // the copy has no place in the table
    }
}

}  // namespace clearway::io_cache
