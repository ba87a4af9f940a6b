#include "collectives/course.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace clearway {

namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

// From here on a call is slow against an agreement, so that hopeless candidates are dropped as soon as they show.
constexpr std::uint64_t kSlow_ns = 1'000'000;
constexpr std::uint64_t kHopelessFactor = 2;

constexpr std::uint32_t kTimedSlowCalls = 3;  // in a block; of fast calls kMostTimedCalls: they are cheap and noisy
constexpr std::uint32_t kCallsToCheck = 2;    // a warm-up and a timed one

// The MPI's own wins where it is as good within this.
constexpr std::uint64_t kTiePercent = 2;

constexpr std::uint32_t kWatchedCalls = 7;
constexpr std::uint64_t kSlowerPercent = 150;
constexpr std::uint32_t kSlowWatchesToRetry = 2;  // one burst of other traffic is no reason
constexpr std::uint64_t kWatchInterval_ns = 256'000'000;
constexpr std::uint32_t kLeastWatchCalls = 16, kMostFirstWatchCalls = 256;
constexpr std::uint32_t kWatchDoublings = 5;
constexpr std::uint32_t kMostWatchCalls = 1U << 20;

// A challenge may cost this share of the time since the one before.
constexpr std::uint64_t kChallengeShare = 400;  // one part in so many: 0.25 %
constexpr std::uint64_t kUnknownFactor = 10;    // by which a candidate never measured may be slower
constexpr std::uint64_t kLeastChallengeCalls = 1000;
constexpr std::uint32_t kMostChallengeDoublings = 6;

std::uint32_t own_index(const Course& course) { return static_cast<std::uint32_t>(course.tried.size() - 1); }

bool is_first_block(const Course& course) { return course.stage == Stage::trial && course.current == 0; }

// The very first calls also connect ranks that never spoke before.
std::uint32_t warm_ups(const Course& course) { return is_first_block(course) ? 2 : 1; }

// Agreed time to hold the present block against; 0 where nothing is known.
std::uint64_t best_ns(const Course& course) {
    if (course.stage != Stage::trial) return course.settled_ns;
    std::uint64_t best = kNever;
    for (std::uint32_t i = 0; i < course.current; ++i)
        if (course.tried[i].agreed_ns != 0) best = std::min(best, course.tried[i].agreed_ns);
    return best == kNever ? 0 : best;
}

bool is_slow(const Course& course) { return best_ns(course) >= kSlow_ns; }

std::uint32_t timed_calls(const Course& course) {
    if (course.stage == Stage::settled) return kWatchedCalls;
    return is_first_block(course) || is_slow(course) ? kTimedSlowCalls : kMostTimedCalls;
}

std::uint64_t median(const Course& course) {
    auto sorted = course.elapsed_ns;
    const auto end = sorted.begin() + course.timed;
    std::sort(sorted.begin(), end);
    return sorted[course.timed / 2];
}

void begin_block(Course& course, std::uint32_t candidate) {
    course.current = candidate;
    course.calls_in_block = 0;
    course.timed = 0;
    course.checked = false;
}

void begin_trial(Course& course) {
    course.stage = Stage::trial;
    ++course.trials;
    for (Tried& each : course.tried) each.agreed_ns = 0;
    course.own_medians_ns.clear();
    begin_block(course, 0);
}

std::uint32_t first_watch(std::uint64_t call_ns) {
    const std::uint64_t calls = std::bit_ceil(kWatchInterval_ns / std::max<std::uint64_t>(call_ns, 1) + 1);
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(calls, kLeastWatchCalls, kMostFirstWatchCalls));
}

// Longer and longer, and much longer where trials changed nothing.
std::uint32_t longest_watch(const Course& course) {
    const std::uint64_t calls = std::uint64_t{first_watch(course.settled_ns)}
                                << std::min(kWatchDoublings + course.fruitless_trials, 24U);
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(calls, kMostWatchCalls));
}

void await_watch(Course& course) {
    begin_block(course, course.settled_on);
    course.unwatched_calls = course.watch_every_calls - kWatchedCalls;
}

void settle(Course& course, std::uint32_t index) {
    course.stage = Stage::settled;
    course.settled_on = index;
    course.settled_ns = course.tried[index].agreed_ns;
    course.watch_every_calls = first_watch(course.settled_ns);
    course.slow_watches = 0;
    course.calls_since_challenge = 0;
    await_watch(course);
}

std::uint32_t best_of_trial(const Course& course) {
    const std::uint32_t own = own_index(course);
    std::uint32_t best = own;
    for (std::uint32_t i = 0; i < own; ++i)
        if (course.tried[i].agreed_ns < course.tried[best].agreed_ns) best = i;
    const std::uint64_t own_ns = course.tried[own].agreed_ns;
    const std::uint64_t tie_ns = course.tried[best].agreed_ns / 100 * (100 + kTiePercent);
    return own_ns <= tie_ns ? own : best;
}

void end_trial(Course& course) {
    const std::uint32_t before = course.settled_on;
    const std::uint32_t best = best_of_trial(course);
    course.fruitless_trials = course.trials > 1 && best == before ? course.fruitless_trials + 1 : 0;
    course.challenger = best;
    settle(course, best);
}

// The one after the last challenger, in turn. Of those a table passed over only the MPI's own has to prove itself.
std::uint32_t next_challenger(const Course& course) {
    const auto count = static_cast<std::uint32_t>(course.tried.size());
    for (std::uint32_t step = 1; step <= count; ++step) {
        const std::uint32_t index = (course.challenger + step) % count;
        const bool known = course.tried[index].agreed_ns != 0 || index == own_index(course);
        if (index != course.settled_on && known) return index;
    }
    return course.settled_on;
}

// After how many calls since the last challenge this one's expected cost is small.
std::uint64_t calls_before_challenge(const Course& course, std::uint32_t challenger) {
    const std::uint64_t usual_ns = std::max<std::uint64_t>(course.settled_ns, 1);
    const std::uint64_t said_ns = course.tried[challenger].agreed_ns;
    const std::uint64_t expected_ns = said_ns != 0 ? said_ns : kUnknownFactor * usual_ns;
    const std::uint64_t extra_ns = expected_ns > usual_ns ? expected_ns - usual_ns : 0;
    const std::uint64_t calls = kCallsToCheck * kChallengeShare * (extra_ns / usual_ns + 1);
    return std::max(calls, kLeastChallengeCalls) << std::min(course.challenges, kMostChallengeDoublings);
}

void end_challenge(Course& course) {
    const std::uint32_t challenger = course.current;
    ++course.challenges;
    course.challenger = challenger;
    const std::uint64_t better_ns = course.settled_ns / 100 * (100 - kTiePercent);
    const bool won = course.tried[challenger].agreed_ns < better_ns;
    if (won) course.challenges = 0;
    const std::uint32_t watch_every_calls = course.watch_every_calls;
    settle(course, won ? challenger : course.settled_on);
    if (!won) {
        course.watch_every_calls = watch_every_calls;
        await_watch(course);
    }
}

void end_watch(Course& course, std::uint64_t agreed_ns) {
    course.calls_since_challenge += course.watch_every_calls;
    const bool slow = course.settled_ns != 0 && agreed_ns / kSlowerPercent * 100 > course.settled_ns;
    const bool much_faster = agreed_ns < course.settled_ns / kSlowerPercent * 100;
    if (course.settled_ns == 0 || much_faster) course.settled_ns = agreed_ns;
    course.tried[course.settled_on].agreed_ns = agreed_ns;
    course.slow_watches = slow ? course.slow_watches + 1 : 0;
    if (course.slow_watches >= kSlowWatchesToRetry) return begin_trial(course);
    course.watch_every_calls = slow ? kLeastWatchCalls : std::min(2 * course.watch_every_calls, longest_watch(course));
    const std::uint32_t challenger = next_challenger(course);
    if (!slow && challenger != course.settled_on &&
        course.calls_since_challenge >= calls_before_challenge(course, challenger)) {
        course.stage = Stage::challenge;
        return begin_block(course, challenger);
    }
    await_watch(course);
}

bool check_is_due(const Course& course) {
    return course.stage != Stage::settled && !course.checked && is_slow(course) &&
           course.calls_in_block == kCallsToCheck;
}

// After a block whose figure is agreed, or kept to be agreed on with the others at the end.
void end_block_of_trial(Course& course) {
    if (course.current == own_index(course))
        end_trial(course);
    else
        begin_block(course, course.current + 1);
}

void end_check(Course& course) {
    course.checked = true;
    const std::uint64_t agreed_ns = course.offered_ns.front();
    if (agreed_ns <= kHopelessFactor * best_ns(course)) return;
    course.tried[course.current].agreed_ns = agreed_ns;
    if (course.stage == Stage::trial)
        end_block_of_trial(course);
    else
        end_challenge(course);
}

// Those agreed on are the newest blocks of the trial.
void take_medians(Course& course) {
    const auto count = static_cast<std::uint32_t>(course.offered_ns.size());
    for (std::uint32_t i = 0; i < count; ++i)
        course.tried[course.current + 1 - count + i].agreed_ns = std::max<std::uint64_t>(course.offered_ns[i], 1);
    course.own_medians_ns.clear();
}

}  // namespace

Course make_course(const std::vector<Candidate>& candidates) {
    Course course;
    for (const Candidate& candidate : candidates) course.tried.push_back({candidate});
    begin_trial(course);
    return course;
}

Course make_settled_course(const std::vector<Candidate>& candidates, std::uint32_t index) {
    Course course;
    for (const Candidate& candidate : candidates) course.tried.push_back({candidate});
    course.challenger = index;
    settle(course, index);
    // The table's word is to be measured soon.
    course.watch_every_calls = kLeastWatchCalls;
    await_watch(course);
    return course;
}

void note(Course& course, std::uint64_t elapsed_ns) {
    ++course.calls_in_block;
    const bool warm_up = course.stage != Stage::settled && course.calls_in_block <= warm_ups(course);
    // Of a slow call the warm-up tells enough to see that a candidate is hopeless: the shorter of two counts.
    if (warm_up && !is_slow(course)) return;
    if (course.calls_in_block == 2 && warm_ups(course) == 1 && is_slow(course) && course.stage != Stage::settled) {
        course.offered_ns.assign(1, std::min(course.elapsed_ns[0], elapsed_ns));
        course.timed = 0;
    }
    course.elapsed_ns[course.timed++] = elapsed_ns;
}

std::span<std::uint64_t> to_agree(Course& course) {
    if (course.unwatched_calls != 0) return {};
    if (check_is_due(course)) return course.offered_ns;
    if (course.timed < timed_calls(course)) return {};
    if (course.stage != Stage::trial) {
        course.offered_ns.assign(1, median(course));
        return course.offered_ns;
    }
    course.own_medians_ns.push_back(median(course));
    if (!is_first_block(course) && !is_slow(course) && course.current != own_index(course)) {
        begin_block(course, course.current + 1);
        return {};
    }
    course.offered_ns = course.own_medians_ns;
    return course.offered_ns;
}

void agreed(Course& course) {
    if (check_is_due(course)) return end_check(course);
    if (course.stage == Stage::settled) return end_watch(course, std::max<std::uint64_t>(course.offered_ns[0], 1));
    if (course.stage == Stage::challenge) {
        course.tried[course.current].agreed_ns = std::max<std::uint64_t>(course.offered_ns[0], 1);
        return end_challenge(course);
    }
    take_medians(course);
    end_block_of_trial(course);
}

void give_up(Course& course) {
    settle(course, own_index(course));
    course.unwatched_calls = std::numeric_limits<std::uint32_t>::max();
}

}  // namespace clearway
