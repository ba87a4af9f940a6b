#include "collectives/course.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "collectives/trial.hpp"

namespace clearway::collectives {

namespace {

// In the very first calls ranks connect that never spoke before, and TCP's windows begin to grow; made with the likely
// best way they are not lost.
constexpr std::uint32_t kFirstWarmUps = 2, kFirstCalls = 3;
constexpr std::uint32_t kLookWarmUps = 1, kSlowCalls = 3, kFastCalls = 9;

// A look ends after its first call if that took so much longer than the leader's do, as a call does that lost packets;
// a short outlier may be another program's doing. After two calls the better one tells.
constexpr std::uint64_t kLostPercent = 150, kLostByFastPercent = 200;
constexpr std::uint64_t kCollapse_ns = 30'000'000;

// TCP's retransmission timer runs for 200 ms at least, or for 40 where --flow could say so. Such a wait is a loss, and
// counts in full however rare it is; shorter outliers are other programs' doing, and the median passes over them.
constexpr std::uint64_t kStall_ns = kCollapse_ns;

// The MPI's own wins where it is as good within this. Another way of ours must be better than the one that leads by
// more than a few calls' noise.
constexpr std::uint64_t kTiePercent = 2, kBetterPercent = 5;

constexpr std::uint32_t kWatchedCalls = 7;
constexpr std::uint32_t kLeastSlowCalls = 4;  // between looks: TCP recovers in the first, three are watched
// A watch calls the next best candidate out if the calls take so much longer than that one's did.
constexpr std::uint64_t kSlowerPercent = 125;
constexpr std::uint64_t kSlowerOfNewPercent = 108;  // one that came to lead by a few lucky calls is soon found out
// The interval between watches doubles, up to this time or number of calls.
constexpr std::uint32_t kFirstWatchCalls = 8, kMostWatchCalls = 8192;
constexpr std::uint64_t kMostWatch_ns = 10'000'000'000;
constexpr std::uint32_t kSoonerAfterChange = 4;  // by so much the interval shrinks then

// Without such a reason a challenge may cost this share of the time since the one before.
constexpr std::uint64_t kChallengeShare = 400;  // one part in so many: 0.25 %
constexpr std::uint64_t kUnknownFactor = 10;    // by which a candidate never measured may be slower
constexpr std::uint64_t kLeastChallengeCalls = 1000;
constexpr std::uint32_t kCallsOfChallenge = 2;
constexpr std::uint32_t kMostChallengeDoublings = 6;

std::uint32_t own_index(const Course& course) { return static_cast<std::uint32_t>(course.tried.size() - 1); }

bool is_slow(const Course& course) { return course.leader_ns >= kSlow_ns; }

std::uint64_t figure_of_block(const Course& course) {
    auto sorted = course.elapsed_ns;
    const auto begin = sorted.begin() + course.warm_ups;
    const auto end = sorted.begin() + course.calls_in_block;
    std::sort(begin, end);
    const std::uint64_t median = begin[(end - begin) / 2];
    std::uint64_t stalls = 0;
    for (auto each = begin; each != end; ++each)
        if (*each >= median + kStall_ns) stalls += *each - median;
    return median + stalls / static_cast<std::uint64_t>(end - begin);
}

void begin_block(Course& course, std::uint32_t candidate, std::uint32_t warm_ups, std::uint32_t timed_calls) {
    course.current = candidate;
    course.warm_ups = warm_ups;
    course.block_calls = warm_ups + timed_calls;
    course.calls_in_block = 0;
}

void count_calls_of_trial(Course& course, std::uint32_t calls) { course.tried[course.current].trial_calls += calls; }

std::uint32_t longest_watch(const Course& course) {
    const std::uint64_t calls = std::bit_floor(kMostWatch_ns / std::max<std::uint64_t>(course.leader_ns, 1) + 1);
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(calls, kFirstWatchCalls, kMostWatchCalls));
}

// With the leader for so many calls, of which the last ones are watched.
void lead_for(Course& course, std::uint32_t calls) {
    const std::uint32_t watched = std::min(calls - 1, kWatchedCalls);
    course.stage = Stage::leading;
    begin_block(course, course.leader, 0, watched);
    course.unwatched_calls = calls - watched;
    if (is_in_trial(course)) count_calls_of_trial(course, course.unwatched_calls);
}

void await_watch(Course& course) {
    std::uint32_t calls = course.watch_every_calls;
    if (const auto next = next_look(course); next && next->calls < calls)
        calls = std::max(static_cast<std::uint32_t>(next->calls), is_slow(course) ? kLeastSlowCalls : kFirstWatchCalls);
    course.calls_since_challenge += calls;
    lead_for(course, calls);
}

void lead(Course& course, std::uint32_t index, std::uint32_t watch_every_calls) {
    course.tried[course.leader].looks_left = course.tried[index].looks_left = 0;
    course.leader = index;
    course.leader_ns = course.tried[index].agreed_ns;
    course.watch_every_calls = std::max(watch_every_calls, kFirstWatchCalls);
    course.calls_since_challenge = 0;
}

void look_at(Course& course, std::uint32_t index) {
    if (!is_in_trial(course)) ++course.challenges;
    course.stage = Stage::looking;
    begin_block(course, index, kLookWarmUps, is_slow(course) ? kSlowCalls : kFastCalls);
}

// Whether ranks agree on a call in the middle of a look, to end it early.
bool is_checked_now(const Course& course) {
    if (course.stage != Stage::looking || course.calls_in_block == course.block_calls) return false;
    return course.calls_in_block == 2 || (course.calls_in_block == 1 && is_slow(course));
}

bool is_lost(const Course& course, std::uint64_t agreed_ns) {
    const std::uint64_t percent = is_slow(course) ? kLostPercent : kLostByFastPercent;
    if (agreed_ns * 100 <= course.leader_ns * percent) return false;
    return course.calls_in_block != 1 || agreed_ns - course.leader_ns >= kCollapse_ns;
}

// The one after the last challenger, in turn. Of those a table passed over only the MPI's own has to prove itself.
std::uint32_t next_challenger(const Course& course) {
    const auto count = static_cast<std::uint32_t>(course.tried.size());
    for (std::uint32_t step = 1; step <= count; ++step) {
        const std::uint32_t index = (course.challenger + step) % count;
        const bool known = course.tried[index].agreed_ns != 0 || index == own_index(course);
        if (index != course.leader && known) return index;
    }
    return course.leader;
}

// After how many calls since the last challenge this one's expected cost is small.
std::uint64_t calls_before_challenge(const Course& course, std::uint32_t challenger) {
    const std::uint64_t usual_ns = std::max<std::uint64_t>(course.leader_ns, 1);
    const std::uint64_t said_ns = course.tried[challenger].agreed_ns;
    const std::uint64_t expected_ns = said_ns != 0 ? said_ns : kUnknownFactor * usual_ns;
    const std::uint64_t extra_ns = expected_ns > usual_ns ? expected_ns - usual_ns : 0;
    const std::uint64_t calls = kCallsOfChallenge * kChallengeShare * (extra_ns / usual_ns + 1);
    return std::max(calls, kLeastChallengeCalls) << std::min(course.idle_challenges, kMostChallengeDoublings);
}

// The fastest but for the present one, as last measured.
std::uint32_t second_best(const Course& course) {
    std::uint32_t best = course.leader;
    for (std::uint32_t i = 0; i < course.tried.size(); ++i) {
        if (i == course.leader || course.tried[i].agreed_ns == 0) continue;
        if (best == course.leader || course.tried[i].agreed_ns < course.tried[best].agreed_ns) best = i;
    }
    return best;
}

// Looks at the next best candidate if the present one has become slower than that one was. Other traffic slows all of
// them alike: then one after the other is looked at, and from there on its own figure tells that it is no better.
bool look_for_cause(Course& course) {
    const std::uint32_t second = second_best(course);
    const std::uint64_t second_ns = course.tried[second].agreed_ns;
    const std::uint64_t percent = course.is_new_leader ? kSlowerOfNewPercent : kSlowerPercent;
    if (second == course.leader || course.leader_ns * 100 <= second_ns * percent) return false;
    look_at(course, second);
    return true;
}

bool look_for_trial(Course& course) {
    const auto next = next_look(course);
    if (!next || next->calls != 0) return false;
    look_at(course, next->index);
    return true;
}

bool look_in_turn(Course& course) {
    const std::uint32_t next = next_challenger(course);
    if (next == course.leader || course.calls_since_challenge < calls_before_challenge(course, next)) return false;
    course.calls_since_challenge = 0;
    course.challenger = next;
    ++course.idle_challenges;
    look_at(course, next);
    return true;
}

bool beats_leader(const Course& course, std::uint32_t index) {
    const std::uint64_t time_ns = course.tried[index].agreed_ns * 100;
    if (index == own_index(course)) return time_ns <= course.leader_ns * (100 + kTiePercent);
    return time_ns < course.leader_ns * (100 - (course.leader == own_index(course) ? kTiePercent : kBetterPercent));
}

void end_look(Course& course, bool is_lost) {
    Tried& way = course.tried[course.current];
    // What lost by one or two calls gets another chance; what had all its calls has shown what it is.
    way.looks_left = is_lost && way.looks_left > 1 ? 1 : 0;
    if (!is_lost && beats_leader(course, course.current)) {
        lead(course, course.current, course.watch_every_calls / kSoonerAfterChange);
        course.is_new_leader = true;
        return await_watch(course);
    }
    course.stage = Stage::leading;
    if (!look_for_cause(course)) await_watch(course);
}

void end_watch(Course& course, std::uint64_t agreed_ns) {
    const bool is_first = course.leader_ns == 0;
    course.leader_ns = course.tried[course.leader].agreed_ns = agreed_ns;
    if (!is_first) course.watch_every_calls = std::min(2 * course.watch_every_calls, longest_watch(course));
    const bool is_doubtful = look_for_cause(course);
    course.is_new_leader = false;
    if (!is_doubtful && !look_for_trial(course) && !look_in_turn(course)) await_watch(course);
}

Course course_of(const std::vector<schedule::Candidate>& candidates, std::uint32_t first) {
    Course course;
    for (const schedule::Candidate& candidate : candidates) course.tried.push_back({candidate});
    course.challenger = first;
    lead(course, first, kFirstWatchCalls);
    return course;
}

}  // namespace

Course make_course(const std::vector<schedule::Candidate>& candidates, const Outlook& outlook) {
    Course course = course_of(candidates, outlook.first);
    course.own_may_jam = outlook.may_jam;
    course.began = outlook.began;
    for (std::size_t i = 0; i < course.tried.size(); ++i) {
        course.tried[i].looks_left = i == outlook.first ? 0 : 2;
        if (i < outlook.expected_percent.size()) course.tried[i].expected_percent = outlook.expected_percent[i];
    }
    begin_block(course, course.leader, kFirstWarmUps, kFirstCalls);
    return course;
}

Course make_settled_course(const std::vector<schedule::Candidate>& candidates, std::uint32_t index) {
    Course course = course_of(candidates, index);
    course.began = Beginning::table;
    lead_for(course, kFirstWatchCalls);
    return course;
}

bool note(Course& course, std::uint64_t elapsed_ns) {
    course.elapsed_ns[course.calls_in_block++] = elapsed_ns;
    if (is_in_trial(course)) count_calls_of_trial(course, 1);
    if (is_checked_now(course)) {
        course.offered_ns =
            *std::min_element(course.elapsed_ns.begin(), course.elapsed_ns.begin() + course.calls_in_block);
        return true;
    }
    if (course.calls_in_block < course.block_calls) return false;
    course.offered_ns = figure_of_block(course);
    return true;
}

void agreed(Course& course) {
    const std::uint64_t agreed_ns = std::max<std::uint64_t>(course.offered_ns, 1);
    if (course.stage == Stage::leading) return end_watch(course, agreed_ns);
    const bool is_over = course.calls_in_block == course.block_calls;
    if (!is_over && !is_lost(course, agreed_ns)) return;
    course.tried[course.current].agreed_ns = agreed_ns;
    end_look(course, !is_over);
}

void give_up(Course& course) {
    lead(course, own_index(course), kFirstWatchCalls);
    for (Tried& way : course.tried) way.looks_left = 0;
    lead_for(course, kFirstWatchCalls);
    course.unwatched_calls = std::numeric_limits<std::uint32_t>::max();
}

}  // namespace clearway::collectives
