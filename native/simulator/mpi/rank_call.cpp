#include "simulator/mpi/rank_call.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace clearway::simulator {

namespace {

using schedule::Action;
using schedule::Gate;
using schedule::Leave;

constexpr std::uint32_t kNoStep = ~std::uint32_t{0};
constexpr std::uint64_t kMostBytesAMessage = std::uint64_t{1} << 30;  // as in a job: MPI counts in int

std::vector<std::uint64_t> bytes_received_in_phase(const Runnable& runnable) {
    std::vector<std::uint64_t> bytes(runnable.phases, 0);
    for (std::size_t i = 0; i < runnable.bytes.size(); ++i)
        if (const schedule::Step& step = runnable.program.steps[i]; step.action == Action::receive)
            bytes[step.phase] += runnable.bytes[i];
    return bytes;
}

}  // namespace

Runnable make_runnable(const schedule::Problem& problem, schedule::Program program, std::uint32_t phases,
                       const schedule::Separation& separation) {
    Runnable runnable{std::move(program), {}, {}, phases, separation};
    runnable.order = order_of(runnable.program, phases);
    runnable.bytes.reserve(runnable.program.steps.size());
    for (const schedule::Step& step : runnable.program.steps) {
        const schedule::Range slots = step.action == Action::send ? step.reads : step.writes;
        runnable.bytes.push_back(schedule::bytes_of(problem, runnable.program, runnable.program.rank, slots));
    }
    // Simulated messages have sizes and no contents, and there may be thousands of these.
    runnable.program.slots = {};
    if (separation.gate != Gate::token) runnable.program.gives = runnable.program.needs = {};
    runnable.program.steps.shrink_to_fit();
    runnable.program.after.shrink_to_fit();
    runnable.order.waits_for.shrink_to_fit();
    return runnable;
}

RankCall::RankCall(const RankProgram& part, const Line& line)
    : runnable_(*part.runnable),
      rank_(part.rank),
      shift_(part.shift),
      ranks_(static_cast<std::uint32_t>(line.members.size())),
      line_(line),
      credits_(runnable_.separation, kMostBytesAMessage),
      pace_(runnable_.separation),
      barrier_heard_(ranks_ > 1 ? std::bit_width(ranks_ - 1) : 0, 0) {
    restart();
}

void RankCall::restart(bool meets_first) {
    is_meeting_ = meets_first;
    began_at_ = kNever;
    const std::size_t steps = runnable_.program.steps.size();
    if (runnable_.separation.gate == Gate::token)
        token_.emplace(runnable_.program, runnable_.separation.window_bytes, bytes_received_in_phase(runnable_));
    pace_ = schedule::Pace(runnable_.separation);
    messages_.assign(steps, {});
    granted_.assign(credits_.are_used() ? steps : 0, 0);
    waits_for_ = runnable_.order.waits_for;
    is_peer_free_.assign(steps, false);
    open_in_phase_ = runnable_.order.steps_in_phase;
    next_step_ = phase_ = leaves_heard_ = 0;
}

bool RankCall::is_complete() const {
    return phase_ == runnable_.phases && (!token_ || leaves_heard_ == runnable_.program.needs.size());
}

void RankCall::heard(Kind kind, std::uint32_t subject) {
    if (kind == Kind::barrier) {
        ++barrier_heard_[subject];
    } else if (kind == Kind::credit) {
        take_credit(subject);
    } else {
        token_->given_by_peer(subject);
        ++leaves_heard_;
    }
}

void RankCall::go_on(Picoseconds now) {
    if (is_meeting_ && !pass_barrier(now)) return;
    is_meeting_ = false;
    began_at_ = std::min(began_at_, now);
    do {
        changed_ = false;
        for (const Ended& ended : std::exchange(ended_, {})) end_chunk(now, ended);
        advance_phase(now);
        pass_leaves(now);
        start_steps(now);
        for (const std::uint32_t index : sending_) post_chunks(now, index);
        std::erase_if(sending_, [&](std::uint32_t index) { return is_posted(index); });
    } while (changed_ || !ended_.empty());
}

void RankCall::advance_phase(Picoseconds now) {
    while (phase_ < runnable_.phases && open_in_phase_[phase_] == 0) {
        const bool is_last = phase_ + 1 == runnable_.phases;
        if (runnable_.separation.gate == Gate::barrier && !is_last && !pass_barrier(now)) return;
        ++phase_;
        changed_ = true;
    }
}

// Dissemination (Hensgen, Finkel, Manber 1988): in round k each rank tells the one 2^k further, and hears from the one
// 2^k before. Returns whether all rounds are over.
bool RankCall::pass_barrier(Picoseconds now) {
    const auto rounds = static_cast<std::uint32_t>(barrier_heard_.size());
    const auto tell = [&](std::uint32_t round) {
        const std::uint32_t peer = line_.members[turned(rank_, 1U << round, ranks_)];
        line_.messages.tell(now, own(), peer, Kind::barrier, {line_.context, round});
    };
    if (!is_in_barrier_) {
        is_in_barrier_ = true;
        barrier_round_ = 0;
        if (rounds > 0) tell(0);
    }
    while (barrier_round_ < rounds && barrier_heard_[barrier_round_] > 0) {
        --barrier_heard_[barrier_round_++];
        if (barrier_round_ < rounds) tell(barrier_round_);
    }
    is_in_barrier_ = barrier_round_ < rounds;
    return !is_in_barrier_;
}

void RankCall::pass_leaves(Picoseconds now) {
    if (!token_) return;
    for (const Leave& leave : token_->to_give())
        line_.messages.tell(now, own(), peer_of(leave.peer), Kind::leave, {line_.context, leave.phase});
}

// In the order of the Program: the steps of this phase, and early receives of the next.
void RankCall::start_steps(Picoseconds now) {
    const auto steps = static_cast<std::uint32_t>(runnable_.program.steps.size());
    while (next_step_ < steps && step(next_step_).phase <= phase_ + 1) waiting_.push_back(next_step_++);
    std::size_t kept = 0;
    for (const std::uint32_t index : waiting_) {
        if (may_start(index)) {
            start(now, index);
        } else {
            waiting_[kept++] = index;
        }
    }
    waiting_.resize(kept);
}

bool RankCall::may_start(std::uint32_t index) {
    const schedule::Step& each = step(index);
    if (runnable_.order.follows_same_peer[index] && !is_peer_free_[index]) return false;
    if (each.action == Action::receive && runnable_.order.may_be_early[index]) return true;
    if (waits_for_[index] != 0 || each.phase > phase_) return false;
    return each.action != Action::send || !token_ || token_->is_open(each.phase);
}

void RankCall::start(Picoseconds now, std::uint32_t index) {
    changed_ = true;
    const Action action = step(index).action;
    if ((action != Action::send && action != Action::receive) || runnable_.bytes[index] == 0) return end(index);
    if (action == Action::send) {
        if (credits_.are_used())
            granted_[index] = static_cast<std::uint32_t>(credits_.chunks_unasked(runnable_.bytes[index]));
        sending_.push_back(index);
    } else {
        post_chunks(now, index);
    }
}

void RankCall::post_chunks(Picoseconds now, std::uint32_t index) {
    Message& message = messages_[index];
    const bool is_send = step(index).action == Action::send;
    while (!is_posted(index) && message.under_way < schedule::kChunksUnderWay &&
           (!is_send || (is_granted(index) && is_in_pace(now)))) {
        const auto bytes = static_cast<std::uint32_t>(
            std::min(credits_.chunk_bytes(), runnable_.bytes[index] - message.posted * credits_.chunk_bytes()));
        ++message.posted;
        ++message.under_way;
        if (is_send) {
            pace_.sent(to_ns(now), bytes);
            line_.messages.send(now, own(), peer_of(step(index).peer), {line_.context, index}, bytes);
        } else {
            line_.messages.receive(now, own(), peer_of(step(index).peer), {line_.context, index}, bytes);
        }
    }
    // The next message with the same peer may come: its chunks would be taken for this one's before.
    const std::uint32_t next = runnable_.order.next_with_same_peer[index];
    if (!is_posted(index) || next == kNoStep || is_peer_free_[next] || (is_send && credits_.are_used())) return;
    is_peer_free_[next] = true;
    changed_ = true;
}

bool RankCall::is_granted(std::uint32_t index) const {
    return !credits_.are_used() || messages_[index].posted < granted_[index];
}

// Else the rank looks again when it may send.
bool RankCall::is_in_pace(Picoseconds now) {
    if (!pace_.is_kept() || pace_.allows(to_ns(now))) return true;
    line_.messages.look_again(own(), from_ns(pace_.next_ns()));
    return false;
}

void RankCall::give_credit(Picoseconds now, std::uint32_t index) {
    const std::uint64_t received = std::min(runnable_.bytes[index], messages_[index].ended * credits_.chunk_bytes());
    if (!credits_.gives_leave(runnable_.bytes[index], received)) return;
    line_.messages.tell(now, own(), peer_of(step(index).peer), Kind::credit, {line_.context, rank_});
}

// It is for the message to the giver that is under way: with credits there is one at a time.
void RankCall::take_credit(std::uint32_t giver) {
    const auto is_to_giver = [&](std::uint32_t index) { return turned(step(index).peer, shift_, ranks_) == giver; };
    ++granted_[*std::ranges::find_if(sending_, is_to_giver)];
}

void RankCall::end_chunk(Picoseconds now, const Ended& chunk) {
    Message& message = messages_[chunk.step];
    ++message.ended;
    --message.under_way;
    if (chunk.is_receive) {
        if (token_) token_->received(step(chunk.step).phase, chunk.bytes);
        give_credit(now, chunk.step);
        post_chunks(now, chunk.step);
    }
    if (hold(message.ended, chunk.step)) end(chunk.step);
    changed_ = true;
}

void RankCall::end(std::uint32_t index) {
    --open_in_phase_[step(index).phase];
    const schedule::StepOrder& order = runnable_.order;
    for (std::uint32_t i = order.first_dependent[index]; i < order.first_dependent[index + 1]; ++i)
        --waits_for_[order.dependents[i]];
    if (const std::uint32_t next = order.next_with_same_peer[index]; next != kNoStep) is_peer_free_[next] = true;
}

}  // namespace clearway::simulator
