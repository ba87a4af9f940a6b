// Runs one rank's Program: says which step may start, which chunk may be sent, and what the other ranks are told. How
// bytes get to a peer is the transport's affair, and so is what time it is:
//
//   the MPI inside a job          collectives/executor.cpp
//   modelled messages             simulator/mpi/rank_call.hpp
//   symbols, for the proof        schedule/check/run.cpp
//   bytes in any order, tests     schedule/testing/byte_run.hpp
//
//                 ┌──────────── until nothing changes ───────────┐
//                 ▼                                              │
//   go_on: chunks that ended ─▶ phase ─▶ leaves ─▶ steps that may start ─▶ chunks that may be sent
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "schedule/engine/credits.hpp"
#include "schedule/engine/pace.hpp"
#include "schedule/engine/progress.hpp"
#include "schedule/engine/runnable.hpp"
#include "schedule/engine/token_gate.hpp"

namespace clearway::schedule {

// What a transport may leave as it is here, and what it must have besides. It is the class that derives from its own
// StepEngine. Whatever it learns inside one of these, it tells the engine by `sent` and `received`, which wait for
// their turn.
//
//   std::uint64_t bytes_of(step) const      of the message of a send or receive
//   void send(step, chunk, bytes)           a chunk goes on its way ...
//   void receive(step, chunk, bytes)        ... or is expected
//   void give_leave(const Leave&)           where the gate is a token
//   bool pass_barrier()                     where it is a barrier: takes part in it, and says whether it is over
//   void give_credit(step)                  where it is credits
struct TransportDefaults {
    // Whether each message ends with a chunk shorter than the others, empty if need be: so a receiver that has room for
    // more knows the end.
    static constexpr bool kEndsShort = false;

    void open(std::uint32_t /*step*/) {}      // the message is to be sent or received from now on
    void close(std::uint32_t /*step*/) {}     // all of it has been
    void do_local(std::uint32_t /*step*/) {}  // what a step does inside the rank: it ends with this call
    void await_leave(const Leave&) {}
    void await_credit(std::uint32_t /*step*/) {}
    std::uint64_t now_ns() const { return 0; }
    void look_again(std::uint64_t /*at_ns*/) {}  // the pace lets nothing go before: go_on then
    bool has_failed() const { return false; }    // then nothing more is begun
};

template <class Transport>
class StepEngine : public TransportDefaults {
public:
    // Call this before anything else, and before each further run.
    void restart();

    bool has_ended() const { return phase_ == phases(); }
    const Program& program() const { return program_; }
    std::uint32_t phases() const { return order_.phases(); }
    const Step& step(std::uint32_t index) const { return program_.steps[index]; }
    const Credits& credits() const { return credits_; }

    // Starts and posts all that may be, until nothing more may: local steps end at once and free others.
    void go_on();

    // What the transport tells; it takes effect in go_on. `bytes` are those of one chunk.
    void sent(std::uint32_t index, std::uint32_t bytes) { ended_.push_back({index, bytes}); }
    void received(std::uint32_t index, std::uint32_t bytes) { ended_.push_back({index, bytes}); }
    void leave_given(std::uint32_t phase) { token_->given_by_peer(phase); }
    void credit_given(std::uint32_t index) {
        ++granted_[place(index)];
        await_credit_for(index);
    }
    // The sender had less than there is room for, and this is its last chunk: the message is cut to what came. MPI
    // forbids it, and yet it works with the MPIs' own algorithms. To be told before `bytes_of` says so too.
    void ends_early(std::uint32_t index, std::uint32_t last_chunk, std::uint32_t bytes);

    // Messages with chunks still to be sent.
    const std::vector<std::uint32_t>& sending() const { return sending_; }

protected:
    // `most_bytes`: of one message as the transport carries it; longer ones go in chunks. The rest must outlive this.
    StepEngine(const Program& program, const StepOrder& order, const Separation& separation, std::uint64_t most_bytes)
        : program_(program),
          order_(order),
          separation_(separation),
          credits_(separation, most_bytes),
          pace_(separation) {}
    StepEngine(const Runnable& runnable, std::uint64_t most_bytes)
        : StepEngine(runnable.program, runnable.order, runnable.separation, most_bytes) {}

    // No more memory is wanted while so many chunks are under way.
    void reserve(std::size_t chunks) {
        progress_.reserve();
        waiting_.reserve(order_.most_open);
        sending_.reserve(order_.most_open);
        ended_.reserve(chunks);
    }

    // Where memory is scarcer than time: what only a burst has needed.
    void give_memory_back() {
        const auto give_back = [](auto& list) {
            constexpr std::size_t kKept = 64;
            // Without exceptions shrink_to_fit does nothing.
            if (list.capacity() > kKept && list.empty()) std::remove_reference_t<decltype(list)>().swap(list);
        };
        give_back(ended_);
        give_back(sending_);
        give_back(waiting_);
    }

    bool is_message(std::uint32_t index) const {
        return step(index).action == Action::send || step(index).action == Action::receive;
    }

private:
    struct Ended {
        std::uint32_t step;
        std::uint32_t bytes;
    };

    // Of a step of this phase or the next: no others are open.
    std::uint32_t place(std::uint32_t index) const { return index & (order_.most_open - 1); }

    Transport& transport() { return static_cast<Transport&>(*this); }
    const Transport& transport() const { return static_cast<const Transport&>(*this); }
    // Whether so many chunks are the whole message.
    bool hold(std::uint32_t chunks, std::uint64_t bytes) const {
        const std::uint64_t held = chunks * credits_.chunk_bytes();
        return Transport::kEndsShort ? held > bytes : held >= bytes;
    }
    std::vector<std::uint64_t> bytes_received_in_phase() const;
    void end_chunks();
    void advance_phase();
    void pass_leaves();
    void start_steps();
    void open_step(std::uint32_t index);
    bool may_start(std::uint32_t index);
    void start(std::uint32_t index);
    bool post_chunks(std::uint32_t index);
    void free_peer(std::uint32_t index);
    bool is_granted(std::uint32_t index) const;
    bool is_in_pace();
    void await_credit_for(std::uint32_t index);
    void give_credit_for(std::uint32_t index);
    void end_chunk(const Ended& chunk);
    void end(std::uint32_t index);

    const Program& program_;
    const StepOrder& order_;
    const Separation& separation_;
    const Credits credits_;
    Pace pace_;
    std::optional<TokenGate> token_;        // where it separates the phases
    Progress progress_;                     // by place
    std::vector<std::uint32_t> granted_;    // by place: chunks that may be sent; empty without credits
    std::vector<std::uint32_t> waits_for_;  // by place: how many of its phase must end before it; empty where none must
    std::vector<bool> is_peer_free_;        // by step: the one before it with the same peer is out of the way
    std::uint32_t open_[2] = {};            // steps of this phase and the next that have not ended, by phase modulo 2
    std::vector<std::uint32_t> waiting_;    // open steps that have not started
    std::vector<std::uint32_t> sending_;    // steps with chunks to post
    std::vector<Ended> ended_;              // chunks
    std::uint32_t next_step_ = 0;           // the first that is not open yet
    std::uint32_t phase_ = 0;               // all steps of the phases before have ended
    bool changed_ = false;                  // so that something earlier in go_on may come of it
};

template <class Transport>
void StepEngine<Transport>::restart() {
    const std::size_t steps = program_.steps.size();
    if (separation_.gate == Gate::token) token_.emplace(program_, separation_.window_bytes, bytes_received_in_phase());
    pace_ = Pace(separation_);
    progress_.resize(order_.most_open);
    granted_.resize(credits_.are_used() ? order_.most_open : 0);
    waits_for_.resize(order_.waits_for.empty() ? 0 : order_.most_open);
    is_peer_free_.assign(steps, false);
    for (std::uint32_t phase = 0; phase < std::min(phases(), 2U); ++phase) open_[phase] = order_.steps_in_phase[phase];
    next_step_ = phase_ = 0;
}

template <class Transport>
std::vector<std::uint64_t> StepEngine<Transport>::bytes_received_in_phase() const {
    std::vector<std::uint64_t> bytes(phases(), 0);
    for (std::uint32_t index = 0; index < program_.steps.size(); ++index)
        if (step(index).action == Action::receive) bytes[step(index).phase] += transport().bytes_of(index);
    return bytes;
}

template <class Transport>
void StepEngine<Transport>::go_on() {
    do {
        end_chunks();
        changed_ = false;  // from here on: what has ended until now, this pass sees
        advance_phase();
        pass_leaves();
        start_steps();
        std::size_t kept = 0;
        for (const std::uint32_t index : sending_)
            if (!post_chunks(index)) sending_[kept++] = index;
        sending_.resize(kept);
    } while ((changed_ || !ended_.empty()) && !transport().has_failed());
}

// Those that end meanwhile come next time.
template <class Transport>
void StepEngine<Transport>::end_chunks() {
    const std::size_t chunks = ended_.size();
    for (std::size_t i = 0; i < chunks; ++i) end_chunk(Ended(ended_[i]));
    ended_.erase(ended_.begin(), ended_.begin() + static_cast<std::ptrdiff_t>(chunks));
}

// A phase ends with its steps; where a barrier separates them, with everybody's.
template <class Transport>
void StepEngine<Transport>::advance_phase() {
    while (phase_ < phases() && open_[phase_ % 2] == 0) {
        const bool is_last = phase_ + 1 == phases();
        if (separation_.gate == Gate::barrier && !is_last && !transport().pass_barrier()) return;
        if (phase_ + 2 < phases()) open_[phase_ % 2] = order_.steps_in_phase[phase_ + 2];
        ++phase_;
    }
}

template <class Transport>
void StepEngine<Transport>::pass_leaves() {
    if (!token_) return;
    for (const Leave& leave : token_->to_await(phase_)) transport().await_leave(leave);
    for (const Leave& leave : token_->to_give()) transport().give_leave(leave);
}

// In the order of the Program: the steps of this phase, and early receives of the next.
template <class Transport>
void StepEngine<Transport>::start_steps() {
    const auto steps = static_cast<std::uint32_t>(program_.steps.size());
    const std::uint32_t first_new = next_step_;
    while (next_step_ < steps && step(next_step_).phase <= phase_ + 1) open_step(next_step_++);
    std::size_t kept = 0;
    for (const std::uint32_t index : waiting_) {
        if (may_start(index)) {
            start(index);
        } else {
            waiting_[kept++] = index;
        }
    }
    waiting_.resize(kept);
    for (std::uint32_t index = first_new; index < next_step_; ++index) {
        if (may_start(index)) {
            start(index);
        } else {
            waiting_.push_back(index);
        }
    }
}

template <class Transport>
void StepEngine<Transport>::open_step(std::uint32_t index) {
    progress_.begin(place(index));
    if (!waits_for_.empty()) waits_for_[place(index)] = order_.waits_for[index];
}

template <class Transport>
bool StepEngine<Transport>::may_start(std::uint32_t index) {
    if (transport().has_failed()) return false;
    const Step& each = step(index);
    if (order_.follows_same_peer[index] && !is_peer_free_[index]) return false;
    if (each.action == Action::receive && order_.may_be_early[index]) return true;
    if (each.phase > phase_ || (!waits_for_.empty() && waits_for_[place(index)] != 0)) return false;
    return each.action != Action::send || !token_ || token_->is_open(each.phase);
}

template <class Transport>
void StepEngine<Transport>::start(std::uint32_t index) {
    if (!is_message(index)) {
        transport().do_local(index);
        return end(index);
    }
    if (transport().bytes_of(index) == 0) return end(index);
    transport().open(index);
    if (step(index).action == Action::receive) return void(post_chunks(index));
    if (credits_.are_used()) {
        granted_[place(index)] = static_cast<std::uint32_t>(credits_.chunks_unasked(transport().bytes_of(index)));
        await_credit_for(index);
    }
    sending_.push_back(index);
}

// Returns whether all of them have been posted.
template <class Transport>
bool StepEngine<Transport>::post_chunks(std::uint32_t index) {
    const std::uint32_t at = place(index);
    const bool is_send = step(index).action == Action::send;
    const std::uint64_t bytes = transport().bytes_of(index);
    for (std::uint32_t chunk = progress_.posted(at); !hold(chunk, bytes); ++chunk) {
        if (progress_.under_way(at) == kChunksUnderWay || transport().has_failed()) return false;
        if (is_send && !(is_granted(index) && is_in_pace())) return false;
        const auto here =
            static_cast<std::uint32_t>(std::min(credits_.chunk_bytes(), bytes - chunk * credits_.chunk_bytes()));
        progress_.post(at);
        if (is_send) {
            transport().send(index, chunk, here);
            if (pace_.is_kept()) pace_.sent(transport().now_ns(), here);
        } else {
            transport().receive(index, chunk, here);
        }
    }
    // Credits carry no name: with them the messages to a peer go strictly one after another.
    if (!is_send || !credits_.are_used()) free_peer(index);
    return true;
}

// The next message with the same peer may come: its chunks would be taken for this one's before.
template <class Transport>
void StepEngine<Transport>::free_peer(std::uint32_t index) {
    const std::uint32_t next = order_.next_with_same_peer[index];
    if (next == kNoStep || is_peer_free_[next]) return;
    is_peer_free_[next] = true;
    changed_ = true;
}

// An empty last chunk goes with the one before it.
template <class Transport>
bool StepEngine<Transport>::is_granted(std::uint32_t index) const {
    if (!credits_.are_used() || progress_.posted(place(index)) < granted_[place(index)]) return true;
    return Transport::kEndsShort && granted_[place(index)] == credits_.chunks_of(transport().bytes_of(index));
}

template <class Transport>
bool StepEngine<Transport>::is_in_pace() {
    if (!pace_.is_kept() || pace_.allows(transport().now_ns())) return true;
    transport().look_again(pace_.next_ns());
    return false;
}

// Until all chunks are granted.
template <class Transport>
void StepEngine<Transport>::await_credit_for(std::uint32_t index) {
    if (granted_[place(index)] < credits_.chunks_of(transport().bytes_of(index))) transport().await_credit(index);
}

template <class Transport>
void StepEngine<Transport>::give_credit_for(std::uint32_t index) {
    const std::uint64_t bytes = transport().bytes_of(index);
    const std::uint64_t received = std::min(bytes, progress_.ended(place(index)) * credits_.chunk_bytes());
    if (credits_.gives_leave(bytes, received)) transport().give_credit(index);
}

template <class Transport>
void StepEngine<Transport>::end_chunk(const Ended& chunk) {
    progress_.end(place(chunk.step));
    const Step& its = step(chunk.step);
    if (its.action == Action::receive) {
        if (token_) token_->received(its.phase, chunk.bytes);
        if (credits_.are_used()) give_credit_for(chunk.step);
        post_chunks(chunk.step);
    }
    if (!hold(progress_.ended(place(chunk.step)), transport().bytes_of(chunk.step))) return;
    transport().close(chunk.step);
    end(chunk.step);
}

template <class Transport>
void StepEngine<Transport>::ends_early(std::uint32_t index, std::uint32_t last_chunk, std::uint32_t bytes) {
    const std::uint64_t come = last_chunk * credits_.chunk_bytes() + bytes;
    if (token_) token_->received(step(index).phase, transport().bytes_of(index) - come);
    progress_.cut(place(index), last_chunk + 1);
}

template <class Transport>
void StepEngine<Transport>::end(std::uint32_t index) {
    --open_[step(index).phase % 2];
    for (std::uint32_t i = order_.first_dependent[index]; i < order_.first_dependent[index + 1]; ++i)
        --waits_for_[place(order_.dependents[i])];
    free_peer(index);
    changed_ = true;
}

}  // namespace clearway::schedule
