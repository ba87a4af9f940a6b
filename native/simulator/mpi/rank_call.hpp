// One rank's part in a collective call: its Program, run step by step as native/collectives/executor.cpp does inside a
// job. What a rank may do next is decided by the same StepOrder, TokenGate, Credits and Pace.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedule/engine/credits.hpp"
#include "schedule/engine/pace.hpp"
#include "schedule/engine/step_order.hpp"
#include "schedule/engine/token_gate.hpp"
#include "schedule/schedule.hpp"
#include "simulator/mpi/messages.hpp"

namespace clearway::simulator {

// A Program made ready to be run again and again.
struct Runnable {
    schedule::Program program;
    schedule::StepOrder order;
    std::vector<std::uint64_t> bytes;  // by step: of the message
    std::uint32_t phases = 1;
    schedule::Separation separation;
};

Runnable make_runnable(const schedule::Problem& problem, schedule::Program program, std::uint32_t phases,
                       const schedule::Separation& separation);

// A rank's Runnable, which it may share with others: its peers are `shift` ranks further than the Program says.
struct RankProgram {
    const Runnable* runnable;
    std::uint32_t rank;
    std::uint32_t shift;
};

constexpr std::uint32_t turned(std::uint32_t peer, std::uint32_t shift, std::uint32_t ranks) {
    const std::uint32_t sum = peer + shift;
    return sum < ranks ? sum : sum - ranks;
}

// The members of a communicator, by what a call knows them as, and what tells this call's messages from others.
struct Line {
    Messages& messages;
    std::span<const std::uint32_t> members;  // ranks of the world
    std::uint32_t context;
};

class RankCall {
public:
    RankCall(const RankProgram& part, const Line& line);

    // Where they meet first, the call begins behind a barrier of its own.
    void restart(bool meets_first = false);
    bool is_complete() const;
    Picoseconds began_at() const { return began_at_; }  // behind that barrier

    // What Messages tells, and then go_on.
    void sent(std::uint32_t step, std::uint32_t bytes) { ended_.push_back({step, bytes, false}); }
    void received(std::uint32_t step, std::uint32_t bytes) { ended_.push_back({step, bytes, true}); }
    void heard(Kind kind, std::uint32_t subject);
    void go_on(Picoseconds now);

private:
    struct Message {
        std::uint32_t posted = 0, ended = 0, under_way = 0;  // chunks: all of one size, but for the last
    };
    struct Ended {
        std::uint32_t step;
        std::uint32_t bytes;  // of a chunk
        bool is_receive;
    };

    const schedule::Step& step(std::uint32_t index) const { return runnable_.program.steps[index]; }
    std::uint32_t own() const { return line_.members[rank_]; }
    std::uint32_t peer_of(std::uint32_t peer) const { return line_.members[turned(peer, shift_, ranks_)]; }
    bool hold(std::uint32_t chunks, std::uint32_t index) const {
        return chunks * credits_.chunk_bytes() >= runnable_.bytes[index];
    }
    bool is_posted(std::uint32_t index) const { return hold(messages_[index].posted, index); }
    void advance_phase(Picoseconds now);
    bool pass_barrier(Picoseconds now);
    void pass_leaves(Picoseconds now);
    void start_steps(Picoseconds now);
    bool may_start(std::uint32_t index);
    void start(Picoseconds now, std::uint32_t index);
    void post_chunks(Picoseconds now, std::uint32_t index);
    void give_credit(Picoseconds now, std::uint32_t index);
    void take_credit(std::uint32_t giver);
    bool is_granted(std::uint32_t index) const;
    bool is_in_pace(Picoseconds now);
    void end_chunk(Picoseconds now, const Ended& chunk);
    void end(std::uint32_t index);

    const Runnable& runnable_;
    const std::uint32_t rank_, shift_, ranks_;
    const Line line_;
    const schedule::Credits credits_;
    schedule::Pace pace_;
    std::optional<schedule::TokenGate> token_;  // where it separates the phases
    std::vector<Message> messages_;             // by step
    std::vector<std::uint32_t> granted_;        // by step: chunks that may be sent; empty without credits
    std::vector<std::uint32_t> waits_for_;      // by step
    std::vector<bool> is_peer_free_;            // by step
    std::vector<std::uint32_t> open_in_phase_;  // steps that have not ended
    std::vector<std::uint32_t> waiting_;        // steps up to the next phase that have not started
    std::vector<std::uint32_t> sending_;        // steps with chunks to post
    std::vector<Ended> ended_;
    std::vector<std::uint32_t> barrier_heard_;  // by round
    std::uint32_t next_step_ = 0, phase_ = 0, leaves_heard_ = 0;
    std::uint32_t barrier_round_ = 0;
    Picoseconds began_at_ = kNever;
    bool is_meeting_ = false;
    bool is_in_barrier_ = false;
    bool changed_ = false;
};

}  // namespace clearway::simulator
