#include "recorder/activity/activity.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
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
constexpr std::uint32_t kMostLooks = 200;  // then half of them are forgotten, and half as many are taken
constexpr std::uint64_t kMostInPeriod = 4, kShortest_ns = 20'000'000;

std::uint64_t period_begin_ns = 0, look_ns = 0, random_state = 0;
std::uint64_t in_period = 0;  // looks; 0: before the first
std::uint32_t looks = 0;      // that are counted

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

// Each with the same chance: so the rest is a sample of the whole time, as if no more had been taken from the begin.
void forget_half() {
    for (std::uint32_t i = 0; i < process.activities.size(); ++i) {
        ActivityCell* cell = process.activities.at(i);
        const std::uint32_t odd = cell->samples % 2 == 0 ? 0 : static_cast<std::uint32_t>(random_below(2));
        __atomic_store_n(&cell->samples, cell->samples / 2 + odd, __ATOMIC_RELAXED);
    }
}

void look() {
    const std::uint32_t main = __atomic_load_n(&main_thread, __ATOMIC_RELAXED);
    if (main >= process.threads.size()) return;
    const ThreadCell& cell = *process.threads.at(main);
    const Place place = place_of(cell);
    Found found = look_at(cell.tid);
    if (found.activity != Activity::running) {
        // Which call it stands still in tells nothing where a tracer stopped it.
        const Found traced = found_stopped_by_tracer(cell.tid, found);
        if (traced.activity == Activity::traced) found = traced;
    }
    if (place_of(cell) != place) return;  // it has gone on: what was found belongs to neither
    count(found, place, 1);
    // Other threads are looked at once in a period at all times: with many of them that is what takes long.
    if (looks % in_period == 0) look_at_others(place, cell.tid, found.activity == Activity::running);
}

std::uint64_t look_period_ns(std::uint64_t period_ns) {
    if (in_period == 0)
        in_period = std::bit_floor(std::clamp<std::uint64_t>(period_ns / kShortest_ns, 1, kMostInPeriod));
    return period_ns / in_period;
}

// A short job needs them often, and a long one has enough of them.
void look_less_often() {
    if (++looks < kMostLooks || in_period == 1) return;
    forget_half();
    looks /= 2, in_period /= 2;
}

}  // namespace

void count_as_stopped(std::uint64_t stopped_ns, std::uint64_t period_ns) {
    const std::uint32_t main = __atomic_load_n(&main_thread, __ATOMIC_RELAXED);
    const auto missed = static_cast<std::uint32_t>(stopped_ns / look_period_ns(period_ns));
    if (main >= process.threads.size() || missed == 0) return;
    const int saved_errno = errno;
    Found found;
    found.activity = Activity::stopped;
    count(found, place_of(*process.threads.at(main)), missed);
    errno = saved_errno;
}

std::uint64_t sample_activity(std::uint64_t period_ns) {
    const int saved_errno = errno;
    std::uint64_t now_ns = clock_ns(CLOCK_MONOTONIC), each_ns = look_period_ns(period_ns);
    if (look_ns == 0) {
        random_state = mix(now_ns ^ static_cast<std::uint64_t>(getpid()));
        period_begin_ns = now_ns;
        look_ns = now_ns + random_below(each_ns);
    }
    if (now_ns >= look_ns) {
        look();
        look_less_often();
        now_ns = clock_ns(CLOCK_MONOTONIC);
        period_begin_ns += each_ns;
        each_ns = look_period_ns(period_ns);
        period_begin_ns = std::max(period_begin_ns, now_ns - std::min(now_ns, each_ns));
        look_ns = period_begin_ns + random_below(each_ns);
    }
    errno = saved_errno;
    return look_ns - std::min(look_ns, now_ns);
}

}  // namespace clearway::recorder
