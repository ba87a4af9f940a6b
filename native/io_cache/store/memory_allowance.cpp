#include "io_cache/store/memory_allowance.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "io_cache/store/headroom.hpp"

namespace clearway::io_cache {

namespace {

constexpr std::uint64_t kMostReserveBytes = 128 << 20;  // is left to others
constexpr std::uint64_t kReservePart = 16;              // of all memory there is
constexpr std::uint64_t kMostStepBytes = 4 << 20;
constexpr std::uint64_t kStepsOfBudget = 64;
constexpr std::uint64_t kAskEvery_ns = 200'000'000;   // the kernel, as it costs some system calls
constexpr std::uint64_t kShareEvery_ns = 10'000'000;  // with other processes

std::uint64_t reserve_of(const Headroom& headroom) {
    return std::min(kMostReserveBytes, headroom.of_bytes / kReservePart);
}

// Whether `since` is so long ago; then it is now.
bool is_due(std::uint64_t& since_ns, std::uint64_t every_ns) {
    const std::uint64_t now = clock_ns(CLOCK_MONOTONIC_COARSE);
    if (now - since_ns < every_ns) return false;
    since_ns = now;
    return true;
}

}  // namespace

void MemoryAllowance::set_up(const Settings& settings, std::uint64_t least_bytes) {
    settings_ = settings;
    least_bytes_ = least_bytes;
    const std::uint64_t shared_step = std::min(kMostStepBytes, settings.budget_bytes / kStepsOfBudget);
    step_bytes_ = std::max(least_bytes, settings.shared_budget != nullptr ? shared_step : kMostStepBytes);
    has_no_shared_budget_ = settings.shared_budget == nullptr;
}

bool MemoryAllowance::is_spare() {
    if (is_short_ && !is_due(asked_ns_, kAskEvery_ns)) return false;
    const Headroom spare = headroom();
    is_short_ = spare.bytes < reserve_of(spare) + step_bytes_;
    return !is_short_;
}

std::uint64_t MemoryAllowance::within_budget(std::uint64_t bytes) {
    if (!has_no_shared_budget_ && !shared_budget_.is_member())
        has_no_shared_budget_ = !shared_budget_.join(settings_.shared_budget, settings_.budget_bytes);
    if (has_no_shared_budget_) {
        const std::uint64_t most = settings_.shared_budget != nullptr ? settings_.alone_bytes : settings_.budget_bytes;
        return std::min(bytes, most - std::min(most, taken_bytes_));
    }
    const std::uint64_t had = shared_budget_.take(bytes, std::min(bytes, least_bytes_));
    is_used_up_ = had == 0;
    was_refused_ |= is_used_up_;
    refused_ns_ = clock_ns(CLOCK_MONOTONIC_COARSE);
    return had;
}

std::uint64_t MemoryAllowance::take(std::uint64_t bytes) {
    if (is_used_up_ && !is_due(refused_ns_, kShareEvery_ns)) return 0;
    const bool is_first = taken_bytes_ < least_bytes_;
    if (!is_first && !is_spare()) return 0;
    const std::uint64_t had = within_budget(is_first ? std::min(bytes, least_bytes_) : bytes);
    taken_bytes_ += had;
    return had;
}

void MemoryAllowance::keep(std::uint64_t bytes) {
    if (taken_bytes_ <= bytes) return;
    if (shared_budget_.is_member()) shared_budget_.give_back(taken_bytes_ - bytes);
    taken_bytes_ = bytes;
}

void MemoryAllowance::keep_nothing() {
    shared_budget_.leave();
    taken_bytes_ = 0;
}

std::uint64_t MemoryAllowance::missing_bytes() {
    if (taken_bytes_ <= least_bytes_ || !is_due(asked_ns_, kAskEvery_ns)) return 0;
    const Headroom spare = headroom();
    const std::uint64_t reserve = reserve_of(spare);
    if (spare.soon_bytes >= reserve / 2) return 0;  // what we wrote back is on its way, and no reason to write more
    is_short_ = true;
    return reserve - spare.soon_bytes;
}

SharedBudget::Owed MemoryAllowance::owed() {
    if (!shared_budget_.is_member() || !is_due(looked_ns_, kShareEvery_ns)) return {};
    return shared_budget_.owed(step_bytes_);
}

}  // namespace clearway::io_cache
