#include "collectives/course.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace clearway {

namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

// Warm-ups and timed calls of a block. In the very first calls ranks connect that never spoke before, and TCP's windows
// begin to grow; made with the likely best candidate they are not lost.
constexpr std::uint32_t kFirstWarmUps = 6, kWarmUps = 1;
constexpr std::uint32_t kSlowCalls = 3, kFastCalls = 9;
constexpr std::uint64_t kSlow_ns = 1'000'000;  // faster calls are cheap to repeat, and noisier

// A candidate so many times slower than the best is dropped after its first calls.
constexpr std::uint64_t kHopelessFactor = 2;
constexpr std::uint32_t kCallsToCheck = 2;

// TCP's retransmission timer runs for 200 ms at least. Such a wait is a loss, and counts in full however rare it is;
// shorter outliers are other programs' doing, and the median passes over them.
constexpr std::uint64_t kStall_ns = 150'000'000;

// The MPI's own wins where it is as good within this.
constexpr std::uint64_t kTiePercent = 2;

constexpr std::uint32_t kWatchedCalls = 7;
// A watch calls the next best candidate out if the calls take so much longer than that one's did.
constexpr std::uint64_t kSlowerPercent = 125;
// The interval between watches doubles, up to this time or number of calls.
constexpr std::uint32_t kFirstWatchCalls = 8, kMostWatchCalls = 8192;
constexpr std::uint64_t kMostWatch_ns = 10'000'000'000;
constexpr std::uint32_t kSoonerAfterChange = 4;  // by so much the interval shrinks then

// Without such a reason a challenge may cost this share of the time since the one before.
constexpr std::uint64_t kChallengeShare = 400;  // one part in so many: 0.25 %
constexpr std::uint64_t kUnknownFactor = 10;    // by which a candidate never measured may be slower
constexpr std::uint64_t kLeastChallengeCalls = 1000;
constexpr std::uint32_t kMostChallengeDoublings = 6;

std::uint32_t own_index(const Course& course) { return static_cast<std::uint32_t>(course.tried.size() - 1); }

bool is_first_block(const Course& course) { return course.stage == Stage::trial && course.current == 0; }

// Agreed time to hold the present block against; 0 where nothing is known.
std::uint64_t best_ns(const Course& course) {
    if (course.stage != Stage::trial) return course.settled_ns;
    std::uint64_t best = kNever;
    for (std::uint32_t i = 0; i < course.current; ++i) best = std::min(best, course.tried[i].agreed_ns);
    return course.current == 0 ? 0 : best;
}

std::uint32_t warm_ups(const Course& course) {
    if (course.stage == Stage::settled) return 0;
    return is_first_block(course) ? kFirstWarmUps : kWarmUps;
}

std::uint32_t timed_calls(const Course& course) {
    if (course.stage == Stage::settled) return kWatchedCalls;
    return is_first_block(course) || best_ns(course) >= kSlow_ns ? kSlowCalls : kFastCalls;
}

std::uint64_t figure_of_block(const Course& course) {
    auto sorted = course.elapsed_ns;
    const auto begin = sorted.begin() + warm_ups(course);
    const auto end = sorted.begin() + course.calls_in_block;
    std::sort(begin, end);
    const std::uint64_t median = begin[(end - begin) / 2];
    std::uint64_t stalls = 0;
    for (auto each = begin; each != end; ++each)
        if (*each >= median + kStall_ns) stalls += *each - median;
    return median + stalls / static_cast<std::uint64_t>(end - begin);
}

void begin_block(Course& course, std::uint32_t candidate) {
    course.current = candidate;
    course.calls_in_block = 0;
    course.checked = is_first_block(course) || course.stage == Stage::settled;
}

std::uint32_t longest_watch(const Course& course) {
    const std::uint64_t calls = std::bit_floor(kMostWatch_ns / std::max<std::uint64_t>(course.settled_ns, 1) + 1);
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(calls, kFirstWatchCalls, kMostWatchCalls));
}

void await_watch(Course& course) {
    begin_block(course, course.settled_on);
    course.unwatched_calls = course.watch_every_calls - kWatchedCalls;
}

void settle(Course& course, std::uint32_t index, std::uint32_t watch_every_calls) {
    course.stage = Stage::settled;
    course.settled_on = index;
    course.settled_ns = course.tried[index].agreed_ns;
    course.watch_every_calls = std::max(watch_every_calls, kFirstWatchCalls);
    course.calls_since_challenge = 0;
    await_watch(course);
}

std::uint32_t best_of_trial(const Course& course) {
    const std::uint32_t own = own_index(course);
    std::uint32_t best = own;
    for (std::uint32_t i = 0; i < own; ++i)
        if (course.tried[i].agreed_ns < course.tried[best].agreed_ns) best = i;
    const std::uint64_t own_ns = course.tried[own].agreed_ns;
    return own_ns * 100 <= course.tried[best].agreed_ns * (100 + kTiePercent) ? own : best;
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
    return std::max(calls, kLeastChallengeCalls) << std::min(course.idle_challenges, kMostChallengeDoublings);
}

void begin_challenge(Course& course, std::uint32_t challenger) {
    course.stage = Stage::challenge;
    ++course.challenges;
    begin_block(course, challenger);
}

// The fastest but for the present one, as last measured.
std::uint32_t second_best(const Course& course) {
    std::uint32_t best = course.settled_on;
    for (std::uint32_t i = 0; i < course.tried.size(); ++i) {
        if (i == course.settled_on || course.tried[i].agreed_ns == 0) continue;
        if (best == course.settled_on || course.tried[i].agreed_ns < course.tried[best].agreed_ns) best = i;
    }
    return best;
}

// Calls out the next best candidate if the present one has become slower than that one was. Other traffic slows all of
// them alike: then one after the other is called out, and from there on its own figure tells that it is no better.
bool challenge_for_cause(Course& course) {
    const std::uint32_t second = second_best(course);
    const std::uint64_t second_ns = course.tried[second].agreed_ns;
    if (second == course.settled_on || course.settled_ns * 100 <= second_ns * kSlowerPercent) return false;
    begin_challenge(course, second);
    return true;
}

bool challenge_in_turn(Course& course) {
    const std::uint32_t next = next_challenger(course);
    if (next == course.settled_on || course.calls_since_challenge < calls_before_challenge(course, next)) return false;
    course.calls_since_challenge = 0;
    course.challenger = next;
    ++course.idle_challenges;
    begin_challenge(course, next);
    return true;
}

void end_challenge(Course& course) {
    const std::uint64_t challenger_ns = course.tried[course.current].agreed_ns;
    const bool won = challenger_ns * 100 < course.settled_ns * (100 - kTiePercent);
    if (won) return settle(course, course.current, course.watch_every_calls / kSoonerAfterChange);
    course.stage = Stage::settled;
    if (!challenge_for_cause(course)) await_watch(course);
}

void end_watch(Course& course, std::uint64_t agreed_ns) {
    course.calls_since_challenge += course.watch_every_calls;
    course.settled_ns = course.tried[course.settled_on].agreed_ns = agreed_ns;
    course.watch_every_calls = std::min(2 * course.watch_every_calls, longest_watch(course));
    if (!challenge_for_cause(course) && !challenge_in_turn(course)) await_watch(course);
}

void end_block_of_trial(Course& course) {
    if (course.current != own_index(course)) return begin_block(course, course.current + 1);
    const std::uint32_t best = best_of_trial(course);
    course.challenger = best;
    settle(course, best, kFirstWatchCalls);
}

}  // namespace

Course make_course(const std::vector<Candidate>& candidates) {
    Course course;
    for (const Candidate& candidate : candidates) course.tried.push_back({candidate});
    begin_block(course, 0);
    return course;
}

Course make_settled_course(const std::vector<Candidate>& candidates, std::uint32_t index) {
    Course course;
    for (const Candidate& candidate : candidates) course.tried.push_back({candidate});
    course.challenger = index;
    settle(course, index, kFirstWatchCalls);
    return course;
}

bool note(Course& course, std::uint64_t elapsed_ns) {
    course.elapsed_ns[course.calls_in_block++] = elapsed_ns;
    if (!course.checked && course.calls_in_block == kCallsToCheck) {
        course.offered_ns = std::min(course.elapsed_ns[0], course.elapsed_ns[1]);
        return true;
    }
    if (course.calls_in_block < warm_ups(course) + timed_calls(course)) return false;
    course.offered_ns = figure_of_block(course);
    return true;
}

void agreed(Course& course) {
    const std::uint64_t agreed_ns = std::max<std::uint64_t>(course.offered_ns, 1);
    if (course.stage == Stage::settled) return end_watch(course, agreed_ns);
    if (!course.checked && course.calls_in_block == kCallsToCheck) {
        course.checked = true;
        if (agreed_ns <= kHopelessFactor * best_ns(course)) return;
    }
    course.tried[course.current].agreed_ns = agreed_ns;
    if (course.stage == Stage::trial)
        end_block_of_trial(course);
    else
        end_challenge(course);
}

void give_up(Course& course) {
    settle(course, own_index(course), kFirstWatchCalls);
    course.unwatched_calls = std::numeric_limits<std::uint32_t>::max();
}

}  // namespace clearway
