#include "collectives/executor.hpp"

#include <time.h>
#include <algorithm>
#include <utility>

#include "collectives/credits.hpp"
#include "collectives/messages.hpp"
#include "collectives/pace.hpp"
#include "collectives/request_set.hpp"
#include "collectives/token_gate.hpp"

namespace clearway {

namespace {

using schedule::Action;
using schedule::Gate;
using schedule::Leave;
using schedule::Program;
using schedule::Separation;
using schedule::Step;

enum Tag : Arg { data_tag = 1, leave_tag, credit_tag };

constexpr std::uint32_t kNoStep = ~std::uint32_t{0};
constexpr std::uint64_t kMostBytesAMessage = std::uint64_t{1} << 30;  // MPI counts in int

std::uint64_t now_ns() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
}

std::vector<std::uint64_t> bytes_received_in_phase(const Program& program, std::uint32_t phases, const Memory& memory) {
    std::vector<std::uint64_t> bytes(phases, 0);
    for (const Step& step : program.steps)
        if (step.action == Action::receive) bytes[step.phase] += memory.bytes_of(step.writes);
    return bytes;
}

// One call under way.
class Call {
public:
    Call(const OwnMpi& mpi, Arg comm, const Runnable& runnable, const Exchange& exchange)
        : mpi_(mpi),
          comm_(comm),
          program_(runnable.program),
          order_(runnable.order),
          separation_(runnable.separation),
          phases_(runnable.phases),
          credits_(separation_, kMostBytesAMessage),
          pace_(separation_),
          memory_(program_, exchange),
          token_(program_, separation_.window_bytes, bytes_received_in_phase(program_, phases_, memory_)),
          requests_(mpi),
          messages_(program_.steps.size()),
          waits_for_(order_.waits_for),
          is_peer_free_(program_.steps.size(), false),
          open_in_phase_(order_.steps_in_phase) {}

    int run() {
        while (!is_complete() && error_ == kMpiSuccess) {
            go_on();
            if (error_ == kMpiSuccess && !is_complete()) await();
        }
        if (error_ != kMpiSuccess) requests_.abandon();
        return error_;
    }

private:
    bool is_complete() const { return phase_ == phases_ && requests_.empty(); }

    // Starts and posts all that may be, until nothing more may: copies and joins end at once and free others.
    void go_on() {
        do {
            changed_ = false;
            advance_phase();
            pass_leaves();
            start_steps();
            for (std::size_t i = 0; i < sending_.size(); ++i) post_chunks(sending_[i]);
            std::erase_if(sending_, [&](std::uint32_t index) { return is_posted(messages_[index]); });
        } while (changed_ && error_ == kMpiSuccess);
    }

    // A phase ends with its steps; where a barrier separates them, with everybody's.
    void advance_phase() {
        while (phase_ < phases_ && open_in_phase_[phase_] == 0) {
            const bool is_last = phase_ + 1 == phases_;
            if (separation_.gate == Gate::barrier && !is_last && !at_barrier_) {
                at_barrier_ = true;
                if (check(mpi_.ibarrier(comm_, requests_.next_handle()))) requests_.keep({Purpose::barrier, 0, 0});
                return;
            }
            if (at_barrier_ && !is_past_barrier_) return;
            at_barrier_ = is_past_barrier_ = false;
            ++phase_;
            changed_ = true;
        }
    }

    void pass_leaves() {
        if (separation_.gate != Gate::token) return;
        for (const Leave& leave : token_.to_await(phase_)) {
            if (check(mpi_.irecv(0, 0, mpi_.byte, leave.peer, leave_tag, comm_, requests_.next_handle())))
                requests_.keep({Purpose::await_leave, leave.phase, 0});
        }
        for (const Leave& leave : token_.to_give()) {
            if (check(mpi_.isend(0, 0, mpi_.byte, leave.peer, leave_tag, comm_, requests_.next_handle())))
                requests_.keep({Purpose::give_leave, leave.phase, 0});
        }
    }

    // In the order of the Program: the steps of this phase, and early receives of the next.
    void start_steps() {
        while (next_step_ < program_.steps.size() && program_.steps[next_step_].phase <= phase_ + 1)
            waiting_.push_back(next_step_++);
        std::size_t kept = 0;
        for (std::size_t i = 0; i < waiting_.size(); ++i) {
            const std::uint32_t index = waiting_[i];
            if (error_ == kMpiSuccess && may_start(index)) {
                start(index);
            } else {
                waiting_[kept++] = index;
            }
        }
        waiting_.resize(kept);
    }

    bool may_start(std::uint32_t index) {
        const Step& step = program_.steps[index];
        if (order_.follows_same_peer[index] && !is_peer_free_[index]) return false;
        if (step.action == Action::receive && order_.may_be_early[index]) return true;
        if (waits_for_[index] != 0 || step.phase > phase_) return false;
        return step.action != Action::send || separation_.gate != Gate::token || token_.is_open(step.phase);
    }

    void start(std::uint32_t index) {
        const Step& step = program_.steps[index];
        changed_ = true;
        if (step.action == Action::copy) memory_.copy(step.reads, step.writes);
        if (step.action == Action::copy || step.action == Action::join) return end(index);
        Message& message = messages_[index] = open_message(memory_, step);
        if (message.bytes == 0) return end(index);
        const bool is_send = step.action == Action::send;
        message.chunks_granted = is_send ? credits_.chunks_unasked(message.bytes) : credits_.chunks_of(message.bytes);
        if (is_send) {
            await_credit(index);
            sending_.push_back(index);
        } else {
            post_chunks(index);
        }
    }

    void end(std::uint32_t index) {
        close_message(memory_, program_.steps[index], messages_[index]);
        --open_in_phase_[program_.steps[index].phase];
        for (std::uint32_t i = order_.first_dependent[index]; i < order_.first_dependent[index + 1]; ++i)
            --waits_for_[order_.dependents[i]];
        free_peer(index);
        changed_ = true;
    }

    // The next message with the same peer may come: its chunks would be taken for this one's before.
    void free_peer(std::uint32_t index) {
        if (const std::uint32_t next = order_.next_with_same_peer[index]; next != kNoStep) is_peer_free_[next] = true;
    }

    void post_chunks(std::uint32_t index) {
        const Step& step = program_.steps[index];
        const bool is_send = step.action == Action::send;
        const auto post = is_send ? mpi_.isend : mpi_.irecv;
        Message& message = messages_[index];
        while (!is_posted(message) && message.under_way < kChunksUnderWay &&
               message.posted_bytes / credits_.chunk_bytes() < message.chunks_granted && (!is_send || is_in_pace())) {
            const std::uint64_t bytes = std::min(credits_.chunk_bytes(), message.bytes - message.posted_bytes);
            if (!check(post(to_arg(message.data + message.posted_bytes), static_cast<Arg>(bytes), mpi_.byte, step.peer,
                            data_tag, comm_, requests_.next_handle())))
                return;
            requests_.keep({is_send ? Purpose::send : Purpose::receive, index, bytes});
            message.posted_bytes += bytes;
            ++message.under_way;
            if (is_send && pace_.is_kept()) pace_.sent(now_ns(), bytes);
        }
        // Credits carry no name: with them the messages to a peer go strictly one after another.
        if (is_posted(message) && !(is_send && credits_.are_used())) free_peer(index);
    }

    static bool is_posted(const Message& message) { return message.posted_bytes == message.bytes; }

    // Until all chunks are granted.
    void await_credit(std::uint32_t index) {
        if (messages_[index].chunks_granted == credits_.chunks_of(messages_[index].bytes)) return;
        if (check(mpi_.irecv(0, 0, mpi_.byte, program_.steps[index].peer, credit_tag, comm_, requests_.next_handle())))
            requests_.keep({Purpose::await_credit, index, 0});
    }

    void take_credit(std::uint32_t index) {
        ++messages_[index].chunks_granted;
        await_credit(index);
    }

    void give_credit(std::uint32_t index) {
        const Message& message = messages_[index];
        if (!credits_.gives_leave(message.bytes, message.ended_bytes)) return;
        if (check(mpi_.isend(0, 0, mpi_.byte, program_.steps[index].peer, credit_tag, comm_, requests_.next_handle())))
            requests_.keep({Purpose::give_credit, index, 0});
    }

    bool is_in_pace() const { return !pace_.is_kept() || pace_.allows(now_ns()); }

    // Blocks until something has ended; while a sender keeps its pace, looks again after a moment.
    void await() {
        const bool is_pacing = pace_.is_kept() && !sending_.empty();
        ended_.clear();
        if (!check(requests_.take_ended(!is_pacing, ended_))) return;
        for (const Pending& pending : ended_) handle(pending);
        if (is_pacing && ended_.empty()) {
            constexpr timespec kMoment{0, 20'000};
            nanosleep(&kMoment, nullptr);
        }
    }

    void handle(const Pending& pending) {
        switch (pending.purpose) {
            case Purpose::send:
                return end_chunk(pending);
            case Purpose::receive:
                token_.received(program_.steps[pending.subject].phase, pending.bytes);
                return end_chunk(pending);
            case Purpose::await_leave:
                return token_.given_by_peer(pending.subject);
            case Purpose::await_credit:
                return take_credit(pending.subject);
            case Purpose::barrier:
                is_past_barrier_ = true;
                return;
            case Purpose::give_leave:
            case Purpose::give_credit:
                return;
        }
    }

    void end_chunk(const Pending& chunk) {
        Message& message = messages_[chunk.subject];
        message.ended_bytes += chunk.bytes;
        --message.under_way;
        if (chunk.purpose == Purpose::receive) {
            give_credit(chunk.subject);
            post_chunks(chunk.subject);
        }
        if (message.ended_bytes == message.bytes) end(chunk.subject);
    }

    bool check(int code) {
        if (code != kMpiSuccess && error_ == kMpiSuccess) error_ = code;
        return code == kMpiSuccess;
    }

    const OwnMpi& mpi_;
    const Arg comm_;
    const Program& program_;
    const StepOrder& order_;
    const Separation& separation_;
    const std::uint32_t phases_;
    const Credits credits_;
    Pace pace_;
    const Memory memory_;
    TokenGate token_;
    RequestSet requests_;
    std::vector<Message> messages_;             // by step
    std::vector<std::uint32_t> waits_for_;      // by step: how many must end before it
    std::vector<bool> is_peer_free_;            // by step: the one before it with the same peer is out of the way
    std::vector<std::uint32_t> open_in_phase_;  // steps of each phase that have not ended
    std::vector<std::uint32_t> waiting_;        // steps up to the next phase that have not started
    std::vector<std::uint32_t> sending_;        // steps with chunks to post
    std::vector<Pending> ended_;
    std::uint32_t next_step_ = 0;  // the first that never was in waiting_
    std::uint32_t phase_ = 0;      // all steps of the phases before have ended
    bool at_barrier_ = false, is_past_barrier_ = false;
    bool changed_ = false;
    int error_ = kMpiSuccess;
};

}  // namespace

Runnable make_runnable(Program program, std::uint32_t phases, const Separation& separation) {
    StepOrder order = order_of(program, phases);
    return {std::move(program), std::move(order), phases, separation};
}

int execute(const OwnMpi& mpi, Arg comm, const Runnable& runnable, const Exchange& exchange) {
    return Call(mpi, comm, runnable, exchange).run();
}

}  // namespace clearway
