#include "collectives/trial.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "collectives/trial_cost.hpp"

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

bool is_slow(const Trial& trial) { return trial.leader_ns >= kSlow_ns; }

std::uint64_t figure_of_block(const Trial& trial) {
    auto sorted = trial.elapsed_ns;
    const auto begin = sorted.begin() + trial.warm_ups;
    const auto end = sorted.begin() + trial.calls_in_block;
    std::sort(begin, end);
    const std::uint64_t median = begin[(end - begin) / 2];
    std::uint64_t stalls = 0;
    for (auto each = begin; each != end; ++each)
        if (*each >= median + kStall_ns) stalls += *each - median;
    return median + stalls / static_cast<std::uint64_t>(end - begin);
}

void begin_block(Trial& trial, std::uint32_t candidate, std::uint32_t warm_ups, std::uint32_t timed_calls) {
    trial.current = candidate;
    trial.warm_ups = warm_ups;
    trial.block_calls = warm_ups + timed_calls;
    trial.calls_in_block = 0;
}

void count_calls_of_trial(Trial& trial, std::uint32_t calls) { trial.tried[trial.current].trial_calls += calls; }

std::uint32_t longest_watch(const Trial& trial) {
    const std::uint64_t calls = std::bit_floor(kMostWatch_ns / std::max<std::uint64_t>(trial.leader_ns, 1) + 1);
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(calls, kFirstWatchCalls, kMostWatchCalls));
}

// With the leader for so many calls, of which the last ones are watched.
void lead_for(Trial& trial, std::uint32_t calls) {
    const std::uint32_t watched = std::min(calls - 1, kWatchedCalls);
    trial.stage = Stage::leading;
    begin_block(trial, trial.leader, 0, watched);
    trial.unwatched_calls = calls - watched;
    if (!is_over(trial)) count_calls_of_trial(trial, trial.unwatched_calls);
}

void await_watch(Trial& trial) {
    std::uint32_t calls = trial.watch_every_calls;
    if (const auto next = next_look(trial); next && next->calls < calls)
        calls = std::max(static_cast<std::uint32_t>(next->calls), is_slow(trial) ? kLeastSlowCalls : kFirstWatchCalls);
    trial.calls_since_challenge += calls;
    lead_for(trial, calls);
}

void lead(Trial& trial, std::uint32_t index, std::uint32_t watch_every_calls) {
    trial.tried[trial.leader].looks_left = trial.tried[index].looks_left = 0;
    trial.leader = index;
    trial.leader_ns = trial.tried[index].agreed_ns;
    trial.watch_every_calls = std::max(watch_every_calls, kFirstWatchCalls);
    trial.calls_since_challenge = 0;
}

void look_at(Trial& trial, std::uint32_t index) {
    if (is_over(trial)) ++trial.challenges;
    trial.stage = Stage::looking;
    begin_block(trial, index, kLookWarmUps, is_slow(trial) ? kSlowCalls : kFastCalls);
}

// Whether ranks agree on a call in the middle of a look, to end it early.
bool is_checked_now(const Trial& trial) {
    if (trial.stage != Stage::looking || trial.calls_in_block == trial.block_calls) return false;
    return trial.calls_in_block == 2 || (trial.calls_in_block == 1 && is_slow(trial));
}

bool is_lost(const Trial& trial, std::uint64_t agreed_ns) {
    const std::uint64_t percent = is_slow(trial) ? kLostPercent : kLostByFastPercent;
    if (agreed_ns * 100 <= trial.leader_ns * percent) return false;
    return trial.calls_in_block != 1 || agreed_ns - trial.leader_ns >= kCollapse_ns;
}

// The one after the last challenger, in turn. Of those a table passed over only the MPI's own has to prove itself.
std::uint32_t next_challenger(const Trial& trial) {
    const auto count = static_cast<std::uint32_t>(trial.tried.size());
    for (std::uint32_t step = 1; step <= count; ++step) {
        const std::uint32_t index = (trial.challenger + step) % count;
        const bool known = trial.tried[index].agreed_ns != 0 || index == own_index(trial);
        if (index != trial.leader && known) return index;
    }
    return trial.leader;
}

// After how many calls since the last challenge this one's expected cost is small.
std::uint64_t calls_before_challenge(const Trial& trial, std::uint32_t challenger) {
    const std::uint64_t usual_ns = std::max<std::uint64_t>(trial.leader_ns, 1);
    const std::uint64_t said_ns = trial.tried[challenger].agreed_ns;
    const std::uint64_t expected_ns = said_ns != 0 ? said_ns : kUnknownFactor * usual_ns;
    const std::uint64_t extra_ns = expected_ns > usual_ns ? expected_ns - usual_ns : 0;
    const std::uint64_t calls = kCallsOfChallenge * kChallengeShare * (extra_ns / usual_ns + 1);
    return std::max(calls, kLeastChallengeCalls) << std::min(trial.idle_challenges, kMostChallengeDoublings);
}

// The fastest but for the present one, as last measured.
std::uint32_t second_best(const Trial& trial) {
    std::uint32_t best = trial.leader;
    for (std::uint32_t i = 0; i < trial.tried.size(); ++i) {
        if (i == trial.leader || trial.tried[i].agreed_ns == 0) continue;
        if (best == trial.leader || trial.tried[i].agreed_ns < trial.tried[best].agreed_ns) best = i;
    }
    return best;
}

// Looks at the next best candidate if the present one has become slower than that one was. Other traffic slows all of
// them alike: then one after the other is looked at, and from there on its own figure tells that it is no better.
bool look_for_cause(Trial& trial) {
    const std::uint32_t second = second_best(trial);
    const std::uint64_t second_ns = trial.tried[second].agreed_ns;
    const std::uint64_t percent = trial.is_new_leader ? kSlowerOfNewPercent : kSlowerPercent;
    if (second == trial.leader || trial.leader_ns * 100 <= second_ns * percent) return false;
    look_at(trial, second);
    return true;
}

bool look_for_trial(Trial& trial) {
    const auto next = next_look(trial);
    if (!next || next->calls != 0) return false;
    look_at(trial, next->index);
    return true;
}

bool look_in_turn(Trial& trial) {
    const std::uint32_t next = next_challenger(trial);
    if (next == trial.leader || trial.calls_since_challenge < calls_before_challenge(trial, next)) return false;
    trial.calls_since_challenge = 0;
    trial.challenger = next;
    ++trial.idle_challenges;
    look_at(trial, next);
    return true;
}

bool beats_leader(const Trial& trial, std::uint32_t index) {
    const std::uint64_t time_ns = trial.tried[index].agreed_ns * 100;
    if (index == own_index(trial)) return time_ns <= trial.leader_ns * (100 + kTiePercent);
    return time_ns < trial.leader_ns * (100 - (trial.leader == own_index(trial) ? kTiePercent : kBetterPercent));
}

void end_look(Trial& trial, bool is_lost) {
    Tried& way = trial.tried[trial.current];
    // What lost by one or two calls gets another chance; what had all its calls has shown what it is.
    way.looks_left = is_lost && way.looks_left > 1 ? 1 : 0;
    if (!is_lost && beats_leader(trial, trial.current)) {
        lead(trial, trial.current, trial.watch_every_calls / kSoonerAfterChange);
        trial.is_new_leader = true;
        return await_watch(trial);
    }
    trial.stage = Stage::leading;
    if (!look_for_cause(trial)) await_watch(trial);
}

void end_watch(Trial& trial, std::uint64_t agreed_ns) {
    const bool is_first = trial.leader_ns == 0;
    trial.leader_ns = trial.tried[trial.leader].agreed_ns = agreed_ns;
    if (!is_first) trial.watch_every_calls = std::min(2 * trial.watch_every_calls, longest_watch(trial));
    const bool is_doubtful = look_for_cause(trial);
    trial.is_new_leader = false;
    if (!is_doubtful && !look_for_trial(trial) && !look_in_turn(trial)) await_watch(trial);
}

Trial trial_of(const std::vector<schedule::Candidate>& candidates, std::uint32_t first) {
    Trial trial;
    for (const schedule::Candidate& candidate : candidates) trial.tried.push_back({candidate});
    trial.challenger = first;
    lead(trial, first, kFirstWatchCalls);
    return trial;
}

}  // namespace

Trial make_trial(const std::vector<schedule::Candidate>& candidates, const Outlook& outlook) {
    Trial trial = trial_of(candidates, outlook.first);
    trial.own_may_jam = outlook.may_jam;
    trial.began = outlook.began;
    for (std::size_t i = 0; i < trial.tried.size(); ++i) {
        trial.tried[i].looks_left = i == outlook.first ? 0 : 2;
        if (i < outlook.expected_percent.size()) trial.tried[i].expected_percent = outlook.expected_percent[i];
    }
    begin_block(trial, trial.leader, kFirstWarmUps, kFirstCalls);
    return trial;
}

Trial make_settled_trial(const std::vector<schedule::Candidate>& candidates, std::uint32_t index) {
    Trial trial = trial_of(candidates, index);
    trial.began = Beginning::table;
    lead_for(trial, kFirstWatchCalls);
    return trial;
}

bool note(Trial& trial, std::uint64_t elapsed_ns) {
    trial.elapsed_ns[trial.calls_in_block++] = elapsed_ns;
    if (!is_over(trial)) count_calls_of_trial(trial, 1);
    if (is_checked_now(trial)) {
        trial.offered_ns = *std::min_element(trial.elapsed_ns.begin(), trial.elapsed_ns.begin() + trial.calls_in_block);
        return true;
    }
    if (trial.calls_in_block < trial.block_calls) return false;
    trial.offered_ns = figure_of_block(trial);
    return true;
}

void agreed(Trial& trial) {
    const std::uint64_t agreed_ns = std::max<std::uint64_t>(trial.offered_ns, 1);
    if (trial.stage == Stage::leading) return end_watch(trial, agreed_ns);
    const bool is_whole = trial.calls_in_block == trial.block_calls;
    if (!is_whole && !is_lost(trial, agreed_ns)) return;
    trial.tried[trial.current].agreed_ns = agreed_ns;
    end_look(trial, !is_whole);
}

void give_up(Trial& trial) {
    lead(trial, own_index(trial), kFirstWatchCalls);
    for (Tried& way : trial.tried) way.looks_left = 0;
    lead_for(trial, kFirstWatchCalls);
    trial.unwatched_calls = std::numeric_limits<std::uint32_t>::max();
}

}  // namespace clearway::collectives
