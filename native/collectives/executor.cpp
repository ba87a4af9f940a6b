#include "collectives/executor.hpp"

#include <time.h>
#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "collectives/request_set.hpp"
#include "collectives/staging.hpp"
#include "schedule/engine/step_engine.hpp"

namespace clearway::collectives {

namespace {

using schedule::Action;
using schedule::Leave;
using schedule::Runnable;
using schedule::Step;

enum TagKind : Arg { data_tag, leave_tag, credit_tag };  // Channel::kKinds of them at most

constexpr std::uint64_t kMostBytesAMessage = std::uint64_t{1} << 30;  // MPI counts in int

std::byte* room_for(KeptMemory& room, std::uint64_t bytes) {
    if (bytes == 0) return nullptr;
    std::byte* const memory = room.of(bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

class Execution::Transport : public schedule::StepEngine<Transport> {
public:
    Transport(const OwnMpi& mpi, Channel& channel, Arg comm, const Runnable& runnable, const Exchange& exchange,
              Workspace& workspace)
        : StepEngine(runnable, kMostBytesAMessage),
          mpi_(mpi),
          channel_(channel),
          comm_(comm),
          memory_(runnable.program, exchange,
                  room_for(workspace.scratch, SlotMemory::scratch_bytes(runnable.program, exchange))),
          staging_(runnable, memory_),
          requests_(mpi) {
        staging_.use(room_for(workspace.staging, staging_.room_bytes()));
        restart();
        const std::size_t most = most_requests();
        reserve(most);
        requests_.reserve(most);
        news_.reserve(most);
    }

    int run() {
        ++channel_.calls;
        while (!has_failed()) {
            go_on();
            if (is_complete()) break;
            if (!has_failed()) await();
        }
        if (has_failed()) requests_.abandon();
        return error_;
    }

private:
    friend class schedule::StepEngine<Transport>;

    static constexpr bool kEndsShort = true;

    bool is_complete() const { return has_ended() && requests_.empty(); }
    bool has_failed() const { return error_ != kMpiSuccess; }

    // Under way at a time: chunks of two phases' messages, and the small messages of the gates.
    std::size_t most_requests() const {
        std::vector<std::uint64_t> in_phase(phases() + 1, 0);
        std::uint64_t most_credits = 0;
        for (std::uint32_t index = 0; index < program().steps.size(); ++index) {
            if (!is_message(index)) continue;
            const std::uint64_t bytes = bytes_of(index);
            in_phase[step(index).phase] +=
                std::min<std::uint64_t>(schedule::kChunksUnderWay, bytes / credits().chunk_bytes() + 1);
            if (credits().are_used()) most_credits += credits().chunks_of(bytes);
        }
        std::uint64_t most = 0;
        for (std::uint32_t phase = 0; phase < phases(); ++phase)
            most = std::max(most, in_phase[phase] + in_phase[phase + 1]);
        return most + most_credits + program().gives.size() + program().needs.size() + 1;
    }

    std::uint64_t bytes_of(std::uint32_t index) const { return staging_.bytes_of(index); }
    void open(std::uint32_t index) const { staging_.open(index); }
    void close(std::uint32_t index) const { staging_.close(index); }
    void do_local(std::uint32_t index) const {
        if (step(index).action == Action::copy) staging_.copy(index);
    }

    void send(std::uint32_t index, std::uint32_t chunk, std::uint32_t bytes) {
        post(mpi_.isend, {.purpose = Purpose::send, .subject = index, .bytes = bytes, .chunk = chunk},
             data_of(index, chunk), step(index).peer, data_tag);
    }
    void receive(std::uint32_t index, std::uint32_t chunk, std::uint32_t bytes) {
        post(mpi_.irecv, {.purpose = Purpose::receive, .subject = index, .bytes = bytes, .chunk = chunk},
             data_of(index, chunk), step(index).peer, data_tag);
    }
    void await_leave(const Leave& leave) {
        post(mpi_.irecv, {.purpose = Purpose::await_leave, .subject = leave.phase}, nullptr, leave.peer, leave_tag);
    }
    void give_leave(const Leave& leave) {
        post(mpi_.isend, {.purpose = Purpose::give_leave, .subject = leave.phase}, nullptr, leave.peer, leave_tag);
    }
    void await_credit(std::uint32_t index) {
        post(mpi_.irecv, {.purpose = Purpose::await_credit, .subject = index}, nullptr, step(index).peer, credit_tag);
    }
    void give_credit(std::uint32_t index) {
        post(mpi_.isend, {.purpose = Purpose::give_credit, .subject = index}, nullptr, step(index).peer, credit_tag);
    }

    bool pass_barrier() {
        if (!at_barrier_) {
            at_barrier_ = true;
            if (check(mpi_.ibarrier(comm_, requests_.next_handle()))) requests_.keep({.purpose = Purpose::barrier});
        }
        if (!is_past_barrier_) return false;
        at_barrier_ = is_past_barrier_ = false;
        return true;
    }

    std::uint64_t now_ns() const { return clock_ns(CLOCK_MONOTONIC); }
    void look_again(std::uint64_t /*at_ns*/) { is_pacing_ = true; }

    const std::byte* data_of(std::uint32_t index, std::uint32_t chunk) const {
        return staging_.data_of(index) + chunk * credits().chunk_bytes();
    }

    void post(decltype(OwnMpi::isend) call, const Pending& pending, const std::byte* data, std::uint32_t peer,
              TagKind kind) {
        if (check(call(to_arg(data), static_cast<Arg>(pending.bytes), mpi_.byte, channel_.peer(peer),
                       channel_.tag(kind), channel_.comm, requests_.next_handle())))
            requests_.keep(pending);
    }

    // Blocks until something has ended; while a sender keeps its pace, looks again after a moment.
    void await() {
        const bool is_pacing = std::exchange(is_pacing_, false);
        news_.clear();
        if (!check(requests_.take_ended(!is_pacing, news_))) return;
        for (const Pending& pending : news_) handle(pending);
        if (is_pacing && news_.empty()) {
            constexpr timespec kMoment{0, 20'000};
            nanosleep(&kMoment, nullptr);
        }
    }

    void handle(const Pending& pending) {
        switch (pending.purpose) {
            case Purpose::send:
                return sent(pending.subject, pending.bytes);
            case Purpose::receive:
                if (pending.is_short) end_early(pending);
                return received(pending.subject, pending.bytes);
            case Purpose::await_leave:
                return leave_given(pending.subject);
            case Purpose::await_credit:
                return credit_given(pending.subject);
            case Purpose::barrier:
                is_past_barrier_ = true;
                return;
            case Purpose::give_leave:
            case Purpose::give_credit:
            case Purpose::given_up:
                return;
        }
    }

    void end_early(const Pending& last) {
        ends_early(last.subject, last.chunk, last.bytes);
        staging_.cut(last.subject, last.chunk * credits().chunk_bytes() + last.bytes);
        requests_.give_up_chunks_behind(last.subject, last.chunk);
    }

    bool check(int code) {
        if (code != kMpiSuccess && error_ == kMpiSuccess) error_ = code;
        return code == kMpiSuccess;
    }

    const OwnMpi& mpi_;
    Channel& channel_;
    const Arg comm_;  // for barriers
    const SlotMemory memory_;
    Staging staging_;
    RequestSet requests_;
    std::vector<Pending> news_;  // requests that have ended
    bool at_barrier_ = false, is_past_barrier_ = false;
    bool is_pacing_ = false;
    int error_ = kMpiSuccess;
};

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
    : transport_(std::make_unique<Transport>(mpi, channel, comm, runnable, exchange, workspace)) {}

Execution::~Execution() = default;

int Execution::run() { return transport_->run(); }

}  // namespace clearway::collectives
