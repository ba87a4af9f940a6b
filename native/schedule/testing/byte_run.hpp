// Runs a Schedule on real bytes, by the engine that runs it in a job, with what happens in an order drawn by chance: a
// second opinion on the checker. Nothing is buffered: a chunk moves at some time after both of its ends were posted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "schedule/engine/step_engine.hpp"

namespace clearway::schedule {

enum class Outcome { right, wrong, hangs };

class ByteRun {
public:
    ByteRun(const Schedule& schedule, std::uint32_t seed)
        : schedule_(schedule), problem_(schedule.problem), random_(seed) {
        for (const Program& program : schedule.programs) orders_.push_back(order_of(program, schedule.phases));
        for (std::uint32_t rank = 0; rank < schedule.programs.size(); ++rank) {
            ranks_.emplace_back(*this, rank);
            wake(rank);
        }
    }

    Outcome run() {
        while (!events_.empty()) {
            std::swap(events_[random_() % events_.size()], events_.back());
            const Event event = std::move(events_.back());
            events_.pop_back();
            event();
        }
        for (const Rank& rank : ranks_)
            if (!rank.has_ended()) return Outcome::hangs;
        return is_right() ? Outcome::right : Outcome::wrong;
    }

private:
    using Event = std::function<void()>;
    using Places = std::vector<std::uint8_t*>;  // one a byte

    enum class Kind : std::uint8_t { data, leave, credit };
    struct Post {
        std::uint32_t subject;  // a step, or a phase
        std::uint32_t bytes = 0;
        std::uint64_t offset = 0;  // of a chunk in its message
    };
    // Of one kind, from one rank to another: the k-th that is sent meets the k-th that is awaited, as in MPI.
    struct Line {
        std::deque<Post> sent, awaited;
    };

    class Rank : public StepEngine<Rank> {
    public:
        Rank(ByteRun& all, std::uint32_t rank)
            : StepEngine(all.schedule_.programs[rank], all.orders_[rank], all.schedule_.separation, kMostBytesAMessage),
              is_awake(false),
              all_(all),
              rank_(rank) {
            for (const Buffer buffer : {Buffer::send, Buffer::receive, Buffer::scratch})
                for (std::uint32_t slot = 0; slot < slots_in(all.problem_, program(), buffer); ++slot)
                    buffers[static_cast<int>(buffer)].emplace_back(bytes_of_slot(all.problem_, rank, buffer, slot), 0);
            auto& sent = buffers[static_cast<int>(Buffer::send)];
            for (std::uint32_t slot = 0; slot < sent.size(); ++slot)
                for (std::size_t i = 0; i < sent[slot].size(); ++i) sent[slot][i] = byte_of(rank, slot, i);
            for (const Step& step : program().steps) {
                reads.push_back(places_of(step.reads));
                writes.push_back(places_of(step.writes));
            }
            restart();
        }

        std::vector<std::vector<std::uint8_t>> buffers[3];  // by slot
        std::vector<Places> reads, writes;                  // by step
        bool is_awake;

    private:
        friend class StepEngine<Rank>;

        static constexpr std::uint64_t kMostBytesAMessage = 50;

        Places places_of(Range range) {
            Places places;
            for (std::uint32_t i = range.first; i < range.first + range.count; ++i) {
                const Slots& slots = program().slots[i];
                for (std::uint32_t slot = slots.first; slot < slots.first + slots.count; ++slot)
                    for (std::uint8_t& byte : buffers[static_cast<int>(slots.buffer)][slot]) places.push_back(&byte);
            }
            return places;
        }

        std::uint64_t bytes_of(std::uint32_t index) const {
            return (step(index).action == Action::send ? reads : writes)[index].size();
        }
        void do_local(std::uint32_t index) {
            const bool combines = step(index).action == Action::reduce;
            for (std::size_t i = 0; i < writes[index].size(); ++i)
                *writes[index][i] = combines ? all_.combined(*writes[index][i], *reads[index][i]) : *reads[index][i];
        }
        void send(std::uint32_t index, std::uint32_t chunk, std::uint32_t bytes) {
            all_.send(Kind::data, rank_, step(index).peer, {index, bytes, chunk * credits().chunk_bytes()});
        }
        void receive(std::uint32_t index, std::uint32_t chunk, std::uint32_t bytes) {
            all_.await(Kind::data, step(index).peer, rank_, {index, bytes, chunk * credits().chunk_bytes()});
        }
        void give_leave(const Leave& leave) { all_.send(Kind::leave, rank_, leave.peer, {leave.phase}); }
        void await_leave(const Leave& leave) { all_.await(Kind::leave, leave.peer, rank_, {leave.phase}); }
        void give_credit(std::uint32_t index) { all_.send(Kind::credit, rank_, step(index).peer, {index}); }
        void await_credit(std::uint32_t index) { all_.await(Kind::credit, step(index).peer, rank_, {index}); }
        bool pass_barrier() {
            if (!is_in_barrier_) {
                is_in_barrier_ = true;
                ++barriers_;
                all_.come_to_barrier();
            }
            if (all_.came_to_barriers_ < barriers_ * all_.ranks_.size()) return false;
            is_in_barrier_ = false;
            return true;
        }
        std::uint64_t now_ns() const { return all_.now_ns_; }
        void look_again(std::uint64_t at_ns) {
            all_.events_.push_back([this, at_ns] {
                all_.now_ns_ = std::max(all_.now_ns_, at_ns);
                all_.wake(rank_);
            });
        }

        ByteRun& all_;
        const std::uint32_t rank_;
        bool is_in_barrier_ = false;
        std::size_t barriers_ = 0;
    };

    // Never 0, which stands for a byte that never came.
    static std::uint8_t byte_of(std::uint32_t origin, std::uint32_t slot, std::size_t i) {
        return static_cast<std::uint8_t>(1 + (origin * 131 + slot * 31 + i * 7) % 251);
    }

    void wake(std::uint32_t rank) {
        if (std::exchange(ranks_[rank].is_awake, true)) return;
        events_.push_back([this, rank] {
            ranks_[rank].is_awake = false;
            ranks_[rank].go_on();
        });
    }

    void come_to_barrier() {
        ++came_to_barriers_;
        for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) wake(rank);
    }

    void send(Kind kind, std::uint32_t from, std::uint32_t to, const Post& post) {
        lines_[{kind, from, to}].sent.push_back(post);
        meet(kind, from, to);
    }
    void await(Kind kind, std::uint32_t from, std::uint32_t to, const Post& post) {
        lines_[{kind, from, to}].awaited.push_back(post);
        meet(kind, from, to);
    }

    void meet(Kind kind, std::uint32_t from, std::uint32_t to) {
        Line& line = lines_[{kind, from, to}];
        if (line.sent.empty() || line.awaited.empty()) return;
        events_.push_back([=, this, sent = line.sent.front(), awaited = line.awaited.front()] {
            if (kind == Kind::data) move(from, sent, to, awaited);
            if (kind == Kind::leave) ranks_[to].leave_given(awaited.subject);
            if (kind == Kind::credit) ranks_[to].credit_given(awaited.subject);
            if (kind != Kind::data) wake(to);
        });
        line.sent.pop_front();
        line.awaited.pop_front();
    }

    // Either end learns of it later.
    void move(std::uint32_t from, const Post& sent, std::uint32_t to, const Post& awaited) {
        for (std::uint32_t i = 0; i < std::min(sent.bytes, awaited.bytes); ++i)
            *ranks_[to].writes[awaited.subject][awaited.offset + i] =
                *ranks_[from].reads[sent.subject][sent.offset + i];
        events_.push_back([=, this] {
            ranks_[from].sent(sent.subject, sent.bytes);
            wake(from);
        });
        events_.push_back([=, this] {
            ranks_[to].received(awaited.subject, awaited.bytes);
            wake(to);
        });
    }

    // Sums of bytes: each part must be in once. Of a barrier the largest stands for all.
    std::uint8_t combined(std::uint8_t a, std::uint8_t b) const {
        return problem_.operation == Operation::barrier ? std::max(a, b) : static_cast<std::uint8_t>(a + b);
    }

    std::uint8_t promised(std::uint32_t rank, std::uint32_t slot, std::size_t i) const {
        if (problem_.operation == Operation::bcast) return byte_of(problem_.root, slot, i);
        if (!is_reduction(problem_.operation)) return byte_of(slot, is_allgather(problem_.operation) ? 0 : rank, i);
        const std::uint32_t block = problem_.operation == Operation::reduce_scatter ? rank : slot;
        std::uint8_t all = byte_of(0, block, i);
        for (std::uint32_t origin = 1; origin < ranks_.size(); ++origin) all = combined(all, byte_of(origin, block, i));
        return all;
    }

    bool is_right() const {
        for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
            const auto& received = ranks_[rank].buffers[static_cast<int>(Buffer::receive)];
            for (std::uint32_t slot = 0; slot < received.size(); ++slot)
                for (std::size_t i = 0; i < received[slot].size(); ++i)
                    if (received[slot][i] != promised(rank, slot, i)) return false;
        }
        return true;
    }

    const Schedule& schedule_;
    const Problem& problem_;
    std::mt19937 random_;
    std::vector<StepOrder> orders_;  // by rank
    std::deque<Rank> ranks_;
    std::vector<Event> events_;  // that may happen next
    std::map<std::tuple<Kind, std::uint32_t, std::uint32_t>, Line> lines_;
    std::size_t came_to_barriers_ = 0;  // each rank each time
    std::uint64_t now_ns_ = 0;
};

}  // namespace clearway::schedule
