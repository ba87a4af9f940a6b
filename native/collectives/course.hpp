// One (communicator, operation, size): which ways are tried in which calls, which one is settled on, and when to look
// again. All of it follows from call counts and from figures that all ranks agreed on, so every rank decides alike;
// nothing here communicates or reads a clock.
//
// A course begins with a trial of all candidates, settles on the best, and watches it: a few calls are timed, at longer
// and longer intervals. If they take longer than another candidate once did, that one is called out; a challenge is a
// block of calls with it, and the better one stays. Now and then there is a challenge without such a reason, for what
// was slow in the trial may have become fast.
//
// A trial runs candidate after candidate, not interleaved: after a way that lost packets TCP's windows stay small for a
// while, which would spoil whatever came next. For the same reason the MPI's own comes last.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "collectives/candidate.hpp"

namespace clearway {

struct FlowCell;

struct Tried {
    Candidate candidate;
    std::uint64_t agreed_ns = 0;  // of a call: the median of a few, on the slowest rank; 0: never measured
    FlowCell* cell = nullptr;     // where it is written down; null: nowhere
};

enum class Stage : std::uint8_t {
    trial,      // each candidate in turn
    settled,    // on one
    challenge,  // one other candidate, to see whether it has become the better one
};

inline constexpr std::uint32_t kMostBlockCalls = 10;  // with its warm-ups

struct Course {
    Stage stage = Stage::trial;
    std::uint32_t current = 0;          // index of the candidate of the next call
    std::uint32_t unwatched_calls = 0;  // to come, of which nobody need know how long they take
    std::vector<Tried> tried;           // the MPI's own last

    // The present block: calls in a row with one candidate, the first of them to warm up.
    std::uint32_t calls_in_block = 0;
    std::array<std::uint64_t, kMostBlockCalls> elapsed_ns{};
    bool checked = false;          // that its candidate is not hopeless
    std::uint64_t offered_ns = 0;  // this rank's figure; after the agreement that of the slowest

    // After settling.
    std::uint32_t settled_on = 0;
    std::uint64_t settled_ns = 0;         // what a call took when last watched; 0: not known yet
    std::uint32_t watch_every_calls = 0;  // one watch in so many calls
    std::uint32_t challenges = 0;
    // Challenges without a reason, now and then, each candidate in turn.
    std::uint64_t calls_since_challenge = 0;
    std::uint32_t idle_challenges = 0;
    std::uint32_t challenger = 0;  // the last one
};

// Candidates with the MPI's own last; begins with a trial.
Course make_course(const std::vector<Candidate>& candidates);

// Begins settled on candidate `index`, of which a table says that it is the best.
Course make_settled_course(const std::vector<Candidate>& candidates, std::uint32_t index);

// A watched call with the present candidate took so long here. True where `offered_ns` is to be replaced by its largest
// value over all ranks, and `agreed` to be called, before the next call.
bool note(Course& course, std::uint64_t elapsed_ns);

void agreed(Course& course);

// For good the MPI's own, unwatched: where no agreement is to be had.
void give_up(Course& course);

}  // namespace clearway
