#include "collectives/trial_cost.hpp"

#include <algorithm>

namespace clearway::collectives {

namespace {

// A look may begin when what was lost so far, and what it is expected to lose, are less than one part in so many of the
// time so far. The first look at the MPI's own is worth most: it tells whether there is anything to cure. A way that is
// known to be slower is looked at for the sake of certainty only.
constexpr std::uint64_t kShareOfOwn = 8, kShareOfOthers = 20, kShareOfKnown = 50;
constexpr std::uint64_t kFree_ns = 2'000'000;  // nobody misses so little

// What a way is expected to lose in a look, of a call's time: ours, the more the further down the list it stands, and
// the MPI's own where nothing can jam.
constexpr std::uint64_t kUnknownPercent = 50, kUnknownOwnPercent = 25;
constexpr std::uint64_t kJam_ns = 200'000'000;  // TCP's retransmission timer; in longer calls jams last as long as they

bool is_undecided(const Trial& trial, std::uint32_t index) {
    return index != trial.leader && trial.tried[index].looks_left != 0;
}

std::uint64_t above(std::uint64_t time_ns, std::uint64_t best_ns) { return time_ns > best_ns ? time_ns - best_ns : 0; }

struct Price {
    std::uint64_t expected_ns, share;
};

Price price_of_look(const Trial& trial, std::uint32_t index) {
    const Tried& way = trial.tried[index];
    const std::uint64_t call_ns = trial.leader_ns;
    if (way.agreed_ns != 0) return {above(way.agreed_ns, call_ns), kShareOfKnown};
    if (way.expected_percent != 0) return {call_ns * above(way.expected_percent, 100) / 100, kShareOfKnown};
    if (index != own_index(trial)) return {call_ns * kUnknownPercent * (index + 1) / 100, kShareOfOthers};
    return {trial.own_may_jam ? std::max(kJam_ns, call_ns) : call_ns * kUnknownOwnPercent / 100, kShareOfOwn};
}

std::uint64_t time_of_trial_ns(const Trial& trial) {
    std::uint64_t sum = 0;
    for (const Tried& way : trial.tried) sum += way.trial_calls * way.agreed_ns;
    return sum;
}

std::uint64_t calls_before_look(const Trial& trial, std::uint32_t index) {
    const Price price = price_of_look(trial, index);
    const std::uint64_t wanted_ns = above(regret_ns(trial) + price.expected_ns, kFree_ns) * price.share;
    return above(wanted_ns, time_of_trial_ns(trial)) / std::max<std::uint64_t>(trial.leader_ns, 1);
}

}  // namespace

bool is_over(const Trial& trial) {
    for (std::uint32_t i = 0; i < trial.tried.size(); ++i)
        if (is_undecided(trial, i)) return false;
    return true;
}

std::optional<NextLook> next_look(const Trial& trial) {
    std::optional<NextLook> next;
    // From the MPI's own down: where several can be paid for, that one matters most.
    for (std::uint32_t step = 0; step < trial.tried.size(); ++step) {
        const std::uint32_t index = step == 0 ? own_index(trial) : step - 1;
        if (!is_undecided(trial, index)) continue;
        const std::uint64_t calls = calls_before_look(trial, index);
        if (!next || calls < next->calls) next = NextLook{index, calls};
    }
    return next;
}

std::uint64_t regret_ns(const Trial& trial) {
    const std::uint64_t best_ns = trial.tried[trial.leader].agreed_ns;
    std::uint64_t sum = 0;
    for (const Tried& way : trial.tried) sum += way.trial_calls * above(way.agreed_ns, best_ns);
    return sum;
}

std::uint64_t calls_elsewhere(const Trial& trial) {
    std::uint64_t sum = 0;
    for (const Tried& way : trial.tried) sum += way.trial_calls;
    return sum - trial.tried[trial.leader].trial_calls;
}

}  // namespace clearway::collectives
