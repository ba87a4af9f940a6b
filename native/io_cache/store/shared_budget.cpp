#include "io_cache/store/shared_budget.hpp"

#include <cerrno>

#include "base/clock.hpp"
#include "io_cache/store/process_mark.hpp"

namespace clearway::io_cache {

namespace {

constexpr std::uint64_t kWaits_ns = 1'000'000'000;      // for so long others go short for who was refused
constexpr std::uint64_t kLookEvery_ns = 1'000'000'000;  // at processes, as it costs some system calls

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

}  // namespace clearway::io_cache
