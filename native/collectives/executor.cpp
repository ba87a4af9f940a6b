#include "collectives/executor.hpp"

#include <time.h>
#include <algorithm>
#include <array>
#include <new>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "collectives/messages.hpp"
#include "collectives/request_set.hpp"
#include "schedule/engine/credits.hpp"
#include "schedule/engine/pace.hpp"
#include "schedule/engine/token_gate.hpp"

namespace clearway::collectives {

namespace {

using schedule::Action;
using schedule::Gate;
using schedule::Leave;
using schedule::Program;
using schedule::Separation;
using schedule::Step;

enum Kind : Arg { data_tag, leave_tag, credit_tag };  // Channel::kKinds of them at most

constexpr std::uint32_t kNoStep = ~std::uint32_t{0};
constexpr std::uint64_t kMostBytesAMessage = std::uint64_t{1} << 30;  // MPI counts in int

std::uint64_t now_ns() { return clock_ns(CLOCK_MONOTONIC); }

std::vector<std::uint64_t> bytes_received_in_phase(const Program& program, std::uint32_t phases, const Memory& memory) {
    std::vector<std::uint64_t> bytes(phases, 0);
    for (const Step& step : program.steps)
        if (step.action == Action::receive) bytes[step.phase] += memory.bytes_of(step.writes);
    return bytes;
}

// Where the message of each step is staged. A phase begins when the one before the last has ended, so two stretches of
// memory, taken in turns, do for all.
struct Staging {
    std::vector<std::uint64_t> offsets;  // by step
    std::uint64_t bytes = 0;

    Staging(const Program& program, std::uint32_t phases, const Memory& memory) : offsets(program.steps.size()) {
        std::vector<std::uint64_t> in_phase(phases, 0);
        std::array<std::uint64_t, 2> most{};
        for (std::size_t i = 0; i < offsets.size(); ++i) {
            std::uint64_t& used = in_phase[program.steps[i].phase];
            offsets[i] = used;
            used += staged_bytes(memory, program.steps[i]);
            std::uint64_t& most_here = most[program.steps[i].phase % 2];
            most_here = std::max(most_here, used);
        }
        bytes = most[0] + most[1];
        for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] += program.steps[i].phase % 2 == 0 ? 0 : most[0];
    }
};

std::byte* room_for(Room& room, std::uint64_t bytes) {
    if (bytes == 0) return nullptr;
    std::byte* const memory = room.of(bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

class Execution::Steps {
public:
    Steps(const OwnMpi& mpi, Channel& channel, Arg comm, const Runnable& runnable, const Exchange& exchange,
          Workspace& workspace)
        : mpi_(mpi),
          channel_(channel),
          comm_(comm),
          program_(runnable.program),
          order_(runnable.order),
          separation_(runnable.separation),
          phases_(runnable.phases),
          credits_(separation_, kMostBytesAMessage),
          pace_(separation_),
          memory_(program_, exchange, room_for(workspace.scratch, Memory::scratch_bytes(program_, exchange))),
          staging_(program_, phases_, memory_),
          staging_room_(room_for(workspace.staging, staging_.bytes)),
          token_(program_, separation_.window_bytes, bytes_received_in_phase(program_, phases_, memory_)),
          requests_(mpi),
          messages_(program_.steps.size()),
          waits_for_(order_.waits_for),
          is_peer_free_(program_.steps.size(), false),
          open_in_phase_(order_.steps_in_phase) {
        waiting_.reserve(program_.steps.size());
        sending_.reserve(program_.steps.size());
        const std::size_t most = most_requests();
        requests_.reserve(most);
        ended_.reserve(most);
    }

    int run() {
        ++channel_.calls;
        while (!is_complete() && error_ == kMpiSuccess) {
            go_on();
            if (error_ == kMpiSuccess && !is_complete()) await();
        }
        if (error_ != kMpiSuccess) requests_.abandon();
        return error_;
    }

private:
    // Under way at a time: chunks of two phases' messages, and the small messages of the gates.
    std::size_t most_requests() const {
        std::vector<std::uint64_t> in_phase(phases_ + 1, 0);
        std::uint64_t credits = 0;
        for (const Step& step : program_.steps) {
            if (step.action != Action::send && step.action != Action::receive) continue;
            const std::uint64_t bytes = memory_.bytes_of(step.action == Action::send ? step.reads : step.writes);
            in_phase[step.phase] +=
                std::min<std::uint64_t>(schedule::kChunksUnderWay, bytes / credits_.chunk_bytes() + 1);
            if (credits_.are_used()) credits += credits_.chunks_of(bytes);
        }
        std::uint64_t most = 0;
        for (std::uint32_t phase = 0; phase < phases_; ++phase)
            most = std::max(most, in_phase[phase] + in_phase[phase + 1]);
        return most + credits + program_.gives.size() + program_.needs.size() + 1;
    }

    bool is_complete() const { return phase_ == phases_ && requests_.empty(); }

    // Starts and posts all that may be, until nothing more may: copies and joins end at once and free others.
    void go_on() {
        do {
            changed_ = false;
            advance_phase();
            pass_leaves();
            start_steps();
            for (std::size_t i = 0; i < sending_.size(); ++i) post_chunks(sending_[i]);
            std::erase_if(sending_, [&](std::uint32_t index) { return messages_[index].is_posted(); });
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
            if (check(mpi_.irecv(0, 0, mpi_.byte, channel_.peer(leave.peer), channel_.tag(leave_tag), channel_.comm,
                                 requests_.next_handle())))
                requests_.keep({Purpose::await_leave, leave.phase, 0});
        }
        for (const Leave& leave : token_.to_give()) {
            if (check(mpi_.isend(0, 0, mpi_.byte, channel_.peer(leave.peer), channel_.tag(leave_tag), channel_.comm,
                                 requests_.next_handle())))
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
        std::byte* const staging = staging_room_ + staging_.offsets[index];
        if (step.action == Action::copy) memory_.copy(step.reads, step.writes, staging);
        if (step.action == Action::copy || step.action == Action::join) return end(index);
        Message& message = messages_[index] = open_message(memory_, step, staging);
        if (message.bytes == 0) return end(index);
        message.chunks = message.bytes / credits_.chunk_bytes() + 1;
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
        while (!message.is_posted() && message.under_way < schedule::kChunksUnderWay && is_granted(message) &&
               (!is_send || is_in_pace())) {
            const std::uint64_t chunk = message.chunks_posted, offset = chunk * credits_.chunk_bytes();
            const std::uint64_t bytes = std::min(credits_.chunk_bytes(), message.bytes - offset);
            if (!check(post(to_arg(message.data + offset), static_cast<Arg>(bytes), mpi_.byte, channel_.peer(step.peer),
                            channel_.tag(data_tag), channel_.comm, requests_.next_handle())))
                return;
            requests_.keep({is_send ? Purpose::send : Purpose::receive, index, bytes, chunk});
            ++message.chunks_posted;
            ++message.under_way;
            if (is_send && pace_.is_kept()) pace_.sent(now_ns(), bytes);
        }
        // Credits carry no name: with them the messages to a peer go strictly one after another.
        if (message.is_posted() && !(is_send && credits_.are_used())) free_peer(index);
    }

    // An empty last chunk goes with the one before it.
    bool is_granted(const Message& message) const {
        return message.chunks_posted < message.chunks_granted ||
               message.chunks_granted == credits_.chunks_of(message.bytes);
    }

    // Until all chunks are granted.
    void await_credit(std::uint32_t index) {
        if (messages_[index].chunks_granted == credits_.chunks_of(messages_[index].bytes)) return;
        if (check(mpi_.irecv(0, 0, mpi_.byte, channel_.peer(program_.steps[index].peer), channel_.tag(credit_tag),
                             channel_.comm, requests_.next_handle())))
            requests_.keep({Purpose::await_credit, index, 0});
    }

    void take_credit(std::uint32_t index) {
        ++messages_[index].chunks_granted;
        await_credit(index);
    }

    void give_credit(std::uint32_t index) {
        const Message& message = messages_[index];
        if (!credits_.gives_leave(message.bytes, message.bytes_ended)) return;
        if (check(mpi_.isend(0, 0, mpi_.byte, channel_.peer(program_.steps[index].peer), channel_.tag(credit_tag),
                             channel_.comm, requests_.next_handle())))
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
            case Purpose::given_up:
                return;
        }
    }

    void end_chunk(const Pending& chunk) {
        Message& message = messages_[chunk.subject];
        message.bytes_ended += chunk.bytes;
        ++message.chunks_ended;
        --message.under_way;
        if (chunk.purpose == Purpose::receive) {
            if (chunk.bytes_received < chunk.bytes) end_early(chunk);
            if (chunk.bytes != 0) give_credit(chunk.subject);
            post_chunks(chunk.subject);
        }
        if (message.chunks_ended == message.chunks) end(chunk.subject);
    }

    // The sender has less than there is room for. MPI forbids it, and yet it works with the MPIs' own algorithms.
    void end_early(const Pending& last) {
        Message& message = messages_[last.subject];
        const std::uint64_t end = last.chunk * credits_.chunk_bytes() + last.bytes;
        token_.received(program_.steps[last.subject].phase, message.bytes - end);
        message.chunks = message.chunks_posted = last.chunk + 1;
        requests_.give_up_chunks_behind(last.subject, last.chunk);
    }

    bool check(int code) {
        if (code != kMpiSuccess && error_ == kMpiSuccess) error_ = code;
        return code == kMpiSuccess;
    }

    const OwnMpi& mpi_;
    Channel& channel_;
    const Arg comm_;  // for barriers
    const Program& program_;
    const schedule::StepOrder& order_;
    const Separation& separation_;
    const std::uint32_t phases_;
    const schedule::Credits credits_;
    schedule::Pace pace_;
    const Memory memory_;
    const Staging staging_;
    std::byte* const staging_room_;
    schedule::TokenGate token_;
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

Runnable make_runnable(Program program, std::uint32_t phases, const Separation& separation) {
    schedule::StepOrder order = order_of(program, phases);
    return {std::move(program), std::move(order), phases, separation};
}

void Workspace::keep_for_good() {
    scratch.keep_for_good();
    staging.keep_for_good();
}

void Workspace::give_back_large() {
    scratch.shrink_to(kMostKeptBytes);
    staging.shrink_to(kMostKeptBytes);
}

Execution::Execution(const OwnMpi& mpi, Channel& channel, Arg comm, const Runnable& runnable, const Exchange& exchange,
                     Workspace& workspace)
    : steps_(std::make_unique<Steps>(mpi, channel, comm, runnable, exchange, workspace)) {}

Execution::~Execution() = default;

int Execution::run() { return steps_->run(); }

}  // namespace clearway::collectives
