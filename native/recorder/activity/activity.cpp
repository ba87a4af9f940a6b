#include "recorder/activity/activity.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/hash.hpp"
#include "recorder/activity/found.hpp"
#include "recorder/clock.hpp"
#include "recorder/process.hpp"
#include "recorder/thread.hpp"
#include "recorder/threads/concurrency.hpp"

namespace clearway::recorder {
namespace {

constexpr std::uint32_t kWithObject = 96;  // cells; what finds none of these left is counted without its object

std::uint64_t period_begin_ns = 0, look_ns = 0, random_state = 0;

std::uint64_t random_below(std::uint64_t limit) {
    random_state = mix(random_state + 1);
    return random_state % std::max<std::uint64_t>(limit, 1);
}

// Where the thread is in the program: it says so itself, in its cell.
Place place_of(const ThreadCell& cell) {
    if (__atomic_load_n(&cell.call_function, __ATOMIC_RELAXED) != 0) return Place::mpi;
    return __atomic_load_n(&cell.io_depth, __ATOMIC_RELAXED) != 0 ? Place::file : Place::outside;
}

ActivityCell* find(const Found& found, Place place) {
    for (std::uint32_t i = 0; i < process.activities.size(); ++i) {
        ActivityCell* cell = process.activities.at(i);
        if (cell->activity == found.activity && cell->place == place && std::strcmp(cell->object, found.object) == 0)
            return cell;
    }
    return nullptr;
}

void count(Found& found, Place place, std::uint32_t samples) {
    const std::uint64_t ticks = now_ticks();
    ActivityCell* cell = find(found, place);
    if (cell == nullptr && found.object[0] != '\0' && process.activities.size() >= kWithObject) {
        found.object[0] = '\0';
        cell = find(found, place);
    }
    if (cell != nullptr) {
        __atomic_store_n(&cell->last_ticks, ticks, __ATOMIC_RELAXED);
        __atomic_store_n(&cell->samples, cell->samples + samples, __ATOMIC_RELAXED);
        return;
    }
    ActivityCell made{found.activity, place, samples, ticks, ticks, ""};
    std::memcpy(made.object, found.object, sizeof made.object);
    process.activities.add(process.file, made);
}

void look() {
    const std::uint32_t main = __atomic_load_n(&main_thread, __ATOMIC_RELAXED);
    if (main >= process.threads.size()) return;
    const ThreadCell& cell = *process.threads.at(main);
    const Place place = place_of(cell);
    Found found = look_at(cell.tid);
    if (place_of(cell) != place) return;  // it has gone on: what was found belongs to neither
    count(found, place, 1);
    look_at_others(place, found.activity == Activity::running);
}

}  // namespace

void count_as_stopped(std::uint64_t stopped_ns, std::uint64_t period_ns) {
    const std::uint32_t main = __atomic_load_n(&main_thread, __ATOMIC_RELAXED);
    const auto missed = static_cast<std::uint32_t>(stopped_ns / period_ns);
    if (main >= process.threads.size() || missed == 0) return;
    const int saved_errno = errno;
    Found found;
    found.activity = Activity::stopped;
    count(found, place_of(*process.threads.at(main)), missed);
    errno = saved_errno;
}

std::uint64_t sample_activity(std::uint64_t period_ns) {
    const int saved_errno = errno;
    std::uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
    if (look_ns == 0) {
        random_state = mix(now_ns ^ static_cast<std::uint64_t>(getpid()));
        period_begin_ns = now_ns;
        look_ns = now_ns + random_below(period_ns);
    }
    if (now_ns >= look_ns) {
        look();
        now_ns = clock_ns(CLOCK_MONOTONIC);
        period_begin_ns = std::max(period_begin_ns + period_ns, now_ns - std::min(now_ns, period_ns));
        look_ns = period_begin_ns + random_below(period_ns);
    }
    errno = saved_errno;
    return look_ns - std::min(look_ns, now_ns);
}

}  // namespace clearway::recorder
