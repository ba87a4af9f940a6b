// One rank's part in a collective call: its Program, run by the engine that runs it inside a job, on modelled messages.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/engine/step_engine.hpp"
#include "simulator/mpi/messages.hpp"

namespace clearway::simulator {

struct Runnable : schedule::Runnable {
    std::vector<std::uint64_t> bytes;  // by step: of the message
    // In each round of a barrier a rank tells the one so many further; shared by all ranks of a call.
    const std::vector<std::uint32_t>* barrier = nullptr;
};

Runnable make_runnable(const schedule::Problem& problem, schedule::Program program, std::uint32_t phases,
                       const schedule::Separation& separation);

// How the peers in rank 0's Program become those of a rank that shares it: as many ranks further; where pairs exchange,
// in the same pairs counted from another rank; or, where all count from rank 0 and leave themselves out, without it.
struct Turn {
    enum class Kind : std::uint8_t { further, pairs, without_own };
    std::uint32_t rank = 0;
    Kind kind = Kind::further;
};

constexpr std::uint32_t turned(std::uint32_t peer, const Turn& turn, std::uint32_t ranks) {
    if (turn.kind == Turn::Kind::pairs) return peer ^ turn.rank;
    if (turn.kind == Turn::Kind::without_own) return peer == 0 ? turn.rank : peer <= turn.rank ? peer - 1 : peer;
    const std::uint32_t sum = peer + turn.rank;
    return sum < ranks ? sum : sum - ranks;
}

// A rank's Runnable, which it may share with others.
struct RankProgram {
    const Runnable* runnable;
    std::uint32_t rank;
    Turn turn;
};

// The members of a communicator, by what a call knows them as, and what tells this call's messages from others.
struct Line {
    Messages& messages;
    std::span<const std::uint32_t> members;  // ranks of the world
    std::uint32_t context;
};

class RankCall : public schedule::StepEngine<RankCall> {
public:
    RankCall(const RankProgram& part, const Line& line);

    // Where they meet first, the call begins behind a barrier of its own.
    void restart(Meeting meeting = {});
    bool is_complete() const;
    Picoseconds began_at() const { return began_at_; }  // behind that barrier

    // What Messages tells, and then go_on; the engine takes `sent` and `received`.
    void heard(MessageKind kind, std::uint32_t subject);
    void go_on(Picoseconds now);

private:
    friend class schedule::StepEngine<RankCall>;

    std::uint64_t bytes_of(std::uint32_t index) const { return bytes_[index]; }
    void send(std::uint32_t index, std::uint32_t chunk, std::uint32_t bytes);
    void receive(std::uint32_t index, std::uint32_t chunk, std::uint32_t bytes);
    void give_leave(const schedule::Leave& leave);
    void give_credit(std::uint32_t index);
    bool pass_barrier();
    bool meet();
    bool pass(Barrier barrier);
    bool pass_linear_barrier();
    bool pass_doubling_barrier();
    std::uint64_t now_ns() const { return to_ns(now_); }
    void look_again(std::uint64_t at_ns) { line_.messages.look_again(own(), from_ns(at_ns)); }

    std::uint32_t own() const { return line_.members[rank_]; }
    std::uint32_t peer_of(std::uint32_t peer) const { return line_.members[turned(peer, turn_, ranks_)]; }
    void tell(std::uint32_t peer, MessageKind kind, std::uint32_t subject) {
        line_.messages.tell(now_, own(), peer, kind, {line_.context, subject});
    }
    void take_credit(std::uint32_t giver);

    const std::vector<std::uint64_t>& bytes_;
    const std::vector<std::uint32_t>& barrier_;
    const std::uint32_t rank_, ranks_;
    const Turn turn_;
    const Line line_;
    std::vector<std::uint32_t> barrier_heard_;  // by round of a dissemination; of a linear barrier; of a doubling one
    std::uint32_t barrier_round_ = 0, leaves_heard_ = 0;
    Picoseconds began_at_ = kNever;
    Picoseconds now_ = 0;
    Meeting meeting_;
    bool is_in_barrier_ = false;
};

}  // namespace clearway::simulator
