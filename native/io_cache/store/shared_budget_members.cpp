// Who has a place in the shared budget: joining, leaving, and those that were killed.
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "io_cache/store/process_mark.hpp"
#include "io_cache/store/shared_budget.hpp"

namespace clearway::io_cache {

namespace {

constexpr ProcessMark kBeingFreed = 1;
constexpr int kTries = 100;

// Nobody else's, and with memory behind all of it: a page that cannot be had would be a signal.
bool make_usable(int fd, std::size_t bytes) {
    struct stat status {};
    if (syscall(SYS_fstat, fd, &status) != 0 || status.st_uid != geteuid() || !S_ISREG(status.st_mode)) return false;
    return syscall(SYS_fallocate, fd, 0, 0, bytes) == 0;
}

}  // namespace

bool SharedBudget::join(const char* name, std::uint64_t budget_bytes) {
    const int saved_errno = errno;
    std::snprintf(path_, sizeof path_, "%s/%s", kFolder, name);
    for (int i = 0; own_ == nullptr && i < kTries && open(O_CREAT); ++i) {
        const bool has_place = claim(budget_bytes);
        if (has_place && shared_->closed.load() == 0) {
            if (shared_->used.load() == 1) remove_left_behind(name);
            break;
        }
        if (has_place) release();
        unmap();
        if (!has_place) break;
        sched_yield();  // the last member is about to take the name away
    }
    errno = saved_errno;
    return own_ != nullptr;
}

bool SharedBudget::open(int flags) {
    flags |= O_RDWR | O_CLOEXEC | O_NOFOLLOW;
    const int fd = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path_, flags, 0600));
    if (fd < 0) return false;
    void* mapped = make_usable(fd, sizeof(Shared))
                       ? mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                       : MAP_FAILED;
    syscall(SYS_close, fd);
    if (mapped == MAP_FAILED) return false;
    shared_ = static_cast<Shared*>(mapped);
    return true;
}

void SharedBudget::unmap() {
    munmap(shared_, sizeof(Shared));
    shared_ = nullptr;
}

bool SharedBudget::claim(std::uint64_t budget_bytes) {
    const ProcessMark mark = own_process_mark();
    if (mark == kNoProcess) return false;
    free_places_of_dead();
    for (std::uint32_t i = 0; i < kPlaces; ++i) {
        ProcessMark nobody = kNoProcess;
        if (!shared_->places[i].owner.compare_exchange_strong(nobody, mark)) continue;
        own_ = &shared_->places[i];
        own_->budget_bytes.store(budget_bytes);
        std::uint32_t used = shared_->used.load();
        while (used < i + 1 && !shared_->used.compare_exchange_weak(used, i + 1)) {
        }
        return true;
    }
    return false;
}

void SharedBudget::empty(Place& place) {
    place.taken_bytes.store(0);
    place.waiting_ns.store(0);
    place.budget_bytes.store(0);
}

void SharedBudget::release() {
    empty(*own_);
    own_->owner.store(kNoProcess);
    own_ = nullptr;
}

void SharedBudget::leave() {
    if (own_ == nullptr) return;
    const int saved_errno = errno;
    release();
    close();
    unmap();
    errno = saved_errno;
}

// Who joins claims a place and then looks whether the budget is closed; who closes it looks for places only then.
void SharedBudget::close() {
    free_places_of_dead();
    while (!any_member()) {
        std::uint32_t open = 0;
        if (!shared_->closed.compare_exchange_strong(open, 1)) return;
        if (!any_member()) {
            syscall(SYS_unlinkat, AT_FDCWD, path_, 0);
            return;
        }
        shared_->closed.store(0);
    }
}

bool SharedBudget::any_member() const {
    const std::uint32_t used = shared_->used.load();
    return std::any_of(shared_->places, shared_->places + used,
                       [](const Place& place) { return place.owner.load() != kNoProcess; });
}

void SharedBudget::free_places_of_dead() {
    const std::uint32_t used = shared_->used.load();
    for (Place* place = shared_->places; place < shared_->places + used; ++place) {
        ProcessMark owner = place->owner.load();
        if (owner == kNoProcess || owner == kBeingFreed || is_running(owner)) continue;
        if (!place->owner.compare_exchange_strong(owner, kBeingFreed)) continue;
        empty(*place);
        place->owner.store(kNoProcess);
    }
}

}  // namespace clearway::io_cache
