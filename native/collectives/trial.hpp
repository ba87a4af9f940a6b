// What is known of the ways of one (communicator, operation, size): which are tried in which calls, which one is the
// way of the others, and when to look again. All of it follows from call counts and from figures that all ranks agreed
// on, so every rank decides alike; nothing here communicates or reads a clock.
//
// A trial begins with the way that is likely best, and keeps to the leader, the best way known. Every now and then a
// few of its calls are watched. A look is a block of calls with another way; the better one leads from then on. A look
// ends with the first call that shows that there is nothing to win.
//
// There are looks of three kinds. At first every way gets one, and those that lost by one or two calls a second, which
// may have been an accident; then the trial is over. These looks wait until they can be paid for: what the trial took
// above the leader's time, and what the look is expected to add, stay below a share of the time so far
// (trial_cost.cpp). Looks for cause: the leader has become slower than another way was. Looks in turn: what was slow
// may have become fast.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "schedule/candidate.hpp"

namespace clearway {
struct FlowCell;
struct FlowTrial;
}  // namespace clearway

namespace clearway::collectives {

struct Tried {
    schedule::Candidate candidate;
    std::uint64_t agreed_ns = 0;         // of a call: the median of a few, on the slowest rank; 0: never measured
    std::uint64_t trial_calls = 0;       // made this way before the trial was over
    std::uint32_t expected_percent = 0;  // of the leader's time, from an earlier job; 0: nothing is expected
    std::uint8_t looks_left = 0;         // before the trial is over
    FlowCell* cell = nullptr;            // where it is written down; null: nowhere
};

enum class Beginning : std::uint8_t { guess, earlier_job, table };

// What is thought of a trial's ways before any of them was called.
struct Outlook {
    Beginning began = Beginning::guess;
    std::uint32_t first = 0;                      // index of the likely best one
    bool may_jam = false;                         // the MPI's own: what it sends at once is more than a port may hold
    std::vector<std::uint32_t> expected_percent;  // as in Tried; empty: no earlier job is known
};

enum class Stage : std::uint8_t { leading, looking };

inline constexpr std::uint32_t kMostBlockCalls = 10;  // with its warm-ups

struct Trial {
    Stage stage = Stage::leading;
    std::uint32_t current = 0;          // index of the candidate of the next call
    std::uint32_t unwatched_calls = 0;  // to come, of which nobody need know how long they take
    std::vector<Tried> tried;           // the MPI's own last
    FlowTrial* record = nullptr;        // where its cost is written down; null: nowhere
    bool own_may_jam = false;
    Beginning began = Beginning::guess;

    // The present block: calls in a row with one candidate, the first `warm_ups` of them not counted.
    std::uint32_t warm_ups = 0, block_calls = 0, calls_in_block = 0;
    std::array<std::uint64_t, kMostBlockCalls> elapsed_ns{};
    std::uint64_t offered_ns = 0;  // this rank's figure; after the agreement that of the slowest

    std::uint32_t leader = 0;
    bool is_new_leader = false;           // since the last watch
    std::uint64_t leader_ns = 0;          // what a call took when last watched; 0: not known yet
    std::uint32_t watch_every_calls = 0;  // one watch in so many calls
    std::uint32_t challenges = 0;         // looks after it was over
    // Looks in turn.
    std::uint64_t calls_since_challenge = 0;
    std::uint32_t idle_challenges = 0;
    std::uint32_t challenger = 0;  // the last one
};

// The candidate that is the MPI's own.
inline std::uint32_t own_index(const Trial& trial) { return static_cast<std::uint32_t>(trial.tried.size() - 1); }

// Candidates with the MPI's own last.
Trial make_trial(const std::vector<schedule::Candidate>& candidates, const Outlook& outlook);

// Begins with candidate `index`, of which a table says that it is the best: the trial is over.
Trial make_settled_trial(const std::vector<schedule::Candidate>& candidates, std::uint32_t index);

// A watched call with the present candidate took so long here. True where `offered_ns` is to be replaced by its largest
// value over all ranks, and `agreed` to be called, before the next call.
bool note(Trial& trial, std::uint64_t elapsed_ns);

void agreed(Trial& trial);

// For good the MPI's own, unwatched: where no agreement is to be had.
void give_up(Trial& trial);

}  // namespace clearway::collectives
