#include "io_cache/store/shared_budget.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/clock.hpp"
#include "base/size_limit.hpp"
#include "io_cache/store/process_mark.hpp"

namespace clearway::io_cache {

namespace {

constexpr std::uint64_t kWaits_ns = 1'000'000'000;      // for so long others go short for who was refused
constexpr std::uint64_t kLookEvery_ns = 1'000'000'000;  // at processes, as it costs some system calls

constexpr ProcessMark kBeingFreed = 1;
constexpr int kTries = 100;

// Nobody else's, and with memory behind all of it: a page that cannot be had would be a signal.
bool make_usable(int fd, std::size_t bytes) {
    struct stat status {};
    if (syscall(SYS_fstat, fd, &status) != 0 || status.st_uid != geteuid() || !S_ISREG(status.st_mode)) return false;
    if (static_cast<std::size_t>(status.st_size) < bytes && !may_grow_to(bytes)) return false;
    return syscall(SYS_fallocate, fd, 0, 0, bytes) == 0;
}

}  // namespace

SharedBudget::Sum SharedBudget::sum_up() const {
    Sum sum;
    const Place *first = shared_->places, *end = first + shared_->used.load();
    std::uint64_t members = 0;
    for (const Place* place = first; place < end; ++place) {
        if (place->owner.load() == kNoProcess) continue;
        ++members;
        sum.budget_bytes = std::max(sum.budget_bytes, place->budget_bytes.load());
        sum.taken_bytes += place->taken_bytes.load();
    }
    sum.share_bytes = sum.budget_bytes / std::max<std::uint64_t>(members, 1);
    const std::uint64_t now = clock_ns(CLOCK_MONOTONIC_COARSE);
    for (const Place* place = first; place < end; ++place) {
        const std::uint64_t since = place->waiting_ns.load();
        if (place == own_ || since == 0 || now - since > kWaits_ns) continue;
        ++sum.waiting;
        sum.poor += place->taken_bytes.load() < sum.share_bytes ? 1 : 0;
    }
    return sum;
}

std::uint64_t SharedBudget::take(std::uint64_t bytes, std::uint64_t least_bytes) {
    const Sum before = sum_up();
    const std::uint64_t own = own_->taken_bytes.load();
    std::uint64_t had = bytes;
    if (before.poor > 0) had = std::min(bytes, before.share_bytes - std::min(before.share_bytes, own));
    own_->taken_bytes.fetch_add(had);
    std::uint64_t beyond = std::min(had, sum_up().beyond_bytes());
    if (had - beyond < least_bytes) beyond = had;
    own_->taken_bytes.fetch_sub(beyond);
    had -= beyond;
    own_->waiting_ns.store(had > 0 ? 0 : clock_ns(CLOCK_MONOTONIC_COARSE));
    if (had == 0) look_for_dead();
    return had;
}

// So that what they had can be taken next.
void SharedBudget::look_for_dead() {
    const std::uint64_t now = clock_ns(CLOCK_MONOTONIC_COARSE);
    if (now - looked_ns_ < kLookEvery_ns) return;
    looked_ns_ = now;
    const int saved_errno = errno;
    free_places_of_dead();
    errno = saved_errno;
}

void SharedBudget::give_back(std::uint64_t bytes) { own_->taken_bytes.fetch_sub(bytes); }

SharedBudget::Owed SharedBudget::owed(std::uint64_t step_bytes) const {
    const Sum sum = sum_up();
    if (sum.waiting == 0) return {};
    const std::uint64_t own = own_->taken_bytes.load();
    const auto missing = [&](std::uint64_t processes) {
        const std::uint64_t wanted = processes * step_bytes;
        return wanted - std::min(wanted, sum.free_bytes());
    };
    return {.unused_bytes = missing(sum.waiting),
            .used_bytes = std::min(missing(sum.poor), own - std::min(own, sum.share_bytes))};
}

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

// Those whose names differ from `name` behind its last dot.
void SharedBudget::remove_left_behind(const char* name) {
    const char* dot = std::strrchr(name, '.');
    const int folder = static_cast<int>(syscall(SYS_openat, AT_FDCWD, kFolder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder < 0 || dot == nullptr) return;
    alignas(dirent64) char entries[4096];  // not by readdir, which takes memory where the program may be doing so
    for (long bytes = 0; (bytes = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0;) {
        for (long at = 0; at < bytes;) {
            const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
            at += entry->d_reclen;
            if (std::strncmp(entry->d_name, name, static_cast<std::size_t>(dot + 1 - name)) != 0) continue;
            if (std::strcmp(entry->d_name, name) != 0) remove_if_left(entry->d_name);
        }
    }
    syscall(SYS_close, folder);
}

void SharedBudget::remove_if_left(const char* name) {
    SharedBudget other;
    const int length = std::snprintf(other.path_, sizeof other.path_, "%s/%s", kFolder, name);
    if (length < 0 || static_cast<std::size_t>(length) >= sizeof other.path_ || !other.open(0)) return;
    other.close();
    other.unmap();
}

}  // namespace clearway::io_cache
