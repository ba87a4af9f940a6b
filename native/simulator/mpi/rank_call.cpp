#include "simulator/mpi/rank_call.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace clearway::simulator {

namespace {

constexpr std::uint64_t kMostBytesAMessage = std::uint64_t{1} << 30;  // as in a job: MPI counts in int

// Exchanges among a power of two of ranks, words of those beyond it before, and words to them afterwards.
std::uint32_t rounds_of_doubling(std::uint32_t ranks) { return static_cast<std::uint32_t>(std::bit_width(ranks)) + 1; }

}  // namespace

Runnable make_runnable(const schedule::Problem& problem, schedule::Program program, std::uint32_t phases,
                       const schedule::Separation& separation) {
    Runnable runnable{schedule::make_runnable(std::move(program), phases, separation), {}};
    runnable.bytes.reserve(runnable.program.steps.size());
    for (const schedule::Step& step : runnable.program.steps) {
        const schedule::Range slots = step.action == schedule::Action::send ? step.reads : step.writes;
        runnable.bytes.push_back(schedule::bytes_of(problem, runnable.program, runnable.program.rank, slots));
    }
    // Simulated messages have sizes and no contents, and there may be thousands of these.
    runnable.program.slots = {};
    if (separation.gate != schedule::Gate::token) runnable.program.gives = runnable.program.needs = {};
    runnable.program.steps.shrink_to_fit();
    runnable.program.after.shrink_to_fit();
    runnable.order.waits_for.shrink_to_fit();
    return runnable;
}

RankCall::RankCall(const RankProgram& part, const Line& line)
    : StepEngine(*part.runnable, kMostBytesAMessage),
      bytes_(part.runnable->bytes),
      barrier_(*part.runnable->barrier),
      rank_(part.rank),
      ranks_(static_cast<std::uint32_t>(line.members.size())),
      turn_(part.turn),
      line_(line),
      barrier_heard_(barrier_.size() + 1 + rounds_of_doubling(ranks_), 0) {
    restart();
}

void RankCall::restart(Meeting meeting) {
    StepEngine::restart();
    meeting_ = meeting;
    began_at_ = kNever;
    leaves_heard_ = 0;
}

// make_runnable leaves a Program no leaves but where a token separates its phases.
bool RankCall::is_complete() const { return has_ended() && leaves_heard_ == program().needs.size(); }

void RankCall::heard(MessageKind kind, std::uint32_t subject) {
    if (kind == MessageKind::barrier) {
        ++barrier_heard_[subject];
    } else if (kind == MessageKind::credit) {
        take_credit(subject);
    } else {
        leave_given(subject);
        ++leaves_heard_;
    }
}

void RankCall::go_on(Picoseconds now) {
    now_ = now;
    if (!meet()) return;
    began_at_ = std::min(began_at_, now);
    StepEngine::go_on();
    give_memory_back();
}

void RankCall::send(std::uint32_t index, std::uint32_t /*chunk*/, std::uint32_t bytes) {
    line_.messages.send(now_, own(), peer_of(step(index).peer), {line_.context, index}, bytes);
}

void RankCall::receive(std::uint32_t index, std::uint32_t /*chunk*/, std::uint32_t bytes) {
    line_.messages.receive(now_, own(), peer_of(step(index).peer), {line_.context, index}, bytes);
}

void RankCall::give_leave(const schedule::Leave& leave) { tell(peer_of(leave.peer), MessageKind::leave, leave.phase); }

void RankCall::give_credit(std::uint32_t index) { tell(peer_of(step(index).peer), MessageKind::credit, rank_); }

// It is for the message to the giver that is under way: with credits there is one at a time.
void RankCall::take_credit(std::uint32_t giver) {
    const auto is_to_giver = [&](std::uint32_t index) { return turned(step(index).peer, turn_, ranks_) == giver; };
    credit_given(*std::ranges::find_if(sending(), is_to_giver));
}

// The messages of the Schedule that a call of MPI_Barrier has, as words without data. Returns whether all rounds are
// over.
bool RankCall::pass_barrier() {
    const auto rounds = static_cast<std::uint32_t>(barrier_.size());
    const auto tell_round = [&](std::uint32_t round) {
        tell(line_.members[turned(barrier_[round], {rank_}, ranks_)], MessageKind::barrier, round);
    };
    if (!is_in_barrier_) {
        is_in_barrier_ = true;
        barrier_round_ = 0;
        if (rounds > 0) tell_round(0);
    }
    while (barrier_round_ < rounds && barrier_heard_[barrier_round_] > 0) {
        --barrier_heard_[barrier_round_++];
        if (barrier_round_ < rounds) tell_round(barrier_round_);
    }
    is_in_barrier_ = barrier_round_ < rounds;
    return !is_in_barrier_;
}

// Returns whether all that comes before the call is over.
bool RankCall::meet() {
    if (meeting_.gathers_first) {
        if (!pass_barrier()) return false;
        meeting_.gathers_first = false;
    }
    if (!pass(ranks_ > 1 ? meeting_.barrier : Barrier::none)) return false;
    meeting_.barrier = Barrier::none;
    return true;
}

bool RankCall::pass(Barrier barrier) {
    switch (barrier) {
        case Barrier::none:
            return true;
        case Barrier::dissemination:
            return pass_barrier();
        case Barrier::linear:
            return pass_linear_barrier();
        case Barrier::doubling:
            return pass_doubling_barrier();
    }
    return true;
}

// As Open MPI does it (coll_base_barrier.c): a rank beyond the largest power of two tells the one that is so many
// places before it, and hears from it at last.
bool RankCall::pass_doubling_barrier() {
    const std::uint32_t paired = std::bit_floor(ranks_), last = rounds_of_doubling(ranks_) - 1;
    const bool is_beyond = rank_ >= paired, has_one_beyond = rank_ + paired < ranks_;
    const auto slot = [&](std::uint32_t round) { return static_cast<std::uint32_t>(barrier_.size()) + 1 + round; };
    const auto tell_of = [&](std::uint32_t round, std::uint32_t peer) {
        tell(line_.members[peer], MessageKind::barrier, slot(round));
    };
    const auto begin_round = [&](std::uint32_t round) {
        barrier_round_ = round;
        if (!is_beyond && round > 0 && round < last) tell_of(round, rank_ ^ (1U << (round - 1)));
    };
    if (!is_in_barrier_) {
        is_in_barrier_ = true;
        if (is_beyond) tell_of(0, rank_ - paired);
        begin_round(is_beyond ? last : has_one_beyond ? 0 : 1);
    }
    const std::uint32_t end = is_beyond ? last + 1 : last;
    while (barrier_round_ < end && barrier_heard_[slot(barrier_round_)] > 0) {
        --barrier_heard_[slot(barrier_round_)];
        begin_round(barrier_round_ + 1);
    }
    is_in_barrier_ = barrier_round_ < end;
    if (!is_in_barrier_ && has_one_beyond) tell_of(last, rank_ + paired);
    return !is_in_barrier_;
}

// Rank 0 goes on when it has told all: those hear of it a latency later.
bool RankCall::pass_linear_barrier() {
    const auto round = static_cast<std::uint32_t>(barrier_.size());
    const std::uint32_t awaited = rank_ == 0 ? ranks_ - 1 : 1;
    if (rank_ != 0 && !is_in_barrier_) tell(line_.members[0], MessageKind::barrier, round);
    is_in_barrier_ = barrier_heard_[round] < awaited;
    if (is_in_barrier_) return false;
    barrier_heard_[round] -= awaited;
    for (std::uint32_t peer = 1; rank_ == 0 && peer < ranks_; ++peer)
        tell(line_.members[peer], MessageKind::barrier, round);
    return true;
}

}  // namespace clearway::simulator
